// Reading the types of kernels' parameters, and names in a source, without any compiler.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "backend/compile/code_text.h"
#include "backend/compile/name_collision.h"
#include "backend/cuda/signature.h"
#include "backend/interface/c_type.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::optional<std::vector<KernelParameter>> declared(const std::string& source, const std::string& function) {
  return cuda::declared_parameters(read_code(source), function, Language::cuda);
}

KernelParameter cuda_parameter(const std::string& type) { return parameter_of("", type, Language::cuda); }
KernelParameter opencl_parameter(const std::string& type) { return parameter_of("", type, Language::opencl); }

TEST(CType, KnowsTheLanguagesOwnTypes) {
  const std::pair<const char*, ElementType> integers[] = {{"unsigned", ElementType::uint32},
                                                          {"long unsigned int", ElementType::uint64},
                                                          {"long long", ElementType::int64},
                                                          {"short int", ElementType::int16},
                                                          {"signed char", ElementType::int8},
                                                          {"size_t", ElementType::uint64},
                                                          {"__nv_bfloat16*", ElementType::bfloat16},
                                                          {"__nv_bfloat162*", ElementType::bfloat16},
                                                          {"half2*", ElementType::float16},
                                                          {"float4*", ElementType::float32},
                                                          {"unsigned long long*", ElementType::uint64}};
  for (const auto& [type, element] : integers) EXPECT_EQ(cuda_parameter(type).element, element) << type;
  EXPECT_EQ(cuda_parameter("float").space, AddressSpace::by_value);
  EXPECT_EQ(cuda_parameter("float*").space, AddressSpace::global);
  EXPECT_EQ(cuda_parameter("double").bytes, 8u);
  EXPECT_EQ(cuda_parameter("float3").bytes, 12u);
  EXPECT_EQ(opencl_parameter("float3").bytes, 16u);
  EXPECT_EQ(opencl_parameter("int16").bytes, 64u);
}

TEST(CType, LeavesUnknownWhatMayMeanAnything) {
  for (const char* type : {"real", "struct particle", "int16", "float (*) [4]", "complex<float>", "image2d_t"}) {
    EXPECT_EQ(cuda_parameter(type).element, std::nullopt) << type;
    EXPECT_EQ(cuda_parameter(type).space, std::nullopt) << type;
  }
  EXPECT_EQ(cuda_parameter("void*").element, std::nullopt);
  EXPECT_EQ(cuda_parameter("float**").element, ElementType::uint64);
  EXPECT_EQ(cuda_parameter("particle*").space, AddressSpace::global);
}

TEST(CType, DataMayBeReadAsWhatHoldsIt) {
  using enum ElementType;
  EXPECT_TRUE(may_be_read_as(int32, uint32));
  EXPECT_TRUE(may_be_read_as(float64, int8));
  EXPECT_TRUE(may_be_read_as(uint8, float32));
  EXPECT_TRUE(may_be_read_as(float16, uint16));
  EXPECT_TRUE(may_be_read_as(float16, uint32));
  EXPECT_FALSE(may_be_read_as(float32, float64));
  EXPECT_FALSE(may_be_read_as(int32, float32));
  EXPECT_FALSE(may_be_read_as(int32, int64));
  EXPECT_FALSE(may_be_read_as(float16, bfloat16));
  EXPECT_FALSE(may_be_read_as(float16, float32));
}

std::vector<std::string> described(const std::optional<std::vector<KernelParameter>>& parameters) {
  if (!parameters) return {"none"};
  std::vector<std::string> texts;
  for (const KernelParameter& parameter : *parameters) texts.push_back(describe(parameter));
  return texts;
}

TEST(CudaSignature, IsReadFromASymbol) {
  EXPECT_THAT(described(cuda::parameters_of_symbol("_Z5scaleILi32EfEvPT0_S0_")), ElementsAre("float*", "float"));
  EXPECT_THAT(described(cuda::parameters_of_symbol("_Z1fPKdmP6float4")),
              ElementsAre("double*", "unsigned long", "float4*"));
  EXPECT_THAT(described(cuda::parameters_of_symbol("_ZN5inner4noopEv")), IsEmpty());
  EXPECT_THAT(described(cuda::parameters_of_symbol("plain")), ElementsAre("none"));
}

