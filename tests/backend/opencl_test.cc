// The OpenCL device in this process, on whatever device this machine has (PoCL where there is no GPU).
#include <algorithm>

#include "backend/support.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A kernel that does something, because NVIDIA's compiler refuses an empty one.
constexpr char kSetOne[] = "kernel void f(global int* x) { *x = 1; }";

class OpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_OPENCL();
    device = open_device(*opencl_selector()).value();
    stream = device->create_stream().value();
  }

  Result<Nanoseconds> run(const std::string& text, const Geometry3& geometry, std::vector<LaunchArgument> arguments) {
    return run_once(*device, *stream, text, "f", geometry, std::move(arguments));
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

TEST_F(OpenCl, DescribesItsDeviceCompletely) {
  const DeviceInfo& info = device->info();
  EXPECT_EQ(info.selector, *opencl_selector());
  EXPECT_EQ(info.backend, "opencl");
  for (const std::string& text : {info.name, info.vendor, info.platform, info.driver_version})
    EXPECT_THAT(text, ::testing::Not(::testing::IsEmpty()));
  EXPECT_THAT(info.language_version, HasSubstr("OpenCL C"));
  EXPECT_GT(info.compute_units, 0u);
  EXPECT_GT(info.global_memory_bytes, 0u);
  EXPECT_GT(info.local_memory_bytes, 0u);
  EXPECT_GT(info.max_allocation_bytes, 0u);
  EXPECT_GT(info.max_work_group_size, 0u);
  EXPECT_THAT(info.max_work_item_sizes.value(), Each(::testing::Gt(0u)));
}

TEST_F(OpenCl, SaysWhetherItComputesDoubles) {
  const auto program = device->build(
      source_of("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nkernel void f(global double* x) { *x *= 3.0; }"), {},
      kLimit);
  const std::vector<std::string>& types = device->info().types;
  EXPECT_EQ(std::ranges::count(types, "double"), program ? 1 : 0);
}

TEST_F(OpenCl, ReportsCompileErrorsWithLogAndUserLineNumbers) {
  const Macro macro{"N", "4"};
  const auto program =
      device->build(source_of("kernel void f(global int* a) {\n  a[0] = nowhere;\n}\n"), std::span(&macro, 1), kLimit);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(program.error().message(), HasSubstr("nowhere"));
  EXPECT_THAT(program.error().message(), HasSubstr(":2:"));  // the macro above the source does not shift lines
}

TEST_F(OpenCl, CompileErrorsNameTheUsersFile) {
  KernelSource source = source_of("kernel void f(global int* a) { a[0] = nowhere + neither; }\n");
  source.file = "some folder/mine.cl";
  const auto program = device->build(source, {}, kLimit);
  ASSERT_FALSE(program);
  if (device->info().platform != "Portable Computing Language") GTEST_SKIP() << "other drivers name no file";
  EXPECT_THAT(program.error().message(), HasSubstr(source.file.string() + ":1:39: use of undeclared"));
  EXPECT_THAT(program.error().message(), HasSubstr(source.file.string() + ":1:49: use of undeclared"));
}

TEST_F(OpenCl, KeepsTheBuildLogOfASuccess) {
  const auto program = device->build(source_of(std::string("#warning look here\n") + kSetOne), {}, kLimit).value();
  if (device->info().vendor.starts_with("NVIDIA")) GTEST_SKIP() << "this driver keeps no log of a success";
  EXPECT_THAT(program->build_log(), HasSubstr("look here"));
}

TEST_F(OpenCl, PassesMacrosWithSpacesAndQuotes) {
  const std::vector<Macro> macros{{"TYPE", "unsigned int"}, {"TEXT", "\"a b\""}, {"SUM", "(1 + 2)"}};
  const auto program =
      device->build(source_of("kernel void f(global TYPE* a) { a[0] = SUM; a[1] = sizeof(TEXT); }"), macros, kLimit)
          .value();
  const auto kernel = program->kernel("f").value();
  const auto buffer = buffer_with<unsigned>(*device, *stream, {0, 0});
  const LaunchArgument argument = buffer.get();
  stream->launch(*kernel, {}, std::span(&argument, 1)).value();
  EXPECT_THAT(contents_of<unsigned>(*buffer, *stream), ElementsAre(3u, 4u));
}

TEST_F(OpenCl, LaunchesFromAGroupOn) {
  const auto program =
      device
          ->build(source_of("kernel void f(global int* x) { x[get_global_id(1) * 8 + get_global_id(0)] = 1; }"), {},
                  kLimit)
          .value();
  const auto kernel = program->kernel("f").value();
  const auto buffer = buffer_with<int>(*device, *stream, std::vector<int>(16));
  const LaunchArgument argument = buffer.get();
  const Geometry3 part{.groups = {2, 1, 1}, .group_size = {2, 1, 1}, .first_group = {1, 1, 0}};
  stream->launch(*kernel, part, std::span(&argument, 1)).value();
  EXPECT_THAT(contents_of<int>(*buffer, *stream), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0));
}

