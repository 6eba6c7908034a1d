// The counted use of kernels of benchmarks/ whose instructions and bytes are known.
#include <gtest/gtest.h>

#include "benchmarks/interpreted_device.h"
#include "source_dir.h"
#include "wattune/measure/policy.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"
#include "wattune/tune/evaluator.h"

namespace wattune::benchmarks_test {
namespace {

using simulate::Pipe;

class CountedUse : public testing::Test {
 protected:
  void SetUp() override {
    if (!compiles_cuda()) GTEST_SKIP() << "NVRTC is not installed here";
  }

  // Returns the counts of the whole grid, in the default configuration with these values.
  static simulate::PtxCosts costs_of(const std::string& name, const std::vector<NamedSize>& sizes,
                                     std::vector<std::pair<std::string, Value>> values) {
    const auto file = std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks" / name / (name + ".toml");
    KernelSpec spec = spec::load(file, spec::SourcePolicy::required, sizes).value();
    EXPECT_TRUE(use_language(spec, {Language::cuda}));
    InterpretedDevice interpreted(spec);
    const auto space = space::SearchSpace::build(spec.parameters, spec.constraints).value();
    const Configuration standard = space.configuration(space.default_configuration());
    for (const std::string& parameter : standard.names())
      if (std::ranges::find(values, parameter, [](const auto& value) { return value.first; }) == values.end())
        values.emplace_back(parameter, *standard.find(parameter));
    measure::SamplingOptions options;
    options.warm_up = Nanoseconds(0);
    options.min_samples = options.max_samples = 2;
    const auto policy = measure::make_repeated_runs(options);
    const auto evaluator = tune::make_evaluator(spec, space, interpreted.device, *policy).value();
    const Observation seen = evaluator->evaluate(space.configuration(space.find(values).value())).value();
    EXPECT_EQ(seen.status, Status::correct) << seen.message;
    return interpreted.costs;
  }
  static std::uint64_t of(const simulate::PtxCosts& costs, Pipe pipe) {
    return costs.pipes[static_cast<std::size_t>(pipe)];
  }
};

// 16 blocks of 64 threads are 32 warps. Each executes 101 fused multiply-adds, whether its threads have an element or
// not, and nothing else is floating point. The kernel moves 1,000 floats, which are 125 sectors, each way.
TEST_F(CountedUse, OfFmaIsItsSteps) {
  const auto costs = costs_of("fma", {{"n", 1'000}, {"steps", 101}}, {{"BLOCK_SIZE", 64}, {"ITEMS", 1}, {"UNROLL", 1}});
  EXPECT_EQ(of(costs, Pipe::fp32), 32 * 101);
  EXPECT_EQ(of(costs, Pipe::special), 0U);
  EXPECT_EQ(costs.sectors_read, 125U);
  EXPECT_EQ(costs.sectors_written, 125U);
  EXPECT_EQ(costs.barriers, 0U);
  EXPECT_GT(costs.issued, of(costs, Pipe::fp32) + of(costs, Pipe::integer) + of(costs, Pipe::memory));
}

// A copy moves n floats each way, however they are read: 2 n * 4 bytes are 2,502 sectors.
TEST_F(CountedUse, OfACopyIsItsBytes) {
  for (const int width : {1, 2, 4}) {
    const auto costs = costs_of("copy", {{"n", 10'008}}, {{"VECTOR", width}});
    EXPECT_EQ(costs.sectors_read * simulate::kSectorBytes, 10'008U * 4) << width;
    EXPECT_EQ(costs.sectors_written * simulate::kSectorBytes, 10'008U * 4) << width;
    EXPECT_EQ(of(costs, Pipe::fp32), 0U);
  }
}

// Three arrays of 128 sectors are read, and two written. Each of 32 warps computes a root, four quotients and three
// exponentials, for which the special pipe executes one instruction each. The intrinsic logarithm is one more; the
// library's is a polynomial.
TEST_F(CountedUse, OfBlackScholesHasSpecialFunctions) {
  const auto plain = costs_of("black_scholes", {{"n", 1'024}}, {{"VECTOR", 1}, {"INTRINSICS", 0}});
  const auto intrinsic = costs_of("black_scholes", {{"n", 1'024}}, {{"VECTOR", 1}, {"INTRINSICS", 1}});
  EXPECT_EQ(plain.sectors_read, 3U * 128);
  EXPECT_EQ(plain.sectors_written, 2U * 128);
  EXPECT_EQ(of(plain, Pipe::special), 32U * 8);
  EXPECT_EQ(of(intrinsic, Pipe::special), 32U * 9);
  EXPECT_LT(of(intrinsic, Pipe::fp32), of(plain, Pipe::fp32));
}

}  // namespace
}  // namespace wattune::benchmarks_test
