#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::HasSubstr;

class ReferenceTest : public ::testing::Test {
 protected:
  ReferenceTest() { std::filesystem::create_directories(folder_); }
  ~ReferenceTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& contents) {
    std::ofstream(folder_ / name, std::ios::binary) << contents;
    return folder_ / name;
  }
  // Writes 3 * x as raw numbers; returns the file.
  std::filesystem::path right_answer(std::size_t elements) {
    std::vector<float> y(elements);
    for (std::size_t i = 0; i < elements; ++i) y[i] = 3.0f * static_cast<float>(i);
    return write("y.raw", std::string(reinterpret_cast<const char*>(y.data()), elements * sizeof(float)));
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("wattune-reference-test-{}", getpid());
};

void expect_verified(Problem& problem) {
  const auto started = problem.start();
  ASSERT_TRUE(started) << started.error().to_string();
  const Observation observation = problem.evaluate(8, 0).value();
  EXPECT_EQ(observation.status, Status::correct) << observation.message;
  EXPECT_TRUE(observation.verified);
}

ReferenceKernel plain_kernel() {
  ReferenceKernel reference;
  reference.source.function = "plain";
  reference.source.text = "kernel void plain()";
  reference.geometry.sizes[0] = at_line("n", 30);
  return reference;
}

TEST_F(ReferenceTest, AKernelSeesItsGeometryAndTheDefaultConfiguration) {
  Problem problem;
  problem.spec.reference = plain_kernel();
  problem.device.add_kernel("plain", 3, [](const fakes::FakeLaunch& launch) {
    EXPECT_EQ(launch.geometry(), (backend::Geometry3{{64, 1, 1}, {1, 1, 1}}));
    EXPECT_EQ(launch.macro("block"), 8.0);
    return scale(launch);
  });
  expect_verified(problem);
}

TEST_F(ReferenceTest, AKernelThatFailsIsAnError) {
  Problem problem;
  problem.spec.reference = plain_kernel();
  problem.device.add_kernel("plain", 3, [](const fakes::FakeLaunch& launch) {
    launch.write_out_of_bounds(0, 3);
    return scale(launch);
  });
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().to_string(), "reference kernel `plain`: wrote 3 bytes past the end of argument `y`");
}

TEST_F(ReferenceTest, AKernelThatPassesTheLimitNamesIt) {
  Problem problem;
  problem.spec.reference = plain_kernel();
  problem.spec.reference_seconds = 2.0;
  problem.device.add_kernel("plain", 3, [](const fakes::FakeLaunch&) -> Result<Nanoseconds> {
    return Error(ErrorCode::timeout, "the kernel ran longer than 2000 ms");
  });
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().to_string(),
            "reference kernel `plain`: took longer than its limit of 2 s (another reference limit, or `seconds` "
            "of [reference], changes that)");
}

TEST_F(ReferenceTest, AKernelThatDoesNotCompileSaysWhyInOneLine) {
  Problem problem;
  problem.spec.reference = plain_kernel();
  problem.device.on_build([](const KernelSource&, const fakes::Macros&) -> Result<fakes::FakeCompilation> {
    return Error(ErrorCode::compile_failed, "1 warning\nk.cl:3: error: no such thing\nmore");
  });
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().to_string(), "reference kernel `plain`: k.cl:3: error: no such thing");
}

TEST_F(ReferenceTest, WithoutAnOutputThereIsAHintInTheSpecsWords) {
  Problem problem;
  problem.spec.reference = plain_kernel();
  problem.device.add_kernel("plain", 3, scale);
  std::get<VectorArgument>(problem.spec.arguments[0].kind).comparison = OutputComparison::none;
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().to_string(), HasSubstr("(declare outputs with access write or readwrite; "));
}

