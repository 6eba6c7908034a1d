// CUDA C++ compiled by nvcc and run on the interpreter, compared with loops on the host.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>

#include "backend/interface/compile.h"
#include "simulate/ptx_harness.h"
#include "source_dir.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {
namespace {

// Returns the PTX of a source of this project; nullopt without nvcc.
std::optional<std::string> compiled_ptx(const std::string& source, const std::string& options = "") {
  const auto nvcc = backend::find_toolkit_program("nvcc");
  if (!nvcc) return std::nullopt;
  // Tests may run at the same time.
  const std::filesystem::path to =
      std::filesystem::path(testing::TempDir()) / fmt::format("wattune_kernels_{}.ptx", ::getpid());
  const std::string command = nvcc->string() + " -arch=sm_90 -ptx -o " + to.string() + " " + options + " " +
                              WATTUNE_SOURCE_DIR + "/" + source + " 2>/dev/null";
  if (std::system(command.c_str()) != 0) return std::nullopt;
  std::ostringstream text;
  text << std::ifstream(to).rdbuf();
  std::filesystem::remove(to);
  return text.str();
}

class CompiledPtx : public testing::Test {
 protected:
  void SetUp() override {
    static const std::optional<std::string> text = compiled_ptx("tests/simulate/ptx_kernels.cu");
    if (!text) GTEST_SKIP() << "no nvcc of CUDA's toolkit is here";
    program_.emplace(*text);
  }

  template <class T>
  std::vector<T> random_values(std::size_t count, double low, double high) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(low + (high - low) * random_.uniform());
    return values;
  }

  std::optional<PtxProgram> program_;
  Random random_{5};
};

TEST_F(CompiledPtx, AddsVectors) {
  const auto a = random_values<float>(1000, -1, 1);
  const auto b = random_values<float>(1000, -1, 1);
  const std::uint64_t to = program_->upload(std::vector<float>(1000));
  ASSERT_TRUE(program_->run("add", 4, 256, {}, program_->upload(a), program_->upload(b), to, 1000));
  const auto sums = program_->download<float>(to, 1000);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(sums[i], a[i] + b[i]);
}

TEST_F(CompiledPtx, ReducesWithShufflesAndSharedMemory) {
  const auto values = random_values<int>(5000, -1000, 1000);
  const std::uint64_t sum = program_->upload(std::vector<int>(1));
  ASSERT_TRUE(program_->run("reduce", 3, 160, {.resident_blocks = 2, .seed = 9}, program_->upload(values), sum, 5000));
  EXPECT_EQ(program_->download<int>(sum, 1).front(), std::accumulate(values.begin(), values.end(), 0));
}

TEST_F(CompiledPtx, TransposesThroughSharedMemory) {
  const auto from = random_values<float>(70 * 45, -1, 1);
  const std::uint64_t to = program_->upload(std::vector<float>(70 * 45));
  const backend::Geometry3 geometry{.groups = {5, 3, 1}, .group_size = {16, 16, 1}};
  ASSERT_TRUE(program_->run3("transpose", geometry, {}, program_->upload(from), to, 70, 45));
  const auto result = program_->download<float>(to, 70 * 45);
  for (std::size_t x = 0; x < 70; ++x)
    for (std::size_t y = 0; y < 45; ++y) EXPECT_EQ(result[x * 45 + y], from[y * 70 + x]);
}

TEST_F(CompiledPtx, CountsWithAtomics) {
  const auto values = random_values<std::uint8_t>(3000, 0, 255);
  const std::uint64_t counts = program_->upload(std::vector<unsigned>(256));
  const PtxRunOptions options{.dynamic_shared_bytes = 1024, .resident_blocks = 2, .seed = 1, .turn = 20};
  ASSERT_TRUE(program_->run("histogram", 4, 96, options, program_->upload(values), counts, 3000));
  std::vector<unsigned> expected(256);
  for (const std::uint8_t value : values) ++expected[value];
  EXPECT_EQ(program_->download<unsigned>(counts, 256), expected);
}

