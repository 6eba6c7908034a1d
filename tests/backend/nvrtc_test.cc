// CUDA's real compilers, where this machine has them; no GPU is needed.
#include <sys/wait.h>

#include "backend/cuda/compiler.h"
#include "backend/cuda/function_name.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/nvrtc_options.h"
#include "backend/cuda/ptxas_log.h"
#include "backend/cuda/source_text.h"
#include "backend/cuda/toolkit.h"
#include "backend/interface/compile.h"
#include "backend/support.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

#define SKIP_WITHOUT_NVRTC() \
  if (!cuda::nvrtc_api()) GTEST_SKIP() << cuda::nvrtc_api().error().to_string()

KernelSource cuda_source(std::string text, std::string function) {
  KernelSource source = source_of(std::move(text));
  source.language = Language::cuda;
  source.function = std::move(function);
  return source;
}

Result<CompileReport> compile_for_hopper(const KernelSource& source, const std::vector<Macro>& macros = {}) {
  return compile_cuda(source, macros, "sm_90", kLimit);
}

constexpr char kTemplate[] = R"(
template <int N, typename T>
__global__ void scale(T* x, T factor) {
  __shared__ T tile[N];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = factor * tile[N - 1 - threadIdx.x];
})";

TEST(CudaNames, AreFoundBySymbolByNameAndByTemplate) {
  EXPECT_EQ(cuda::function_of_symbol("_Z5scaleILi32EfEvPT0_S0_"), "scale<32, float>");
  EXPECT_EQ(cuda::function_of_symbol("_Z4noopv"), "noop");
  EXPECT_EQ(cuda::function_of_symbol("_ZN5inner4noopEv"), "inner::noop");
  EXPECT_EQ(cuda::function_of_symbol("plain"), "plain");
  EXPECT_EQ(cuda::function_of_symbol("_ZN36_GLOBAL__N__21649d77_4_a_cu_db701a2b3hidEPf"), "hid");
  EXPECT_EQ(cuda::function_of_symbol("_ZN5outer12_GLOBAL__N_13hidEPf"), "outer::hid");
  const std::vector<std::string> symbols{"_Z5scaleILi32EfEvPT0_S0_", "_Z4noopv", "_Z4noopi", "plain"};
  EXPECT_EQ(cuda::find_function("plain", symbols).value(), 3u);
  EXPECT_EQ(cuda::find_function("scale<32,float>", symbols).value(), 0u);
  EXPECT_EQ(cuda::find_function("scale", symbols).value(), 0u);
  EXPECT_EQ(cuda::find_function("noop", symbols).error().code(), ErrorCode::mismatch);
  EXPECT_EQ(cuda::find_function("_Z4noopi", symbols).value(), 2u);
  EXPECT_EQ(cuda::find_function("plane", symbols).error().code(), ErrorCode::not_found);
  std::vector<std::string> many(31, "f");
  for (std::size_t i = 0; i < many.size(); ++i) many[i] += std::to_string(i);
  EXPECT_THAT(cuda::find_function("elsewhere", many).error().advice(), HasSubstr("one of: f0, f1, f2"));
  EXPECT_THAT(cuda::find_function("elsewhere", many).error().advice(), HasSubstr("f4 and 26 more;"));
}

TEST(CudaSource, PutsParametersIntoTextsAndNames) {
  const std::vector<Macro> macros{{"N", "32"}, {"T", "float"}, {"F", "0.5"}, {"L", "5000000000"}};
  EXPECT_EQ(cuda::with_values("f<N, T, N2, N>", macros), "f<32, float, N2, 32>");
  KernelSource source = cuda_source("text", "f");
  EXPECT_EQ(cuda::with_parameters(source, std::span(macros).first(2)),
            "#define N 32\n#define T float\n#line 1 \"kernel.cu\"\ntext");
  source.parameter_style = ParameterStyle::constants;
  EXPECT_EQ(cuda::with_parameters(source, macros),
            "constexpr int N = 32;\n#define T float\nconstexpr double F = 0.5;\nconstexpr long long L = 5000000000;\n"
            "#line 1 \"kernel.cu\"\ntext");
  source.own_styles = {{"N", ParameterStyle::macros}};
  EXPECT_EQ(cuda::with_parameters(source, std::span(macros).first(1)), "#define N 32\n#line 1 \"kernel.cu\"\ntext");
  source.parameter_style = ParameterStyle::macros;
  source.own_styles = {{"N", ParameterStyle::constants}};
  EXPECT_EQ(cuda::with_parameters(source, std::span(macros).first(2)),
            "constexpr int N = 32;\n#define T float\n#line 1 \"kernel.cu\"\ntext");
}