TEST(CudaSignature, IsReadFromASource) {
  const std::string source =
      "// __global__ void f(double* x)\n"
      "template <int N> __device__ int g(int f);\n"
      "extern \"C\" __global__ void __launch_bounds__(256, 2)\n"
      "f(const float *__restrict__ x, float y[], /* , */ unsigned int const n, size_t,\n"
      "  const __grid_constant__ Config config, int2 (*many)[4]) { other(1); }\n"
      "__global__ void h(void) {}\n";
  EXPECT_THAT(described(declared(source, "f")),
              ElementsAre("float* x", "float* y", "unsigned int n", "size_t", "Config config", "0 bytes"));
  EXPECT_THAT(described(declared(source, "h")), IsEmpty());
  EXPECT_THAT(described(declared(source, "g")), ElementsAre("none"));
}

TEST(CudaSignature, IsUnknownWhereItIsNotClear) {
  const std::string plain = "extern \"C\" __global__ void f(float* x) {}\n";
  const auto read = [](const std::string& source) { return described(declared(source, "f")); };
  EXPECT_THAT(read("#if WIDE\n" + plain + "#endif\n"), ElementsAre("none"));
  EXPECT_THAT(read("#if __CUDA_ARCH__ >= 800\n" + plain + "#endif\n"), ElementsAre("none"));
  EXPECT_THAT(read("__global__ void f(\n#ifdef __CUDACC_RTC__\nint a,\n#endif\nint b) {}"), ElementsAre("none"));
  EXPECT_THAT(read("__global__ void f(\n#ifdef A\nint a,\n#endif\nint b) {}"), ElementsAre("int b"));
  EXPECT_THAT(read(plain + "__global__ void f(double* x);"), ElementsAre("none"));
  EXPECT_THAT(read(plain + "__global__ void f(float*);"), ElementsAre("float*"));
  EXPECT_THAT(read("#define float double\n" + plain), ElementsAre("double* x"));
  EXPECT_THAT(read("#define P(T) T*\nextern \"C\" __global__ void f(P(float) x) {}\n"), ElementsAre("0 bytes"));
  EXPECT_THAT(read("#define T int\n__global__ void f(T x) {}\n#undef T\n#define T float\n"), ElementsAre("0 bytes"));
  EXPECT_THAT(read("__global__ void f(float* x"), ElementsAre("none"));
  EXPECT_THAT(read(""), ElementsAre("none"));
  EXPECT_EQ(declared("typedef int n_t;\n__global__ void f(n_t n) {}", "f")->front().element, ElementType::int32);
}

// The source is read for drivers that report no parameters.
TEST(OpenClSignature, IsReadFromASource) {
  const std::string source =
      "float kernel_of(float x) { return x; }\n"
      "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(global const float4* restrict x, "
      "__local double* tile, constant int* weights, const uint n, read_only image2d_t image) {}\n";
  const auto parameters = cuda::declared_parameters(read_code(source), "f", Language::opencl);
  EXPECT_THAT(described(parameters), ElementsAre("float4* x", "local double* tile", "constant int* weights", "uint n",
                                                 "read_only image2d_t image"));
  EXPECT_EQ(parameters->at(0).element, ElementType::float32);
  EXPECT_EQ(parameters->at(1).space, AddressSpace::local);
  EXPECT_EQ(parameters->at(3).element, ElementType::uint32);
  EXPECT_EQ(parameters->at(4).element, std::nullopt);
  EXPECT_FALSE(cuda::declared_parameters(read_code(source), "kernel_of", Language::opencl));
}

// A driver's sizes are those of the code itself.
TEST(CudaSignature, CountsForNothingAgainstTheDriversSizes) {
  const auto parameters = declared("__global__ void f(float* x, float y) {}", "f").value();
  const auto with = [&](std::vector<std::size_t> sizes) { return described(cuda::with_sizes(parameters, sizes)); };
  EXPECT_THAT(with({8, 4}), ElementsAre("float* x", "float y"));
  EXPECT_THAT(with({8, 8}), ElementsAre("8 bytes", "8 bytes"));
  EXPECT_THAT(with({8}), ElementsAre("8 bytes"));
}