TEST_F(CompiledPtx, LoopsAsLongAsEachThreadNeeds) {
  const std::uint64_t to = program_->upload(std::vector<unsigned>(500));
  ASSERT_TRUE(program_->run("collatz", 4, 128, {}, to, 500));
  const auto steps = program_->download<unsigned>(to, 500);
  for (unsigned i = 0; i < 500; ++i) {
    unsigned count = 0;
    for (std::uint64_t value = i + 1; value != 1; ++count) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    EXPECT_EQ(steps[i], count);
  }
}

TEST_F(CompiledPtx, CallsFunctionsByNameByAddressAndAgain) {
  const std::uint64_t results = program_->upload(std::vector<unsigned>(64));
  const std::uint64_t chosen = program_->upload(std::vector<int>(64));
  ASSERT_TRUE(program_->run("call", 1, 64, {}, results, chosen));
  const auto found = program_->download<unsigned>(results, 64);
  const auto picked = program_->download<int>(chosen, 64);
  for (unsigned i = 0; i < 64; ++i) {
    // Ackermann's function of (0, n), (1, n) and (2, n) is n + 1, n + 2 and 2n + 3.
    const unsigned n = i % 5;
    EXPECT_EQ(found[i], i % 3 == 2 ? 2 * n + 3 : n + 1 + i % 3);
    EXPECT_EQ(picked[i], i % 2 == 0 ? static_cast<int>(i) - 3 : static_cast<int>(i) * 3);
  }
  EXPECT_EQ(program_->printed, "thread 33 has 99 and 16.500\n");
}

TEST_F(CompiledPtx, ComputesTheFunctionsOfLibdevice) {
  const auto x = random_values<float>(300, 0.1, 10);
  const std::uint64_t results = program_->upload(std::vector<float>(300));
  const std::uint64_t doubles = program_->upload(std::vector<double>(300));
  ASSERT_TRUE(program_->run("functions", 3, 128, {}, program_->upload(x), results, doubles, 300));
  const auto found = program_->download<float>(results, 300);
  const auto found_doubles = program_->download<double>(doubles, 300);
  for (std::size_t i = 0; i < 300; ++i) {
    const double value = x[i];
    const double large = x[i] * 1e5f;
    EXPECT_NEAR(found[i], std::log(value) * std::exp(-value) + std::sin(large) / std::sqrt(value), 1e-5);
    EXPECT_NEAR(found_doubles[i], std::pow(value, 1.5) + std::erf(value), 1e-12);
  }
}

TEST(CompiledBenchmark, GemmIsWhatItsReferenceComputes) {
  const auto text = compiled_ptx("benchmarks/gemm/gemm.cu",
                                 "-DMWG=32 -DNWG=32 -DKWG=16 -DMDIMC=8 -DNDIMC=8 -DMDIMA=8 -DNDIMB=8 -DKWI=2 -DVWM=2 "
                                 "-DVWN=2 -DSTRM=1 -DSTRN=0 -DSA=1 -DSB=1 -DPRECISION=32");
  if (!text) GTEST_SKIP() << "no nvcc of CUDA's toolkit is here";
  PtxProgram program(*text);
  constexpr int kM = 128;
  constexpr int kN = 64;
  constexpr int kK = 48;
  Random random(3);
  std::vector<float> a(kK * kM);
  std::vector<float> b(kK * kN);
  for (float& value : a) value = static_cast<float>(random.uniform() - 0.5);
  for (float& value : b) value = static_cast<float>(random.uniform() - 0.5);
  const std::uint64_t c = program.upload(std::vector<float>(kN * kM));
  const backend::Geometry3 geometry{.groups = {kM / 32, kN / 32, 1}, .group_size = {8, 8, 1}};
  const auto counts =
      program.run3("gemm", geometry, {.resident_blocks = 3}, kM, kN, kK, program.upload(a), program.upload(b), c);
  ASSERT_TRUE(counts) << counts.error().to_string();
  const auto result = program.download<float>(c, kN * kM);
  for (int n = 0; n < kN; ++n)
    for (int m = 0; m < kM; ++m) {
      double sum = 0;
      for (int k = 0; k < kK; ++k) sum += static_cast<double>(a[k * kM + m]) * b[k * kN + n];
      EXPECT_NEAR(result[n * kM + m], sum, 1e-5);
    }
}

}  // namespace
}  // namespace wattune::simulate