TEST(CudaSource, KnowsPtxAndCubins) {
  EXPECT_EQ(cuda::kind_of(cuda_source("__global__ void f() {}", "f")), cuda::SourceKind::cuda_cpp);
  EXPECT_EQ(cuda::kind_of(cuda_source("//\n// Generated\n//\n\n.version 8.0\n", "f")), cuda::SourceKind::ptx);
  EXPECT_EQ(cuda::kind_of(cuda_source("\x7f"
                                      "ELF...",
                                      "f")),
            cuda::SourceKind::cubin);
  EXPECT_EQ(cuda::kind_of(cuda_source("// only a comment", "f")), cuda::SourceKind::cuda_cpp);
  KernelSource source = cuda_source("", "f");
  source.file = "kernel.ptx";
  EXPECT_EQ(cuda::kind_of(source), cuda::SourceKind::ptx);
}

// A log of ptxas 13.0, shortened.
TEST(PtxasLog, ReadsWhatEachKernelTakes) {
  const cuda::PtxasLog log = cuda::read_ptxas_log(
      "kernel.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z1kILi32EfEvPT0_' for 'sm_90'\n"
      "ptxas info    : Function properties for _Z1kILi32EfEvPT0_\n"
      "ptxas         .     96 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads\n"
      "ptxas info    : Used 30 registers, used 1 barriers, 128 bytes smem\n"
      "ptxas info    : Function properties for _Z6calledPf\n"
      "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n"
      "ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(log.kernels.size(), 2u);
  const KernelResources& templated = log.kernels.at("_Z1kILi32EfEvPT0_");
  EXPECT_EQ(templated.registers, 30u);
  EXPECT_EQ(templated.private_bytes, 96u);
  EXPECT_EQ(templated.spill_bytes, 24u);
  EXPECT_EQ(templated.static_local_bytes, 128u);
  EXPECT_EQ(log.kernels.at("plain").registers, 8u);
  EXPECT_EQ(log.kernels.at("plain").static_local_bytes, 0u);
  EXPECT_EQ(log.rest,
            "kernel.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
            "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n");
}

TEST(Nvrtc, CompilesATemplateAndTellsWhatItTakes) {
  SKIP_WITHOUT_NVRTC();
  const auto report = compile_for_hopper(cuda_source(kTemplate, "scale<BLOCK, float>"), {{"BLOCK", "64"}});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->function, "scale<64, float>");
  EXPECT_EQ(report->symbol, "_Z5scaleILi64EfEvPT0_S0_");
  EXPECT_GT(report->resources.registers.value(), 0u);
  EXPECT_EQ(report->resources.spill_bytes, 0u);
  EXPECT_EQ(report->resources.static_local_bytes, 64u * 4u);
  EXPECT_GT(report->resources.binary_bytes.value(), 0u);
  EXPECT_EQ(report->log, "");
}

// A kernel that spills: 100 values that live across a barrier do not fit 24 registers.
constexpr char kSpilling[] = R"(
extern "C" __global__ void __maxnreg__(24) spilling(float* x) {
  float y[100];
#pragma unroll
  for (int i = 0; i < 100; ++i) y[i] = x[i * blockDim.x + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 100; ++i) x[(99 - i) * blockDim.x + threadIdx.x] = y[i];
})";

TEST(Nvrtc, TellsWhatSpillsAndKeepsTheLogClean) {
  SKIP_WITHOUT_NVRTC();
  const auto image = cuda::compile({.architecture = "sm_90"}, cuda_source(kSpilling, "spilling"), {}, kLimit);
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_GT(image->resources.at("spilling").spill_bytes, 0u);
  EXPECT_EQ(image->log, "");
}

TEST(Nvrtc, TakesParametersAsConstants) {
  SKIP_WITHOUT_NVRTC();
  KernelSource source = cuda_source(
      "static_assert(N == 7 && sizeof(T) == 8);\n"
      "namespace other { constexpr int N = 8; }\n"  // a macro N would break this
      "extern \"C\" __global__ void f(int* x) { *x = N + other::N; }",
      "f");
  source.parameter_style = ParameterStyle::constants;
  const auto report = compile_for_hopper(source, {{"N", "7"}, {"T", "double"}});
  EXPECT_TRUE(report) << report.error().to_string();
  source.parameter_style = ParameterStyle::macros;
  EXPECT_FALSE(compile_for_hopper(source, {{"N", "7"}, {"T", "double"}}));
}