TEST_F(OpenCl, HasNoUnitsOfAStreamsOwnAndIgnoresPriorities) {
  EXPECT_EQ(device->unit_grain().error().code(), ErrorCode::unavailable);
  EXPECT_EQ(device->create_stream({.units = {0, 1}}).error().code(), ErrorCode::unavailable);
  EXPECT_TRUE(device->create_stream({.priority = 3, .at_once = true}));
}

TEST_F(OpenCl, PassesCompileOptionsAndIncludesNeighboursOfTheFile) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  for (const std::string name : {"wattune_include", "wattune include"}) {
    std::filesystem::create_directories(folder / name);
    std::ofstream(folder / name / "neighbour.h") << "#define VALUE 5\n";
    KernelSource source = source_of("#include \"neighbour.h\"\nkernel void f(global int* a) { a[0] = VALUE + EXTRA; }");
    source.file = folder / name / "kernel.cl";
    source.options = {"-DEXTRA=2"};
    const auto program = device->build(source, {}, kLimit);
    EXPECT_TRUE(program) << program.error().to_string();
    std::filesystem::remove_all(folder / name);
  }
}

TEST_F(OpenCl, RefusesCudaSources) {
  KernelSource source = source_of("__global__ void f() {}");
  source.language = Language::cuda;
  EXPECT_EQ(device->build(source, {}, kLimit).error().code(), ErrorCode::invalid_argument);
}

TEST_F(OpenCl, SuggestsTheNearestKernelName) {
  const auto program =
      device
          ->build(source_of("kernel void add_one(global int* x) { ++*x; } kernel void other(global int* x) { --*x; }"),
                  {}, kLimit)
          .value();
  const auto kernel = program->kernel("add_on");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code(), ErrorCode::not_found);
  EXPECT_THAT(kernel.error().to_string(), HasSubstr("did you mean `add_one`?"));
}

TEST_F(OpenCl, TellsArgumentCountAndWorkGroupLimit) {
  const auto program =
      device->build(source_of("kernel void f(global int* a, int b, local int* c) {}"), {}, kLimit).value();
  const auto kernel = program->kernel("f").value();
  EXPECT_EQ(kernel->name(), "f");
  EXPECT_EQ(kernel->argument_count(), 3u);
  EXPECT_GT(kernel->max_work_group_size(), 0u);
  EXPECT_LE(kernel->max_work_group_size(), device->info().max_work_group_size);
}

TEST_F(OpenCl, TellsWhatTheKernelDeclares) {
  const std::string text =
      "typedef float real;\n"
      "kernel void f(global const float4* restrict a, unsigned int b, local short* c, constant double* d, real e) {}";
  const auto program = device->build(source_of(text), {}, kLimit).value();
  const auto kernel = program->kernel("f").value();
  const std::span<const KernelParameter> parameters = kernel->parameters();
  ASSERT_EQ(parameters.size(), 5u);
  if (parameters[0].type.empty()) GTEST_SKIP() << "this driver tells nothing of arguments";
  EXPECT_EQ(parameters[0], (KernelParameter{"a", "float4*", AddressSpace::global, ElementType::float32, {}}));
  EXPECT_EQ(parameters[1], (KernelParameter{"b", "uint", AddressSpace::by_value, ElementType::uint32, 4}));
  EXPECT_EQ(parameters[2], (KernelParameter{"c", "short*", AddressSpace::local, ElementType::int16, {}}));
  EXPECT_EQ(parameters[3], (KernelParameter{"d", "double*", AddressSpace::constant, ElementType::float64, {}}));
  EXPECT_EQ(parameters[4], (KernelParameter{"e", "real", AddressSpace::by_value, ElementType::float32, 4}));
}

TEST_F(OpenCl, RefusesArgumentsOfAnotherKind) {
  const auto buffer = device->create_buffer(4).value();
  const std::string text = "kernel void f(global float* a, int b, local float* c) {}";
  const auto launched = run(text, {}, {buffer.get(), buffer.get(), LocalBytes{4}});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code(), ErrorCode::mismatch);
  EXPECT_EQ(launched.error().message(), "argument 2 of kernel `f` is declared `int b`, a buffer given");
  EXPECT_EQ(run(text, {}, {LocalBytes{4}, scalar(1), LocalBytes{4}}).error().code(), ErrorCode::mismatch);
  EXPECT_EQ(run(text, {}, {buffer.get(), scalar(1), buffer.get()}).error().code(), ErrorCode::mismatch);
}