TEST(CodeText, IsWithoutCommentsAndQuotes) {
  EXPECT_EQ(without_comments("a // b\nc /* d\n e */ f"), "a     \nc     \n      f");
  EXPECT_EQ(without_comments("x = \"a\\\"//\" + 'b' + 1'000;"), "x =         +     + 1'000;");
  EXPECT_EQ(without_comments("open /* without end"), "open               ");
  EXPECT_EQ(without_comments("\"open"), "     ");
}

TEST(CodeText, KnowsWhatTypedefsOfValuesMean) {
  const auto meant = [](const std::string& source, const std::string& type) {
    return without_typedefs(read_code(source), type);
  };
  EXPECT_EQ(meant("typedef unsigned int word;\ntypedef word number;", "number*"), "unsigned int*");
  EXPECT_EQ(meant("typedef float real; typedef float real;", "real"), "float");
  EXPECT_EQ(meant("typedef float real; typedef double real;", "real"), "real");
  EXPECT_EQ(meant("#if WIDE\ntypedef double real;\n#endif", "real"), "real");
  EXPECT_EQ(meant("#if WIDE\ntypedef double real;\n#else\ntypedef float real;\n#endif", "real"), "float");
  EXPECT_EQ(meant("#ifndef GUARD_H\n#define GUARD_H\ntypedef short word;\n#endif", "word*"), "short*");
  EXPECT_EQ(meant("#ifdef cl_khr_fp64\ntypedef double real;\n#else\ntypedef float real;\n#endif", "real"), "real");
  EXPECT_EQ(meant("#define REAL float\ntypedef REAL real;", "real"), "float");
  EXPECT_EQ(meant("#define REAL(x) x\ntypedef REAL(int) real;", "real"), "real");
  EXPECT_EQ(meant("using real = double;", "real"), "double");
  EXPECT_EQ(meant("typedef struct { int x; } pair; typedef float* pointer; typedef a a;", "pair"), "pair");
  EXPECT_EQ(meant("typedef float* pointer;", "pointer"), "pointer");
  EXPECT_EQ(meant("typedef a b; typedef b a;", "a"), "a");
}

// Conditions depend on the parameters and options of the compilation.
TEST(CodeText, FollowsConditionsAsTheCompilerDoes) {
  KernelSource source{.language = Language::opencl, .function = "f"};
  source.options = {"-DWIDE=2 -DFLAG", "-D", "TYPE=long"};
  const std::vector<Macro> macros{{"BLOCK", "32"}, {"T", "float"}};
  const auto chosen = [&](const std::string& condition) {
    source.text = "#if " + condition + "\ntypedef int t;\n#else\ntypedef float t;\n#endif\n";
    return without_typedefs(read_code(source, macros), "t");
  };
  for (const char* yes : {"WIDE", "WIDE == 2 && BLOCK >= 0x20", "defined(FLAG)", "defined BLOCK && !defined NONE",
                          "(BLOCK % 5 == 2 ? 1 : 0)", "1 || __X__", "-WIDE + 3 == 1u", "(1 << 4) < BLOCK"})
    EXPECT_EQ(chosen(yes), "int") << yes;
  for (const char* no : {"WIDE > 2", "NONE", "BLOCK / 16 != 2", "0 && cl_khr_fp64", "!FLAG", "BLOCK - 32"})
    EXPECT_EQ(chosen(no), "float") << no;
  for (const char* open : {"__OPENCL_VERSION__ >= 200", "defined(cl_khr_fp64)", "1 / 0", "f(2)", "BLOCK +"})
    EXPECT_EQ(chosen(open), "t") << open;
  source.text = "#if 0\n#elif BLOCK == 32\ntypedef T t;\n#elif 1\ntypedef TYPE t;\n#else\ntypedef int t;\n#endif";
  EXPECT_EQ(without_typedefs(read_code(source, macros), "t"), "float");
  source.text = "#ifdef __X__\n#define A 1\n#endif\n#if A\ntypedef int t;\n#else\ntypedef float t;\n#endif";
  EXPECT_EQ(without_typedefs(read_code(source, macros), "t"), "t");
}