TEST(Nvrtc, ReportsCompileErrorsWithUserLineNumbers) {
  SKIP_WITHOUT_NVRTC();
  const auto report = compile_for_hopper(cuda_source("\n__global__ void f() { nowhere(); }", "f"), {{"N", "1"}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(report.error().message(), HasSubstr("kernel.cu(2): error"));
  EXPECT_THAT(report.error().message(), HasSubstr("nowhere"));
}

// NVRTC 13.0 ends the messages of each of its stages with a zero byte.
TEST(Nvrtc, LogIsTextThroughout) {
  SKIP_WITHOUT_NVRTC();
  const Result<CompileReport> report =
      compile_for_hopper(cuda_source("__global__ void k(int* x) {\n"
                                     "  __shared__ int tile[1 << 20];\n"
                                     "  tile[x[0]] = 1;\n  x[0] = tile[x[1]];\n}",
                                     "k"));
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("too much shared data"));
  EXPECT_EQ(report.error().message().find('\0'), std::string::npos);
}

// Returns a source that includes these headers and uses them in this way.
KernelSource including(const std::vector<std::string>& headers, const std::string& use) {
  std::string text;
  for (const std::string& header : headers) text += "#include <" + header + ">\n";
  return cuda_source(text + "extern \"C\" __global__ void f(float* x, int n) { " + use + " }", "f");
}

TEST(Nvrtc, FindsWhatDeviceCodeNeedsOfTheStandardLibrary) {
  SKIP_WITHOUT_NVRTC();
  const std::vector<std::pair<std::vector<std::string>, std::string>> sources{
      {{"stdio.h", "cstdio"}, "printf(\"%d\", n); std::printf(\"\");"},
      {{"stdlib.h", "cstdlib"}, "free(malloc(8)); x[0] = std::abs(n); void* p = NULL;"},
      {{"stddef.h", "cstddef"}, "x[0] = offsetof(float4, y); std::size_t s = 0; std::nullptr_t p = nullptr;"},
      {{"stdint.h", "cstdint", "inttypes.h"}, "std::int64_t a = INT64_MAX; uint8_t b = UINT8_MAX; x[0] = a + b;"},
      {{"math.h", "cmath"}, "x[0] = std::sqrt(x[1]) + M_PI; x[1] = isinf(x[2]) ? INFINITY : NAN;"},
      {{"assert.h", "cassert", "stdbool.h"}, "assert(n > 0); bool good = true;"},
      {{"limits.h", "climits"},
       "static_assert(CHAR_BIT == 8 && INT_MIN < 0 && ULLONG_MAX > INT_MAX); x[0] = LONG_MAX;"},
      {{"float.h", "cfloat"}, "x[0] = FLT_MAX; static_assert(DBL_EPSILON < FLT_EPSILON);"},
      {{"string.h", "cstring", "ctime"}, "std::memcpy(x, x + 8, 4); memset(x, 0, n); x[0] = clock();"},
      {{"algorithm"}, "x[0] = std::min(x[1], x[2]); x[1] = std::max(n, 2);"},
  };
  for (const auto& [headers, use] : sources) {
    const auto report = compile_for_hopper(including(headers, use));
    EXPECT_TRUE(report) << headers.front() << ": " << report.error().message();
  }
}

TEST(Nvrtc, LeadsHeadersOfCppToThoseForDevices) {
  SKIP_WITHOUT_NVRTC();
  if (cuda::toolkit_include_folders().empty()) GTEST_SKIP() << "no toolkit with headers";
  const auto report = compile_for_hopper(
      including({"cstdint", "cmath", "limits", "type_traits", "tuple", "utility", "cub/block/block_reduce.cuh"},
                "static_assert(std::is_same_v<std::int32_t, int>);\n"
                "x[0] = std::numeric_limits<float>::max() + std::get<0>(std::make_tuple(n));"));
  EXPECT_TRUE(report) << report.error().message();
}

// A header of the user precedes Wattune's header of the same name.
TEST(Nvrtc, TakesTheUsersOwnHeaderOfAStandardName) {
  SKIP_WITHOUT_NVRTC();
  const auto folder = std::filesystem::path(::testing::TempDir()) / "wattune own stdint";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "stdint.h") << "#define OWN 1\n";
  KernelSource source = including({"stdint.h"}, "x[0] = OWN;");
  source.file = folder / "kernel.cu";
  const auto report = compile_for_hopper(source);
  EXPECT_TRUE(report) << report.error().message();
  std::filesystem::remove_all(folder);
}

