#include "slice/interface/opencl.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace wattune::inline v0_1::slice {
namespace {

using testing::HasSubstr;

bool needs_preamble(const std::string& source) { return analyse_opencl(source, "k.cl").value().needs_preamble; }

TEST(OpenclSlice, NeedsAPreambleOnlyWhereTheSliceShows) {
  EXPECT_FALSE(needs_preamble("kernel void k(global int* a) { a[get_global_id(0)] = get_local_id(0); }"));
  for (const char* call :
       {"get_group_id(0)", "get_num_groups(1)", "get_global_size(0)", "get_global_offset(0)", "get_global_linear_id()"})
    EXPECT_TRUE(needs_preamble(std::string("kernel void k(global int* a) { *a = ") + call + "; }")) << call;
}

// Some drivers answer 0 for the sizes along axes that do not exist, where OpenCL says 1. Slices answer as OpenCL says.
TEST(OpenclSlice, NeedsAPreambleForAxesThatMayNotExist) {
  for (const char* call : {"get_global_id(3)", "get_local_id(d)", "get_local_size (7)", "get_global_id(1 + 2)",
                           "get_enqueued_local_size(3)", "get_global_id"})
    EXPECT_TRUE(needs_preamble(std::string("kernel void k(global int* a, uint d) { *a = ") + call + "; }")) << call;
  EXPECT_FALSE(needs_preamble("kernel void k(global int* a) { a[get_global_id( 2 )] = get_local_size(0); }"));
}

TEST(OpenclSlice, PassesOverCommentsStringsAndLongerNames) {
  EXPECT_FALSE(
      needs_preamble("// get_group_id(0)\n/* get_group_id */ constant char s[] = \"get_group_id \\\" \";\n"
                     "int my_get_group_id; int get_group_id2; char c = '\"';"));
  EXPECT_TRUE(needs_preamble("/* get */ int f() { return get_group_id(0); } /* open"));
}

TEST(OpenclSlice, NeedsAPreambleWhereNamesMayBeHidden) {
  for (const char* source :
       {"#include \"h\"\n", "# include \"h\"\n", "#\tinclude <h>\n", "/**/ # /* */ include \"h\"\n", "#import \"h\"\n",
        "#inc\\\nlude \"h\"\n", "#\\\ninclude \"h\"\n", "%:include \"h\"\n", "\?\?=include \"h\"\n",
        "#include_next <h>\n", "#define J(a, b) a##b\n", "#define J(a, b) a ## b\n", "int x = get_group\\\n_id(0);",
        "int x = get_gr\\ \r\noup_id(0);"})
    EXPECT_TRUE(needs_preamble(source)) << source;
  for (const char* source :
       {"#define N 4\n# if N > 3 /* # include */\n#pragma unroll\n#endif // #include\n",
        "#define SUM(a, b) \\\n  (a + \\\n   b)\n#undef N\n", "constant char s[] = \"#include \\n\";"})
    EXPECT_FALSE(needs_preamble(source)) << source;
}

TEST(OpenclSlice, RefusesWhatReadsTheGroupPastThePreamble) {
  const auto refusal = [](const char* source) { return analyse_opencl(source, "k.cl").error().to_string(); };
  EXPECT_THAT(refusal("void f() { asm(\"mov.u32 %0, %ctaid.x;\"); }"),
              HasSubstr("k.cl:1:12: the group's index may be"));
  EXPECT_THAT(refusal("int f() { return __builtin_amdgcn_workgroup_id_x(); }"), HasSubstr("the group's index may be"));
  EXPECT_THAT(refusal("#define get_group_id(d) 7\n"), HasSubstr("`get_group_id`"));
  EXPECT_THAT(refusal("\n#undef get_num_groups\n"), HasSubstr("k.cl:2:8"));
}

TEST(OpenclSlice, RefusesPipesAndLaunchesByNameAndPlace) {
  EXPECT_EQ(analyse_opencl("kernel void k() {\n  enqueue_kernel(q);\n}", "k.cl").error().to_string(),
            "k.cl:2:3: kernels that launch others or share pipes cannot be cut: `enqueue_kernel`");
  EXPECT_THAT(analyse_opencl("kernel void k(read_only pipe int p) {}", "k.cl").error().to_string(),
              HasSubstr("`pipe`"));
}

TEST(OpenclSlice, NeedsALocalSizeThatDividesTheGlobalOne) {
  EXPECT_EQ(groups_of({{12, 6, 1}, {4, 3, 1}, {}}).value(), (Grid{3, 2, 1}));
  EXPECT_THAT(with_preamble("", {{10, 1, 1}, {4, 1, 1}, {}}).error().to_string(), HasSubstr("`10 / 4`"));
  EXPECT_FALSE(groups_of({{10, 1, 1}, {0, 1, 1}, {}}));
}

TEST(OpenclSlice, BeginsBehindTheCallersOwnOffset) {
  EXPECT_EQ(part({{12, 6, 1}, {4, 3, 1}, {100, 0, 0}}, {{1, 1, 0}, {2, 1, 1}}),
            (NdRange{{8, 3, 1}, {4, 3, 1}, {104, 3, 0}}));
}

// The system's OpenCL, if the test finds one.
class Opencl {
 public:
  Opencl() : library_(dlopen("libOpenCL.so.1", RTLD_NOW)) {
    if (library_ == nullptr) return;
    cl_platform_id platform = nullptr;
    cl_uint platforms = 0;
    get<decltype(&clGetPlatformIDs)>("clGetPlatformIDs")(1, &platform, &platforms);
    if (platforms == 0) return;
    get<decltype(&clGetDeviceIDs)>("clGetDeviceIDs")(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr);
  }