// The header is in the file's own folder, behind a guard, and is included again where the guard keeps it out.
TEST(CodeText, ReadsTheHeadersOfTheUser) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "wattune_code_text";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "types.h") << "#ifndef TYPES_H\n#define TYPES_H\n#include \"types.h\"\n#if WIDE\n"
                                       "typedef double real;\n#else\ntypedef float real;\n#endif\n#endif\n";
  KernelSource source{.language = Language::opencl, .function = "f", .file = folder / "f.cl"};
  source.text = "#include \"types.h\"\n#include <types.h>\nkernel void f(real x) {}\n";
  EXPECT_EQ(without_typedefs(read_code(source, std::vector<Macro>{{"WIDE", "1"}}), "real"), "double");
  EXPECT_EQ(without_typedefs(read_code(source, std::vector<Macro>{{"WIDE", "0"}}), "real"), "float");
  source.text = "#include \"nowhere.h\"\n#if WIDE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n";
  EXPECT_EQ(without_typedefs(read_code(source, {}), "real"), "real");  // an unread header may define WIDE
  std::filesystem::remove_all(folder);
}

std::string collision(std::string text, Language language = Language::opencl) {
  const KernelSource source{.language = language, .function = "f", .text = std::move(text)};
  const std::vector<Macro> macros{{"n", "32"}, {"x", "2"}};
  const std::vector<NameCollision> found = name_collisions(source, macros);
  return found.empty() ? "" : found.front().message;
}

TEST(NameCollision, NamesTheParameterThatReplacesAName) {
  EXPECT_EQ(collision("\nkernel void f(global int* a, int n) {}"),
            "likely because parameter `n` is a macro, which puts `32` into `int n` in line 2: rename one");
  EXPECT_THAT(collision("kernel void f(global const float *n) {}"), HasSubstr("`float* n`"));
  EXPECT_THAT(collision("__global__ void f(int* a) { a[threadIdx.x] = 1; }", Language::cuda),
              HasSubstr("`threadIdx.x`"));
  EXPECT_THAT(collision("kernel void f(global point* p) { p->x = 1; }"), HasSubstr("`p->x`"));
}

TEST(NameCollision, LeavesUsesAlone) {
  EXPECT_EQ(collision("// int n;\n#define both (n)\nkernel void f(global int* a) { int b = n; a[n] = b * n, n; }"), "");
  EXPECT_EQ(collision("int f() { if (n) return n; else return b *n; }"), "");
}

TEST(NameCollision, ConstantsCollideWithNothing) {
  KernelSource source{.language = Language::cuda, .function = "f", .text = "__global__ void f(int n) {}"};
  source.own_styles = {{"n", ParameterStyle::constants}};
  EXPECT_THAT(name_collisions(source, std::vector<Macro>{{"n", "32"}}), IsEmpty());
}

// Returns the advice for a compiler that writes `log` with the macro `n` and `log_without` without it.
std::string tested(const std::string& text, const std::string& log, const std::string& log_without) {
  const KernelSource source{.language = Language::opencl, .function = "f", .text = text};
  const std::vector<Macro> macros{{"n", "32"}, {"x", "2"}};
  return tested_collision(source, macros, log, [&](std::span<const Macro> with) {
    EXPECT_EQ(with.size(), 1u);
    return log_without.empty() ? std::nullopt : std::optional(log_without);
  });
}

TEST(NameCollision, IsACauseOnlyIfTheSourceFaresBetterWithoutTheMacro) {
  const std::string text = "\nkernel void f(global int* a, int n) {}";
  EXPECT_THAT(tested(text, "k.cl:2:30: error", ""), HasSubstr("`int n` in line 2"));
  EXPECT_THAT(tested(text, "k.cu(2): error", "k.cu(9): error"), HasSubstr("`int n` in line 2"));
  EXPECT_EQ(tested(text, "k.cl:9:1: error", "k.cl:9:1: error"), "");
  EXPECT_EQ(tested(text, "k.cl:2:1: error", "k.cl:2:1: error"), "");
  EXPECT_EQ(tested("kernel void f(global int* a) { a[n] = x; }", "k.cl:1:1: error", ""), "");
}

}  // namespace
}  // namespace wattune::backend