TEST(Nvrtc, AdvisesNvccWhereAHeaderIsMissing) {
  SKIP_WITHOUT_NVRTC();
  const auto report = compile_for_hopper(including({"iostream"}, ""));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().advice(), "if `iostream` is a header of the host's compiler, compiler = \"nvcc\" finds it");
}

std::vector<std::string> for_nvrtc(const std::vector<std::string>& options, const std::string& wanted = "sm_90") {
  return cuda::nvrtc_options(options, wanted);
}

TEST(NvrtcOptions, AreNvccsInNvrtcsSpelling) {
  EXPECT_THAT(for_nvrtc({"-O3", "-O", "3", "--optimize=2", "-g", "-m64", "-res-usage", "-t", "4"}), IsEmpty());
  EXPECT_THAT(for_nvrtc({"-std", "c++17", "--std=c++20", "-maxrregcount", "32", "--maxrregcount=64"}),
              ElementsAre("--std=c++17", "--std=c++20", "--maxrregcount=32", "--maxrregcount=64"));
  EXPECT_THAT(for_nvrtc({"-Xptxas", "-v,-O2", "-Xptxas=-dlcm=cg", "--ptxas-options=-v"}),
              ElementsAre("--ptxas-options=-v", "--ptxas-options=-O2", "--ptxas-options=-dlcm=cg"));
  EXPECT_THAT(for_nvrtc({"-lineinfo", "--generate-line-info", "-use_fast_math", "--use_fast_math", "-G"}),
              ElementsAre("--generate-line-info", "--use_fast_math", "--device-debug"));
  EXPECT_THAT(for_nvrtc({"-I/a b", "-isystem", "/c", "-DX=\"a b\"", "-U", "Y", "-include=z.h", "-ftz", "true"}),
              ElementsAre("-I/a b", "-I/c", "-DX=\"a b\"", "-UY", "--pre-include=z.h", "--ftz=true"));
  EXPECT_THAT(for_nvrtc({"-Xcompiler", "-fopenmp", "-w", "-rdc=true"}),
              ElementsAre("-Xcompiler", "-fopenmp", "-w", "--relocatable-device-code=true"));
}

TEST(NvrtcOptions, NameOneArchitecture) {
  const auto is = [](const std::string& name) { return ElementsAre("--gpu-architecture=" + name); };
  EXPECT_THAT(for_nvrtc({"-arch", "sm_80"}), is("sm_80"));
  EXPECT_THAT(for_nvrtc({"-arch=native"}), is("sm_90"));
  EXPECT_THAT(for_nvrtc({"-arch=compute_80", "-code=sm_80"}), is("sm_80"));
  EXPECT_THAT(for_nvrtc({"-gencode", "arch=compute_80,code=sm_80"}), is("sm_80"));
  EXPECT_THAT(for_nvrtc({"-gencode=arch=compute_80,code=[compute_80,sm_86]"}), is("sm_86"));
  EXPECT_THAT(for_nvrtc({"--generate-code", "arch=compute_80"}), is("compute_80"));
  const std::vector<std::string> several{"-gencode", "arch=compute_80,code=sm_80",
                                         "-gencode=arch=compute_90,code=sm_90"};
  EXPECT_THAT(for_nvrtc(several), is("sm_90"));
  EXPECT_THAT(for_nvrtc(several, "sm_100"), is("sm_80"));
  KernelSource source = cuda_source("", "f");
  source.options = {"-gencode", "arch=compute_80,code=sm_80"};
  EXPECT_EQ(named_architecture(source), "sm_80");
}