TEST_F(OpenCl, NamesAParameterThatBreaksTheSource) {
  const Macro macro{"n", "4"};
  const auto program =
      device->build(source_of("kernel void f(global int* a, int n) { a[0] = n; }"), std::span(&macro, 1), kLimit);
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().advice(), HasSubstr("parameter `n` is a macro"));
}

TEST_F(OpenCl, UnrollsByAParameter) {
  const Macro macro{"UNROLL", "4"};
  const std::string text =
      "kernel void f(global int* a) {\n"
      "#pragma unroll UNROLL\n"
      "  for (int i = 0; i < 16; ++i) a[i] = i;\n}";
  const auto program = device->build(source_of(text), std::span(&macro, 1), kLimit);
  EXPECT_TRUE(program) << program.error().to_string();
}

TEST_F(OpenCl, RunsKernelsWithScalarsOfEverySizeAndLocalMemory) {
  constexpr char kText[] = R"(
    kernel void f(global double* out, char a, short b, int c, long d, float e, double g, local double* shared) {
      const size_t i = get_local_id(0);
      shared[i] = a + b + c + d + e + g + i;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = shared[get_local_size(0) - 1 - i] + 100 * get_group_id(0);
    })";
  const auto out = buffer_with<double>(*device, *stream, std::vector<double>(8));
  const auto time = run(kText, {.groups = {2, 1, 1}, .group_size = {4, 1, 1}},
                        {out.get(), scalar<std::int8_t>(1), scalar<std::int16_t>(2), scalar<std::int32_t>(3),
                         scalar<std::int64_t>(4), scalar(5.0f), scalar(6.0), LocalBytes{4 * sizeof(double)}});
  ASSERT_TRUE(time) << time.error().to_string();
  EXPECT_GT(time->value(), 0.0);
  // The sum is 1 + 2 + 3 + 4 + 5 + 6 = 21; the local index is mirrored, and group 1 adds 100.
  EXPECT_THAT(contents_of<double>(*out, *stream), ElementsAre(24, 23, 22, 21, 124, 123, 122, 121));
}

TEST_F(OpenCl, SendsAPreparedLaunchAgainAndAgain) {
  const auto out = buffer_with<int>(*device, *stream, {0, 0});
  const auto program =
      device->build(source_of("kernel void f(global int* out, int d) { out[get_global_id(0)] += d; }"), {}, kLimit);
  const auto kernel = (*program)->kernel("f").value();
  const std::vector<LaunchArgument> arguments{out.get(), scalar(3)};
  const auto launch = stream->prepare(*kernel, {.groups = {2, 1, 1}}, arguments).value();
  for (int i = 0; i < 4; ++i) launch->send().value();
  EXPECT_THAT(contents_of<int>(*out, *stream), ElementsAre(12, 12));
}

TEST_F(OpenCl, LaunchesInThreeDimensions) {
  constexpr char kText[] = R"(
    kernel void f(global int* out) {
      out[get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2))] =
          get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2);
    })";
  const auto out = buffer_with<int>(*device, *stream, std::vector<int>(2 * 2 * 4, -1));
  ASSERT_TRUE(run(kText, {.groups = {2, 1, 2}, .group_size = {1, 2, 2}}, {out.get()}));
  EXPECT_THAT(contents_of<int>(*out, *stream),
              ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 100, 101, 100, 101, 100, 101, 100, 101));
}

TEST_F(OpenCl, CopiesAndFills) {
  const auto from = buffer_with<float>(*device, *stream, iota(5));
  const auto to = device->create_buffer(from->bytes()).value();
  stream->copy(*from, *to).value();
  stream->fill(*from, std::byte{0}).value();
  EXPECT_EQ(contents_of<float>(*to, *stream), iota(5));
  EXPECT_THAT(contents_of<float>(*from, *stream), Each(0.0f));
  EXPECT_THAT(stream->check_guards(*from, kLimit).value(), ElementsAre(0u, 0u));
}

TEST_F(OpenCl, GivesKernelsAnEmptyBuffer) {
  const auto empty = device->create_buffer(0).value();
  EXPECT_EQ(empty->bytes(), 0u);
  stream->fill(*empty, std::byte{1}).value();
  stream->write(*empty, {}).value();
  stream->read(*empty, {}).value();
  EXPECT_TRUE(run("kernel void f(global int* a) {}", {}, {empty.get()}));
  EXPECT_THAT(stream->check_guards(*empty, kLimit).value(), ElementsAre(0u, 0u));
}

