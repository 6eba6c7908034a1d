// `wattune compile` on CUDA kernels, with the real NVRTC if there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/cuda_stand_ins.h"
#include "source_dir.h"

namespace wattune::cli_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

bool has_nvrtc() {
  const TempFolder folder;
  write_scale(folder);
  return run_wattune(folder, {"compile", "scale.toml"}).status == 0;
}

#define SKIP_WITHOUT_NVRTC() \
  if (!has_nvrtc()) GTEST_SKIP() << "NVRTC is not installed here"

TEST(Compile, ShowsWhatTheDefaultConfigurationTakes) {
  SKIP_WITHOUT_NVRTC();
  const TempFolder folder;
  write_scale(folder);
  folder.write("scale.cu",
               "#warning look here\n"
               "extern \"C\" __global__ void scale(float* x, float factor, int n) {\n"
               "  __shared__ float tile[block];\n  tile[threadIdx.x] = x[n];\n  __syncthreads();\n"
               "  x[threadIdx.x] = factor * tile[n];\n}\n");
  const Finished finished = run_wattune(folder, {"compile", "scale.toml"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("scale for sm_90"));
  EXPECT_THAT(finished.out, HasSubstr("512 B"));  // 128 floats
  EXPECT_THAT(finished.out, HasSubstr("look here"));
  const auto json = run_wattune(folder, {"compile", "scale.toml", "--json", "--configuration", "block=32"}).json();
  EXPECT_EQ(json["architecture"], "sm_90");
  const auto& one = json["configurations"][0];
  EXPECT_EQ(one["configuration"]["block"], 32);
  EXPECT_TRUE(one["compiled"].get<bool>());
  EXPECT_EQ(one["static_local_bytes"], 128);
  EXPECT_EQ(one["spill_bytes"], 0);
  EXPECT_EQ(one["symbol"], "scale");
  EXPECT_GT(one["registers"], 0);
  EXPECT_GT(one["binary_bytes"], 0);
  EXPECT_EQ(one["image"], "cubin");
  EXPECT_EQ(run_wattune(folder, {"compile", "scale.toml", "--json", "--sample", "3"}).json()["configurations"].size(),
            3u);
}

TEST(Compile, ShowsEveryFunctionThatIsLaunched) {
  SKIP_WITHOUT_NVRTC();
  const TempFolder folder;
  write_scale(folder);
  write_launches(
      folder,
      "[[launch]]\ngrid = 1\nblock = \"block\"\n"
      "[[launch]]\ngrid = 1\nblock = 1\nfunction = \"finish\"\nwhen = \"block > 32\"\narguments = [\"x\"]\n");
  folder.write("scale.cu",
               "extern \"C\" __global__ void scale(float* x, float factor, int n) {}\n"
               "extern \"C\" __global__ void finish(float* x) { x[0] = 1; }\n");
  const auto compiled = [&](const std::string& configuration) {
    const auto json = run_wattune(folder, {"compile", "scale.toml", "--json", "--configuration", configuration}).json();
    std::vector<std::string> functions;
    for (const auto& one : json["configurations"]) functions.push_back(one["function"].get<std::string>());
    return functions;
  };
  EXPECT_THAT(compiled("block=32"), testing::ElementsAre("scale"));
  EXPECT_THAT(compiled("block=64"), testing::ElementsAre("scale", "finish"));
}

// Compiles a spec with these arguments and this source.
Finished compiled_with(const std::string& source, const std::string& arguments) {
  const TempFolder folder;
  folder.write("k.cu", source);
  folder.write(
      "s.toml",
      "[kernel]\nfile = \"k.cu\"\nfunction = \"f\"\narguments = [" + arguments +
          "]\n[problem]\nn = 1024\n[launch]\ndivide = \"block\"\nlocal = \"block\"\n[parameters]\nblock = [64]\n");
  return run_wattune(folder, {"compile", "s.toml"});
}

constexpr char kY[] = "{ name = \"y\", type = \"float*\", length = \"n\", access = \"write\" }";

TEST(Compile, RefusesArgumentsThatDoNotFit) {
  SKIP_WITHOUT_NVRTC();
  const std::string y = kY;
  const std::string n = "{ name = \"n\", type = \"int\", value = 1 }";
  const std::string c = "{ name = \"c\", type = \"constant float*\", length = 32 }";
  const std::string pair =
      "{ name = \"p\", type = \"struct\", fields = [{ name = \"a\", type = \"int\", value = 1 }, "
      "{ name = \"b\", type = \"float\", value = 1 }] }";
  const std::tuple<const char*, std::string, const char*> wrong[] = {
      {"extern \"C\" __global__ void f(float* y) {}", y + ", " + n, "takes 1 arguments (float* y), the spec lists 2"},
      {"extern \"C\" __global__ void f(float* y, int n) {}", y,
       "takes 2 arguments (float* y, int n), the spec lists 1"},
      {"extern \"C\" __global__ void f(float** y) { y[0][0] = 1; }", y, "declared `float** y`, the spec says `float*`"},
      {"template <int N> __global__ void f(double* y) {}\ntemplate __global__ void f<1>(double*);", y,
       "declared `double*`, the spec says `float*`"},
      {"__global__ void f(float* y, double n) {}", y + ", " + n, "declared `double`, the spec says `int`"},
      {"struct alignas(16) P { int a; float b; };\nextern \"C\" __global__ void f(float* y, P p) { *y = p.b; }",
       y + ", " + pair, "declared `P p`, the spec says `struct of 8 bytes`"},
      {"__constant__ float c[16];\nextern \"C\" __global__ void f(float* y) { *y = c[3]; }", y + ", " + c,
       "constant symbol `c` has 64 bytes, the argument 128"},
      {"extern \"C\" __global__ void f(float* y) { *y = 1; }", y + ", " + c, "no constant symbol `c` in the program"},
      {"#ifndef G\n#define G\n#if block == 64\ntypedef float t;\n#else\ntypedef int t;\n#endif\n#endif\n"
       "extern \"C\" __global__ void f(float* y, t n) {}",
       y + ", " + n, "declared `t n`, the spec says `int`"}};
  for (const auto& [source, arguments, words] : wrong) {
    const Finished finished = compiled_with(source, arguments);
    EXPECT_EQ(finished.status, 2) << source;
    EXPECT_THAT(finished.err, HasSubstr(words));
  }
}

TEST(Compile, TakesArgumentsThatFitOrMayFit) {
  SKIP_WITHOUT_NVRTC();
  const std::string y = kY;
  const std::string n = "{ name = \"n\", type = \"int\", value = 1 }";
  for (const char* source :
       {"extern \"C\" __global__ void f(float* const __restrict__ y, const int n) {}",
        "extern \"C\" __global__ void f(float y[], unsigned int n) {}",
        "__global__ void f(float* y, unsigned n = 3) {}",
        "enum E { one };\nextern \"C\" __global__ void f(float* y, E n) {}",
        "enum E { one };\n__global__ void f(float* y, E n) {}", "using t = int;\n__global__ void f(float* y, t n) {}",
        "using t = int;\nextern \"C\" __global__ void f(float* y, t n) {}",
        "#define ARGS float* y, int n\nextern \"C\" __global__ void f(ARGS) {}",
        "template <class T> struct V { T x; };\n__global__ void f(float* y, V<int> n) {}",
        "struct S { int x; };\n__global__ void f(void* y, S n) {}",
        "#include <stdint.h>\nextern \"C\" __global__ void f(float* y, int32_t n) {}",
        "template <class T> __global__ void f(T* y, int n) {}\ntemplate __global__ void f<float>(float*, int);"}) {
    const Finished finished = compiled_with(source, y + ", " + n);
    EXPECT_EQ(finished.status, 0) << source << finished.err << finished.out;
  }
}

TEST(Compile, TakesTheArchitectureThatTheSpecNames) {
  SKIP_WITHOUT_NVRTC();
  const TempFolder folder;
  write_scale(folder);
  std::string spec = kScaleSpec;
  folder.write("scale.toml", spec.replace(spec.find("function"), 0, "options = [\"-arch=sm_80\"]\n"));
  EXPECT_THAT(run_wattune(folder, {"compile", "scale.toml"}).out, HasSubstr("scale for sm_80"));
  const Finished twice = run_wattune(folder, {"compile", "scale.toml", "--arch", "sm_90"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_EQ(twice.err,
            "wattune: error: scale.toml: the options of the kernel name an architecture, so --arch has no effect: "
            "`sm_80` (leave one of them out)\n");
}

TEST(Compile, SaysWhyNothingCompiles) {
  SKIP_WITHOUT_NVRTC();
  const TempFolder folder;
  write_scale(folder);
  folder.write("scale.cu", "\nextern \"C\" __global__ void scale() { nowhere(); }\n");
  const Finished finished = run_wattune(folder, {"compile", "scale.toml"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, HasSubstr("scale.cu(2): error: identifier \"nowhere\" is undefined"));
  folder.write("scale.cu", "#include <vector>\n");
  EXPECT_THAT(run_wattune(folder, {"compile", "scale.toml"}).out,
              HasSubstr("\n(if `vector` is a header of the host's compiler, compiler = \"nvcc\" finds it)\n"));
}

TEST(Compile, RefusesWhatCannotBe) {
  const TempFolder folder;
  write_scale(folder);
  const Finished arch = run_with_stand_ins(folder, "compile scale.toml --arch sm90");
  EXPECT_EQ(arch.status, 2);
  EXPECT_EQ(arch.err,
            "wattune: error: --arch: expected an architecture such as sm_90: `sm90` (did you mean `sm_90`?)\n");
  EXPECT_EQ(run_wattune(folder, {"compile", "scale.toml", "--configuration", "blok=32"}).err,
            "wattune: error: --configuration: no such parameter: `blok` (did you mean `block`?)\n");
  EXPECT_THAT(run_wattune(folder, {"compile", "scale.toml", "--configuration", "block=32", "--sample", "2"}).err,
              HasSubstr("exclude each other"));
  const std::string missing =
      "WATTUNE_LIBNVRTC=/nowhere/libnvrtc.so " + program_path().string() + " compile scale.toml";
  const Finished without = run_shell(folder, missing);
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.err, HasSubstr("NVRTC, CUDA's compiler, was not found"));
}

// The default and 20 random configurations of each kernel. In some of convolution's, a block declares more shared
// memory than any GPU has, which the assembler rejects. Nothing else may fail.
class CompileBenchmark : public testing::TestWithParam<const char*> {};

TEST_P(CompileBenchmark, CompilesForHopper) {
  SKIP_WITHOUT_NVRTC();
  const TempFolder folder;
  const std::string spec = std::string(WATTUNE_SOURCE_DIR) + "/benchmarks/" + GetParam() + "/" + GetParam() + ".toml";
  const auto standard = run_wattune(folder, {"compile", spec, "--json"}).json()["configurations"][0];
  EXPECT_TRUE(standard["compiled"].get<bool>()) << standard;
  EXPECT_EQ(standard["log"], "");
  int compiled = 0;
  const auto json = run_wattune(folder, {"compile", spec, "--json", "--sample", "20", "--seed", "7"}).json();
  ASSERT_EQ(json["configurations"].size(), 20u);
  for (const auto& one : json["configurations"]) {
    if (one["compiled"].get<bool>()) {
      ++compiled;
      EXPECT_EQ(one["log"], "") << one["configuration"];
    } else {
      EXPECT_THAT(one["log"].get<std::string>(), HasSubstr("uses too much shared data")) << one["configuration"];
    }
  }
  EXPECT_GE(compiled, std::string(GetParam()) == "convolution" ? 10 : 20);
}

INSTANTIATE_TEST_SUITE_P(All, CompileBenchmark,
                         testing::Values("vector_add", "reduction", "transpose", "convolution", "gemm", "gemm_batched",
                                         "hotspot", "nbody", "fourier_reconstruction", "pointer_chasing", "copy", "fma",
                                         "black_scholes", "tea", "mri_q", "spmv", "stencil", "sad"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace wattune::cli_test
