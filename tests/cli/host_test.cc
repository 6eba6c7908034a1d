// Functions in C++ and C as kernels, tuned by the program, with the system's compilers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"
#include "source_dir.h"

namespace wattune::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Host : public testing::Test {
 protected:
  // Writes a spec for y = FACTOR * x in `scale.c`, or for another text, with lines for [kernel] and behind [problem].
  void write_spec(const std::string& text =
                      "void scale(float* y, const float* x, int n) {\n"
                      "  for (int i = 0; i < n; ++i) y[i] = FACTOR * x[i];\n}\n",
                  const std::string& in_kernel = "", const std::string& more = "") {
    folder_.write("scale.c", text);
    folder_.write("scale.toml",
                  fmt::format("[kernel]\nfile = \"scale.c\"\nfunction = \"scale\"\n{}"
                              "arguments = [\n"
                              "  {{ name = \"y\", type = \"float*\", length = \"n\", access = \"write\" }},\n"
                              "  {{ name = \"x\", type = \"float*\", length = \"n\" }},\n"
                              "  {{ name = \"n\", type = \"int\", value = \"n\" }},\n"
                              "]\n[problem]\nn = 1000\n{}[parameters]\nFACTOR = [2, 3]\n",
                              in_kernel, more));
  }

  Finished tune(const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"tune", "scale.toml"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_wattune(folder_, quick(arguments));
  }

  TempFolder folder_;
};

TEST_F(Host, AnOpenMpKernelIsTunedShownAndExported) {
  const std::string spec = std::string(WATTUNE_SOURCE_DIR) + "/benchmarks/gemm_host/gemm_host.toml";
  const Finished tuned =
      run_wattune(folder_, quick({"tune", spec, "--problem-size", "size=128", "--evaluations", "6", "--strategy",
                                  "random", "--seed", "3", "--output", "gemm.jsonl", "--json"}));
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  const auto json = tuned.json();
  EXPECT_EQ(json["by_status"]["correct"], 6);
  EXPECT_TRUE(json["best"]["verified"].get<bool>());
  EXPECT_GT(json["best"]["time_ms"], 0.0);
  EXPECT_THAT(folder_.read("gemm.jsonl"),
              AllOf(HasSubstr(R"("kernel_language":"C++")"), HasSubstr(R"("backend":"host")")));
  EXPECT_EQ(run_wattune(folder_, {"show", "gemm.jsonl"}).status, 0);
  EXPECT_EQ(run_wattune(folder_, {"export", "gemm.jsonl", "--format", "t4", "--output", "gemm.json"}).status, 0);
  ASSERT_EQ(run_wattune(folder_, {"export", "gemm.jsonl", "--format", "header", "--output", "tuned.h"}).status, 0);
  const std::string compile =
      fmt::format("c++ -fopenmp -include tuned.h -c {}/benchmarks/gemm_host/gemm.cc", WATTUNE_SOURCE_DIR);
  EXPECT_EQ(run_shell(folder_, compile).status, 0);
}

TEST_F(Host, AutoMeansTheHostForCAndNothingElse) {
  write_spec();
  EXPECT_EQ(tune().status, 0);
  EXPECT_THAT(folder_.read("scale.journal.jsonl"), HasSubstr(R"("selector":"host:0")"));
  const Finished refused = tune({"--overwrite", "--device", "opencl"});
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, Not(HasSubstr("worker")));
}

TEST_F(Host, SeveralFunctionsOfAFileRunOneAfterAnother) {
  write_spec(
      "void scale(float* y, const float* x, int n) { for (int i = 0; i < n; ++i) y[i] = FACTOR * x[i]; }\n"
      "void add(float* y, int n) { for (int i = 0; i < n; ++i) y[i] += 1; }\n"
      "void right(float* y, const float* x, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 2; }\n",
      "",
      "[[launch]]\n[[launch]]\nfunction = \"add\"\narguments = [\"y\", \"n\"]\nrepeat = 2\n"
      "[reference]\nfile = \"scale.c\"\nfunction = \"right\"\n");
  const auto json = tune({"--json"}).json();
  EXPECT_EQ(json["by_status"]["correct"], 1);  // FACTOR = 2; the reference has no parameters
  EXPECT_EQ(json["by_status"]["correctness"], 1);
}

TEST_F(Host, WhatAFunctionDoesNotTakeEndsTheRunBeforeAnythingIsMeasured) {
  write_spec("void scale(double* y, const float* x, int n) {}\n");
  const Finished wrong_type = tune();
  EXPECT_EQ(wrong_type.status, 2);
  EXPECT_THAT(wrong_type.err, AllOf(HasSubstr("scale.toml"),
                                    HasSubstr("`scale` cannot be called as the spec says: "
                                              "argument `y`"),
                                    HasSubstr("double")));
  write_spec("void scael(float* y, const float* x, int n) {}\n");
  const Finished missing = tune({"--overwrite"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("`scale` cannot be called"), HasSubstr("scael")));
}

TEST_F(Host, CompileErrorsNameTheFile) {
  write_spec("\nint scale(float* y, const float* x, int n) { return wrong; }\n");
  const Finished finished = tune({"--json"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(finished.json()["by_status"]["compile"], 2);
  EXPECT_THAT(folder_.read("scale.journal.jsonl"), HasSubstr("scale.c:2:"));
}

TEST_F(Host, AFunctionHasNeitherAGridNorLocalMemory) {
  write_spec();
  const std::string good = folder_.read("scale.toml");
  folder_.write("scale.toml", good + "[launch]\nglobal = \"n\"\n");
  const Finished grid = tune();
  EXPECT_EQ(grid.status, 2);
  EXPECT_EQ(
      grid.err,
      "wattune: error: scale.toml:14:11: `global` of [launch] is for kernels of devices, not for functions in C++ or "
      "C: `n` (a function takes sizes as arguments, and parameters as macros)\n");
  std::string local = good;
  local.replace(local.find("\"int\""), 5, "\"local int\"");
  local.replace(local.find("value"), 5, "length");
  folder_.write("scale.toml", local);
  const Finished refused = tune();
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(
      refused.err,
      "wattune: error: scale.toml:7:13: local memory as an argument of a function in C: `n` (declare an array in the "
      "function, or give it a buffer)\n");
}

TEST_F(Host, WithoutACompilerTheReasonIsSaid) {
  write_spec();
  const std::string without = "CXX=/no/such CC=/no/such " + program_path().string();
  const Finished refused = run_shell(folder_, without + " tune scale.toml");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("host: the compiler that CC names was not found: `/no/such`"));
  EXPECT_THAT(run_shell(folder_, without + " devices").out,
              HasSubstr("host: not available: the compiler that CC names was not found"));
}

}  // namespace
}  // namespace wattune::cli_test