TEST_F(ReferenceTest, AWorkerKilledFromOutsideIsTriedAgain) {
  Problem problem;
  problem.spec.reference = plain_kernel();
  int launches = 0;
  problem.device.add_kernel("plain", 3, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (++launches == 1) return fakes::crash("SIGKILL", 9);
    return scale(launch);
  });
  expect_verified(problem);
  EXPECT_EQ(problem.device.counters().resets, 1);
}

TEST_F(ReferenceTest, AKernelWithOtherArgumentsIsAnError) {
  Problem problem;
  problem.spec.reference = plain_kernel();
  problem.device.add_kernel("plain", 2, scale);
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(started.error().to_string(), HasSubstr("kernel `plain` takes 2 arguments, the spec lists 3"));
}

TEST_F(ReferenceTest, AFunctionSeesTheArguments) {
  Problem problem;
  problem.spec.reference = ReferenceFunction{write("reference.cc", R"(
    #include <cstddef>
    extern "C" void answer(void* const* arguments, const std::size_t* lengths) {
      float* y = static_cast<float*>(arguments[0]);
      const float* x = static_cast<const float*>(arguments[1]);
      for (std::size_t i = 0; i < lengths[0]; ++i) y[i] = *static_cast<const float*>(arguments[2]) * x[i];
    })"),
                                             "answer"};
  expect_verified(problem);
}

// The factor, and with it the right answer, differs in each mode. The function notes each of its calls.
TEST_F(ReferenceTest, AFunctionIsCalledForEachSetOfScalars) {
  Problem problem;
  std::get<ScalarArgument>(problem.spec.arguments[2].kind).value = at_line("3 + mode // 2", 12);
  problem.spec.reference = ReferenceFunction{write("reference.cc", fmt::format(R"(
    #include <cstddef>
    #include <cstdio>
    extern "C" void answer(void* const* arguments, const std::size_t* lengths) {{
      float* y = static_cast<float*>(arguments[0]);
      const float* x = static_cast<const float*>(arguments[1]);
      for (std::size_t i = 0; i < lengths[0]; ++i) y[i] = *static_cast<const float*>(arguments[2]) * x[i];
      std::FILE* calls = std::fopen("{}", "a");
      std::fputc('.', calls);
      std::fclose(calls);
    }})",
                                                                               (folder_ / "calls").string())),
                                             "answer"};
  const auto started = problem.start();
  ASSERT_TRUE(started) << started.error().to_string();
  for (const int mode : {0, 1, 2, 3, 0}) {
    const Observation observation = problem.evaluate(8, mode).value();
    EXPECT_EQ(observation.status, Status::correct) << observation.message;
    EXPECT_TRUE(observation.verified);
  }
  EXPECT_EQ(std::filesystem::file_size(folder_ / "calls"), 2U);  // factors 3 and 4
}

TEST_F(ReferenceTest, AFunctionThatDoesNotCompileIsAnError) {
  Problem problem;
  problem.spec.reference = ReferenceFunction{write("reference.cc", "no"), "answer"};
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::compile_failed);
}

TEST_F(ReferenceTest, DataFilesHoldTheAnswer) {
  Problem problem;
  problem.spec.reference = ReferenceData{{{"y", right_answer(64)}}};
  expect_verified(problem);
}

SharedBytes bytes_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::byte> bytes(std::filesystem::file_size(file));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

TEST_F(ReferenceTest, ArraysInMemoryHoldTheAnswer) {
  Problem problem;
  problem.spec.reference = ReferenceData{{}, {{"y", bytes_of_file(right_answer(64))}}};
  expect_verified(problem);
  Problem other;
  other.spec.reference = ReferenceData{{}, {{"y", bytes_of_file(right_answer(60))}}};
  EXPECT_EQ(other.start().error().to_string(),
            "spec.toml:10:1: reference data of output `y`: size mismatch: 256 bytes are needed, 240 are given");
}