TEST(Nvrtc, TakesOptionsInNvccsSpelling) {
  SKIP_WITHOUT_NVRTC();
  const std::vector<std::string> all[] = {{"-O3"},
                                          {"-lineinfo"},
                                          {"--use_fast_math"},
                                          {"--std", "c++17"},
                                          {"-maxrregcount", "32"},
                                          {"-Xptxas", "-v,-O3"},
                                          {"-gencode", "arch=compute_90,code=sm_90"},
                                          {"-g", "-G"},
                                          {"--expt-relaxed-constexpr"},
                                          {"-D", "TEXT=\"a b\""},
                                          {"-I", "no such folder"}};
  for (const std::vector<std::string>& options : all) {
    KernelSource source = including({}, "x[0] = sizeof TEXT;");
    source.text = "#ifndef TEXT\n#define TEXT \"\"\n#endif\n" + source.text;
    source.options = options;
    const auto report = compile_for_hopper(source);
    EXPECT_TRUE(report) << options.front() << ": " << report.error().to_string();
  }
}

TEST(Nvrtc, AdvisesNvccForAnOptionThatOnlyItHas) {
  SKIP_WITHOUT_NVRTC();
  KernelSource source = including({}, "");
  source.options = {"-Xcompiler", "-fopenmp"};
  const Error error = compile_for_hopper(source).error();
  EXPECT_THAT(error.message(), HasSubstr("-Xcompiler"));
  EXPECT_THAT(error.advice(), HasSubstr("compiler = \"nvcc\""));
}

TEST(Nvcc, FindsAnInstanceOfAnUnsignedParameter) {
  KernelSource source = cuda_source(
      "template <class T, unsigned N> __global__ void f(T* x) { x[threadIdx.x] += N; }\n"
      "void host(float* x, double* y) { f<float, 32><<<1, 1>>>(x); f<float, 64><<<1, 1>>>(x); f<double, 32><<<1, "
      "1>>>(y); }",
      "f<float, BS>");
  source.compiler = Compiler::nvcc;
  const auto report = compile_for_hopper(source, {{"BS", "64"}});
  if (!report && report.error().code() == ErrorCode::unavailable) GTEST_SKIP() << report.error().to_string();
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->symbol, "_Z1fIfLj64EEvPT_");
}

TEST(Nvrtc, NamesAParameterThatBreaksTheSource) {
  SKIP_WITHOUT_NVRTC();
  KernelSource source = including({}, "x[0] = n;");
  EXPECT_THAT(compile_for_hopper(source, {{"n", "4"}}).error().advice(), HasSubstr("puts `4` into `int n` in line 1"));
  source.own_styles = {{"n", ParameterStyle::constants}};
  EXPECT_TRUE(compile_for_hopper(source, {{"n", "4"}}));
}

// Checks `#pragma unroll` with a macro and with a constant, by one of the compilers.
void expect_unrolling(Compiler compiler) {
  for (const ParameterStyle style : {ParameterStyle::macros, ParameterStyle::constants}) {
    KernelSource source = including({}, "\n#pragma unroll UNROLL\nfor (int i = 0; i < 64; ++i) x[i] += n;");
    source.compiler = compiler;
    source.parameter_style = style;
    const auto report = compile_for_hopper(source, {{"UNROLL", "4"}});
    if (!report && report.error().code() == ErrorCode::unavailable) GTEST_SKIP() << report.error().to_string();
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->log, "");
  }
}

TEST(Nvrtc, UnrollsByAParameter) {
  SKIP_WITHOUT_NVRTC();
  expect_unrolling(Compiler::standard);
}

TEST(Nvcc, UnrollsByAParameter) { expect_unrolling(Compiler::nvcc); }

// An extern "C" symbol does not spell the parameters.
TEST(Nvrtc, KeepsWhatTheSourceDeclares) {
  SKIP_WITHOUT_NVRTC();
  const auto image = cuda::compile({.architecture = "sm_90"}, including({}, ""), {}, kLimit).value();
  ASSERT_EQ(image.parameters.count("f"), 1u);
  EXPECT_EQ(image.parameters.at("f")[0].type, "float*");
  EXPECT_EQ(image.parameters.at("f")[1].name, "n");
}

TEST(Nvrtc, MakesTheInstancesOfAllFunctions) {
  SKIP_WITHOUT_NVRTC();
  KernelSource source = cuda_source(kTemplate, "scale<BLOCK, float>");
  source.other_functions = {"scale<2 * BLOCK, double>", "missing"};
  const auto image = cuda::compile({.architecture = "sm_90"}, source, std::vector<Macro>{{"BLOCK", "32"}}, kLimit);
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(image->symbols, (std::map<std::string, std::string>{
                                {"scale<32, float>", "_Z5scaleILi32EfEvPT0_S0_"},
                                {"scale<2 * 32, double>", "_Z5scaleILi64EdEvPT0_S0_"},
                            }));
}