TEST_F(OpenCl, RefusesBuffersBeyondTheDevice) {
  const auto buffer = device->create_buffer(*device->info().max_allocation_bytes + 1);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code(), ErrorCode::invalid_argument);
}

TEST_F(OpenCl, FindsWritesOutOfBoundsOnBothSides) {
  constexpr char kText[] =
      "kernel void f(global char* a, int n) { for (int i = 0; i < 3; ++i) a[n + i] ^= 1; a[-1] ^= 1; }";
  const auto buffer = device->create_buffer(1001).value();  // an end that no device aligns to
  ASSERT_TRUE(run(kText, {}, {buffer.get(), scalar(1001)}));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(1u, 3u));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(0u, 0u));  // renewed
}

TEST_F(OpenCl, RefusesImpossibleLaunchesWithTheReason) {
  constexpr char kText[] = "kernel void f(global int* a) {}";
  const auto buffer = device->create_buffer(4).value();
  const std::size_t too_many = *device->info().max_work_group_size + 1;
  const auto group = run(kText, {.groups = {1, 1, 1}, .group_size = {too_many, 1, 1}}, {buffer.get()});
  EXPECT_EQ(group.error().code(), ErrorCode::launch_failed);
  EXPECT_THAT(group.error().message(), HasSubstr("work-group of " + std::to_string(too_many)));
  EXPECT_EQ(run(kText, {.groups = {1, 0, 1}}, {buffer.get()}).error().code(), ErrorCode::launch_failed);
  EXPECT_EQ(run(kText, {.groups = {SIZE_MAX, 1, 1}, .group_size = {2, 1, 1}}, {buffer.get()}).error().code(),
            ErrorCode::launch_failed);
  const auto local = run("kernel void f(local int* a) {}", {}, {LocalBytes{*device->info().local_memory_bytes + 1}});
  EXPECT_EQ(local.error().code(), ErrorCode::launch_failed);
  EXPECT_THAT(local.error().message(), HasSubstr("local memory"));
  EXPECT_TRUE(run(kText, {}, {buffer.get()}));  // none of this harmed the device
}

TEST_F(OpenCl, RefusesArgumentsThatDoNotFitTheKernel) {
  constexpr char kText[] = "kernel void f(int a, int b) {}";
  const auto count = run(kText, {}, {scalar(1)});
  EXPECT_EQ(count.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(count.error().message(), HasSubstr("takes 2 arguments, 1 given"));
  const auto size = run(kText, {}, {scalar(1), scalar(1.0)});
  EXPECT_EQ(size.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(size.error().to_string(), HasSubstr("argument 2 of kernel `f`"));
}

TEST_F(OpenCl, AbandonsAKernelThatRunsTooLong) {
  // Each step needs the one before, and the number of steps comes from memory, so that no compiler shortens the loop.
  // It takes some 30 ms on a fast CPU, more on a GPU.
  constexpr char kSteps[] =
      "kernel void f(global uint* x) { uint y = x[0]; for (uint i = 0; i < x[1]; ++i) y = y * 1664525u + x[0]; x[2] = "
      "y; }";
  const auto numbers = buffer_with<std::uint32_t>(*device, *stream, {1013904223u, 20000000u, 0u});
  const auto program = device->build(source_of(kSteps), {}, kLimit).value();
  const auto kernel = program->kernel("f").value();
  const std::vector<LaunchArgument> arguments{numbers.get()};
  const auto event = stream->launch(*kernel, {}, arguments).value();
  const auto finished = stream->finish(nanoseconds_from_ms(1));
  ASSERT_FALSE(finished) << "the kernel ended too soon";
  EXPECT_EQ(finished.error().code(), ErrorCode::timeout);
  EXPECT_EQ(event->duration().error().code(), ErrorCode::device_lost);
  EXPECT_EQ(device->create_buffer(4).error().code(), ErrorCode::device_lost);
  device->reset().value();
  const auto fresh = device->create_stream().value();
  const auto one = device->create_buffer(sizeof(int)).value();
  EXPECT_TRUE(run_once(*device, *fresh, kSetOne, "f", {}, {one.get()}));
}

TEST_F(OpenCl, MakesOldObjectsUselessAtReset) {
  const auto buffer = buffer_with<float>(*device, *stream, iota(4));
  const auto program = device->build(source_of(kSetOne), {}, kLimit).value();
  device->reset().value();
  EXPECT_EQ(stream->fill(*buffer, std::byte{0}).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(stream->finish(kLimit).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(program->kernel("f").error().code(), ErrorCode::device_lost);
  const auto fresh = device->create_stream().value();
  const auto values = buffer_with<float>(*device, *fresh, iota(4));
  EXPECT_EQ(contents_of<float>(*values, *fresh), iota(4));
}

}  // namespace
}  // namespace wattune::backend