TEST_F(ReferenceTest, AJudgeSeesTheOutputsOfEachConfiguration) {
  Problem problem;
  EvaluatorOptions options;
  std::vector<std::size_t> seen;
  options.judge = {
      "three bytes",
      [&](const Configuration& configuration, std::span<const std::vector<std::byte>> outputs) -> Result<void> {
        for (const std::vector<std::byte>& output : outputs) seen.push_back(output.size());
        if (configuration.find("mode")->to_string() == "0") return {};
        return Error(ErrorCode::mismatch, "the sum is odd");
      }};
  ASSERT_TRUE(problem.start(options));
  const Observation good = problem.evaluate(8, 0).value();
  EXPECT_EQ(good.status, Status::correct) << good.message;
  EXPECT_TRUE(good.verified);
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(std::vector<std::size_t>(seen.begin(), seen.begin() + 3), (std::vector<std::size_t>{256, 0, 0}));
  const Observation bad = problem.evaluate(8, 1).value();
  EXPECT_EQ(bad.status, Status::correctness);
  EXPECT_THAT(bad.message, HasSubstr("the sum is odd"));
}

// The last element depends on the work-group, so that configurations leave different outputs.
TEST_F(ReferenceTest, AJudgeAloneDecidesWhereThereIsNoReference) {
  const auto by_block = [](const fakes::FakeLaunch& launch) {
    const auto time = scale(launch);
    launch.elements<float>(0)[63] = static_cast<float>(launch.geometry().group_size[0]);
    return time;
  };
  Problem compared(scale_spec(), by_block);
  ASSERT_TRUE(compared.start());
  EXPECT_EQ(compared.evaluate(16, 0)->status, Status::correctness);
  Problem judged(scale_spec(), by_block);
  EvaluatorOptions options;
  options.judge = {"all are right", [](const Configuration&, auto) -> Result<void> { return {}; }};
  ASSERT_TRUE(judged.start(options));
  const Observation other = judged.evaluate(16, 0).value();
  EXPECT_EQ(other.status, Status::correct) << other.message;
  EXPECT_TRUE(other.verified);
}

TEST_F(ReferenceTest, DataOfAnotherSizeIsAnError) {
  Problem problem;
  problem.spec.reference = ReferenceData{{{"y", right_answer(60)}}};
  const auto started = problem.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::mismatch);
  EXPECT_EQ(started.error().to_string(),
            "spec.toml:10:1: reference data of output `y`: size mismatch: 64 elements are needed, y.raw holds 60");
}

TEST_F(ReferenceTest, DataForSomethingElseIsAnError) {
  Problem input;
  input.spec.reference = ReferenceData{{{"x", right_answer(64)}}};
  EXPECT_EQ(input.start().error().code(), ErrorCode::invalid_argument);
  Problem unknown;
  unknown.spec.reference = ReferenceData{{{"z", right_answer(64)}}};
  EXPECT_EQ(unknown.start().error().to_string(), "the reference names an unknown output: `z` (did you mean `y`?)");
}

TEST_F(ReferenceTest, WithoutAnyOutputIsAnError) {
  Problem problem;
  problem.spec.arguments[0] = vector_argument("y", ArgumentAccess::read_only);
  problem.spec.reference = plain_kernel();
  problem.device.add_kernel("plain", 3, scale);
  EXPECT_EQ(problem.start().error().code(), ErrorCode::invalid_argument);
}

// Scratch memory whose size is a parameter has no single right contents.
TEST_F(ReferenceTest, OutputsOfVaryingLengthAreNotCompared) {
  Problem problem;
  problem.spec.arguments.push_back(vector_argument("scratch", ArgumentAccess::write_only));
  std::get<VectorArgument>(problem.spec.arguments[3].kind).length = at_line("block", 13);
  problem.spec.reference = plain_kernel();
  for (const char* name : {"plain", "scale"}) problem.device.add_kernel(name, 4, scale);
  expect_verified(problem);
  EXPECT_EQ(problem.evaluate(64, 0)->status, Status::correct);
}

}  // namespace
}  // namespace wattune::tune