TEST(Nvrtc, ListsTheKernelsThatExist) {
  SKIP_WITHOUT_NVRTC();
  const auto report =
      compile_for_hopper(cuda_source("extern \"C\" __global__ void one() {} __global__ void other() {}", "third"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::not_found);
  EXPECT_THAT(report.error().to_string(), HasSubstr("one of: other, one"));
}

TEST(Nvrtc, NamesAnInstanceThatCannotBe) {
  SKIP_WITHOUT_NVRTC();
  const auto missing = compile_for_hopper(cuda_source(kTemplate, "scal<BLOCK, float>"), {{"BLOCK", "64"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
  EXPECT_EQ(missing.error().to_string(),
            "no kernel `scal<64, float>` in the program (`scal` is not declared in kernel.cu)");
  // An error in the value of a parameter belongs to this configuration only.
  const auto type = compile_for_hopper(cuda_source(kTemplate, "scale<64, T>"), {{"T", "half"}});
  EXPECT_EQ(type.error().code(), ErrorCode::compile_failed);
}

TEST(Nvrtc, SaysThatPtxTellsNothing) {
  SKIP_WITHOUT_NVRTC();
  for (const std::string architecture : {"sm_999", "compute_90"}) {
    const auto report = compile_cuda(cuda_source("__global__ void f() {}", "f"), {}, architecture, kLimit);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), ErrorCode::invalid_argument);
    EXPECT_THAT(report.error().message(),
                HasSubstr("makes only PTX for " + architecture + ", whose resources are known on a device only"));
  }
}

void expect_ptx(Compiler compiler) {
  KernelSource source = cuda_source("__global__ void f(int* x) { *x = 1; }", "f");
  source.compiler = compiler;
  for (const std::string architecture : {"sm_90", "sm_90a"}) {
    if (architecture != "sm_90") source.options = {"-arch=" + architecture};
    const auto ptx = compile_ptx({.backend = "cuda", .architecture = "sm_90", .compiler = {}}, source, {}, kLimit);
    if (!ptx && ptx.error().code() == ErrorCode::unavailable) GTEST_SKIP() << ptx.error().to_string();
    EXPECT_EQ(ptx.value().kind, ImageKind::ptx);
    EXPECT_THAT(ptx.value().code, HasSubstr(".target " + architecture + "\n"));
    EXPECT_EQ(ptx.value().code.find('\0'), std::string::npos);
    EXPECT_EQ(find_symbol(*ptx, "f", {}, {"_Z1fPi", "_Z1fPi__wattune_add"}).value(), "_Z1fPi");
  }
}

TEST(Nvrtc, CompilesToPtxForTheArchitectureThatIsNamed) {
  SKIP_WITHOUT_NVRTC();
  expect_ptx(Compiler::standard);
}

TEST(Nvcc, CompilesToPtxForTheArchitectureThatIsNamed) { expect_ptx(Compiler::nvcc); }

TEST(Nvrtc, IncludesNeighboursOfTheFileAndFoldersSeenFromIt) {
  SKIP_WITHOUT_NVRTC();
  const auto folder = std::filesystem::path(::testing::TempDir()) / "wattune cuda include";
  std::filesystem::create_directories(folder / "sub");
  std::ofstream(folder / "neighbour.h") << "#define A 5\n";
  std::ofstream(folder / "sub" / "below.h") << "#define B 6\n";
  KernelSource source = cuda_source(
      "#include \"neighbour.h\"\n#include <below.h>\nextern \"C\" __global__ void f(int* x) { *x = A + B + EXTRA; }",
      "f");
  source.file = folder / "kernel.cu";
  source.options = {"-Isub", "-DEXTRA=2"};
  const auto joined = compile_for_hopper(source);
  EXPECT_TRUE(joined) << joined.error().to_string();
  source.options = {"-I", "sub", "-DEXTRA=2"};
  const auto apart = compile_for_hopper(source);
  EXPECT_TRUE(apart) << apart.error().to_string();
  source.options = {"-DEXTRA=2"};
  EXPECT_THAT(compile_for_hopper(source).error().message(), HasSubstr("below.h"));
  std::filesystem::remove_all(folder);
}

// Returns the include folders while CUDA_HOME names `toolkit`.
std::vector<std::string> include_folders_of(const std::filesystem::path& toolkit) {
  const char* const before = std::getenv("CUDA_HOME");
  const std::string kept = before != nullptr ? before : "";
  setenv("CUDA_HOME", toolkit.c_str(), 1);
  std::vector<std::string> folders = cuda::toolkit_include_folders();
  before != nullptr ? setenv("CUDA_HOME", kept.c_str(), 1) : unsetenv("CUDA_HOME");
  return folders;
}

// CUDA 13 keeps CUB in a folder below the other headers.
TEST(CudaToolkit, HasItsHeadersWhereNvccSeesThem) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "wattune cuda toolkit";
  std::filesystem::create_directories(folder / "13/include/cccl");
  std::filesystem::create_directories(folder / "12/include");
  for (const char* version : {"12", "13"}) std::ofstream(folder / version / "include/cuda_fp16.h") << "\n";
  const std::string include = (folder / "13/include").string();
  EXPECT_THAT(include_folders_of(folder / "13"), ElementsAre(include, include + "/cccl"));
  EXPECT_THAT(include_folders_of(folder / "12"), ElementsAre((folder / "12/include").string()));
  std::filesystem::remove_all(folder);
}

TEST(Nvrtc, LeavesTheArchitectureToTheUser) {
  SKIP_WITHOUT_NVRTC();
  KernelSource source = cuda_source("__global__ void f(int* x) { *x = __CUDA_ARCH__ / 10; }", "f");
  const auto image = cuda::compile({.architecture = "sm_90"}, source, {}, kLimit).value();
  EXPECT_EQ(cuda::kind_of(cuda_source(image.code, "f")), cuda::SourceKind::cubin);
  source.options = {"--gpu-architecture=compute_80"};
  const auto ptx = cuda::compile({.architecture = "sm_90"}, source, {}, kLimit).value();
  EXPECT_EQ(cuda::kind_of(cuda_source(ptx.code, "f")), cuda::SourceKind::ptx);
  EXPECT_THAT(ptx.code, HasSubstr(".target sm_80"));
}

// sm_999 stands for a device that is newer than this compiler.
TEST(Nvrtc, GivesPtxForADeviceThatItDoesNotKnow) {
  SKIP_WITHOUT_NVRTC();
  const KernelSource source = cuda_source("__global__ void f() {}", "f");
  const auto newer = cuda::compile({.architecture = "sm_999"}, source, {}, kLimit);
  ASSERT_TRUE(newer) << newer.error().to_string();
  EXPECT_EQ(cuda::kind_of(cuda_source(newer->code, "f")), cuda::SourceKind::ptx);
  const auto older = cuda::compile({.architecture = "sm_20"}, source, {}, kLimit);
  EXPECT_EQ(older.error().code(), ErrorCode::unavailable);
}

TEST(Nvcc, CompilesATemplateAndTellsWhatItTakes) {
  KernelSource source = cuda_source(kTemplate, "scale<BLOCK, float>");
  source.compiler = Compiler::nvcc;
  const auto report = compile_for_hopper(source, {{"BLOCK", "64"}});
  if (!report && report.error().code() == ErrorCode::unavailable) GTEST_SKIP() << report.error().to_string();
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->function, "scale<64, float>");
  EXPECT_EQ(report->compiler, "nvcc");
  source.other_functions = {"scale<128, double>"};
  const auto both = cuda::compile({.architecture = "sm_90"}, source, std::vector<Macro>{{"BLOCK", "64"}}, kLimit);
  EXPECT_THAT(both.value().code, HasSubstr("_Z5scaleILi64EfEvPT0_S0_"));
  EXPECT_THAT(both.value().code, HasSubstr("_Z5scaleILi128EdEvPT0_S0_"));
  EXPECT_EQ(report->resources.static_local_bytes, 64u * 4u);
  source.text = "\n__global__ void f() { nowhere(); }";
  source.function = "f";
  const auto wrong = compile_for_hopper(source);
  EXPECT_EQ(wrong.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(wrong.error().message(), HasSubstr("kernel.cu(2): error"));
}

TEST(Nvcc, IsEndedAtTheLimit) {
  KernelSource source = cuda_source(kTemplate, "scale<64, float>");
  source.compiler = Compiler::nvcc;
  const auto report = compile_cuda(source, {}, "sm_90", nanoseconds_from_ms(1));
  if (report.error().code() == ErrorCode::unavailable) GTEST_SKIP() << report.error().to_string();
  EXPECT_EQ(report.error().code(), ErrorCode::timeout);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left behind";
}

}  // namespace
}  // namespace wattune::backend