  explicit operator bool() const { return device_ != nullptr; }

  // Returns the `words` words that the kernel `k` writes, launched once for each range.
  std::vector<cl_uint> run(const std::string& source, const std::vector<NdRange>& ranges, std::size_t words) {
    cl_int status = 0;
    const auto context =
        get<decltype(&clCreateContext)>("clCreateContext")(nullptr, 1, &device_, nullptr, nullptr, &status);
    const auto queue = get<decltype(&clCreateCommandQueue)>("clCreateCommandQueue")(context, device_, 0, &status);
    const char* text = source.c_str();
    const auto program =
        get<decltype(&clCreateProgramWithSource)>("clCreateProgramWithSource")(context, 1, &text, nullptr, &status);
    EXPECT_EQ(get<decltype(&clBuildProgram)>("clBuildProgram")(program, 1, &device_, "", nullptr, nullptr), 0);
    const auto kernel = get<decltype(&clCreateKernel)>("clCreateKernel")(program, "k", &status);
    std::vector<cl_uint> result(words, 0);
    const auto buffer = get<decltype(&clCreateBuffer)>("clCreateBuffer")(
        context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words * 4, result.data(), &status);
    get<decltype(&clSetKernelArg)>("clSetKernelArg")(kernel, 0, sizeof buffer, &buffer);
    for (const NdRange& range : ranges) launch(queue, kernel, range);
    get<decltype(&clEnqueueReadBuffer)>("clEnqueueReadBuffer")(queue, buffer, CL_TRUE, 0, words * 4, result.data(), 0,
                                                               nullptr, nullptr);
    get<decltype(&clReleaseMemObject)>("clReleaseMemObject")(buffer);
    get<decltype(&clReleaseKernel)>("clReleaseKernel")(kernel);
    get<decltype(&clReleaseProgram)>("clReleaseProgram")(program);
    get<decltype(&clReleaseCommandQueue)>("clReleaseCommandQueue")(queue);
    get<decltype(&clReleaseContext)>("clReleaseContext")(context);
    return result;
  }

 private:
  template <typename Function>
  Function get(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }

  void launch(cl_command_queue queue, cl_kernel kernel, const NdRange& range) {
    const std::array<std::size_t, 3> offset = {range.offset[0], range.offset[1], range.offset[2]};
    const std::array<std::size_t, 3> global = {range.global[0], range.global[1], range.global[2]};
    const std::array<std::size_t, 3> local = {range.local[0], range.local[1], range.local[2]};
    EXPECT_EQ(get<decltype(&clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel")(
                  queue, kernel, 3, offset.data(), global.data(), local.data(), 0, nullptr, nullptr),
              0);
  }

  void* library_;
  cl_device_id device_ = nullptr;
};

// A kernel in which each work-item sums up the results of all built-in functions in its own word. Helper functions call
// them too.
constexpr char kAsksEverything[] = R"(
uint groups(uint d) { return get_num_groups(d) * 7 + get_group_id(d) * 1000; }
kernel void k(global uint* out) {
  uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  uint z = get_global_id(2) - get_global_offset(2);
  uint at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  out[at] += groups(0) + 3 * groups(1) + 5 * groups(2) + get_local_id(0) + 11 * get_global_offset(0) + 1;
}
)";

// A kernel with the same names, made by pasting, as the value of a macro, and over the end of a line.
constexpr char kHidesEverything[] = R"(
#define JOIN(a, b) a##b
#define GROUPS JOIN(get_num, _groups)
#define OWN get_group_id
uint groups(uint d) { return GROUPS(d) * 7 + OWN(d) * 1000; }
kernel void k(global uint* out) {
  uint x = get_global_id(0) - JOIN(get_global_, offset)(0), y = get_global_id(1) - get_global_offset(1);
  uint z = get_global_id(2) - get_global_offset(2);
  uint at = (z * get_global_size(1) + y) * JOIN(get_global, _size) (0) + x;
  out[at] += groups(0) + 3 * groups(1) + 5 * groups(2) + get_local_id(0) + 11 * get_global_off\
set(0) + 1;
}
)";

TEST(OpenclSlice, SeesTheWholeRangeFromEverySliceOnADevice) {
  Opencl opencl;
  if (!opencl) GTEST_SKIP() << "no OpenCL device here";
  const NdRange whole{{12, 6, 8}, {4, 3, 2}, {100, 0, 7}};
  constexpr std::size_t kWords = 12 * 6 * 8;
  const std::vector<cl_uint> expected = opencl.run(kAsksEverything, {whole}, kWords);
  std::vector<NdRange> slices;
  const std::vector<Box> parts = boxes(groups_of(whole).value(), 2).value();
  for (const Box& box : parts) slices.push_back(part(whole, box));
  EXPECT_EQ(slices.size(), 16u) << "8 rows of 3 groups, each cut into 1 and 2";
  EXPECT_EQ(opencl.run(with_preamble(kAsksEverything, whole).value(), slices, kWords), expected);
  EXPECT_EQ(opencl.run(with_preamble(kHidesEverything, whole).value(), slices, kWords), expected);
  EXPECT_NE(opencl.run(kAsksEverything, slices, kWords), expected) << "without the preamble slices show";
}

// Ids and offsets are 0, sizes and numbers 1. Each function has a digit of the sum.
constexpr char kAsksForOtherAxes[] = R"(
uint answers(uint d) {
  return get_global_id(d) + get_local_id(d) + get_group_id(d) + get_global_offset(d) + 10 * get_global_size(d) +
         100 * get_local_size(d) + 1000 * get_num_groups(d);
}
kernel void k(global uint* out) { out[get_global_id(0)] = answers(3) + 10000 * answers(4 + get_local_id(1)); }
)";

TEST(OpenclSlice, AnswersForAxesThatDoNotExist) {
  Opencl opencl;
  if (!opencl) GTEST_SKIP() << "no OpenCL device here";
  const NdRange whole{{4, 1, 1}, {2, 1, 1}, {}};
  const std::vector<NdRange> slices{part(whole, {{0, 0, 0}, {1, 1, 1}}), part(whole, {{1, 0, 0}, {1, 1, 1}})};
  EXPECT_EQ(opencl.run(with_preamble(kAsksForOtherAxes, whole).value(), slices, 4), std::vector<cl_uint>(4, 11101110));
}

}  // namespace
}  // namespace wattune::slice
