// The specs under examples/specs, and small products from benchmarks, on whatever OpenCL device this machine has: each
// right by its reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "source_dir.h"
#include "tune/problem.h"
#include "wattune/backend/registry.h"
#include "wattune/spec/spec.h"

namespace wattune::tune {
namespace {

class ExampleSpecs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder / "examples")) GTEST_SKIP() << "the examples did not come along";
    const backend::Discovery discovery = backend::discover();
    for (const DeviceInfo& info : discovery.devices)
      if (info.backend == "opencl" && !device) device = backend::open_device(info.selector).value();
    if (!device) GTEST_SKIP() << "no OpenCL device on this machine";
  }

  // What the configuration showed whose values these are, the defaults but for them.
  Result<Observation> run(const std::string& name, std::vector<std::pair<std::string, Value>> values,
                          const std::vector<NamedSize>& sizes) {
    WATTUNE_ASSIGN(const KernelSpec spec, spec::load(folder / (name + ".toml"), spec::SourcePolicy::required, sizes));
    WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
    const auto policy = quick_policy();
    WATTUNE_ASSIGN(const auto evaluator, make_evaluator(spec, space, *device, *policy));
    const Configuration standard = space.configuration(space.default_configuration());
    for (const std::string& parameter : standard.names())
      if (std::ranges::find(values, parameter, &std::pair<std::string, Value>::first) == values.end())
        values.emplace_back(parameter, *standard.find(parameter));
    WATTUNE_ASSIGN(const ConfigurationId id, space.find(values));
    return evaluator->evaluate(space.configuration(id));
  }

  void expect_verified(const std::string& name, const std::vector<std::pair<std::string, Value>>& values,
                       const std::vector<NamedSize>& sizes) {
    const Result<Observation> observation = run(name, values, sizes);
    ASSERT_TRUE(observation) << observation.error().to_string();
    EXPECT_EQ(observation->status, Status::correct) << observation->message;
    EXPECT_TRUE(observation->verified);
  }

  const std::filesystem::path folder = std::filesystem::path(WATTUNE_SOURCE_DIR);
  std::unique_ptr<backend::Device> device;
};

// One block of scores in all, and many.
TEST_F(ExampleSpecs, AWavefrontIsRightWhateverItsBlocks) {
  expect_verified("examples/specs/wavefront", {{"tile", 64}, {"padding", 0}}, {{"length", 64}});
  expect_verified("examples/specs/wavefront", {{"tile", 8}, {"padding", 1}}, {{"length", 128}});
}

TEST_F(ExampleSpecs, TimeStepsAreRightWhetherTheyAreEvenOrOdd) {
  const std::vector<std::pair<std::string, Value>> values{
      {"block_size_x", 32}, {"block_size_y", 2}, {"rows_per_item", 2}};
  for (const int steps : {1, 4, 7})
    expect_verified("examples/specs/heat", values, {{"width", 70}, {"height", 50}, {"steps", steps}});
}

TEST_F(ExampleSpecs, AnImageThatASamplerReadsIsBlurred) {
  expect_verified("examples/specs/blur", {{"block_size_x", 16}, {"block_size_y", 2}, {"rows_per_item", 2}},
                  {{"width", 70}, {"height", 50}});
}

// With 16 products in a work-group the last of 37 has 5. Sizes of 4 are copied in vectors, odd ones by elements.
TEST_F(ExampleSpecs, SmallProductsAreRightWhateverTheirSizesAndHoweverTheyAreCached) {
  const auto expect = [&](std::vector<std::pair<std::string, Value>> values, const std::vector<NamedSize>& sizes) {
    expect_verified("benchmarks/gemm_batched/gemm_batched", values, sizes);
  };
  const std::vector<NamedSize> odd{{"batch", 37}, {"size_a", 7}, {"size_b", 5}, {"size_c", 3}};
  const std::vector<NamedSize> even{{"batch", 37}, {"size_a", 4}, {"size_b", 4}, {"size_c", 4}};
  expect({{"CACHING_STRATEGY", 1}, {"PADD_AA", 1}, {"PADD_AB", 1}, {"PADD_C", 3}, {"DIRECT_WRITE", 0}}, odd);
  expect({{"CACHING_STRATEGY", 2}, {"UNROLL_K", 1}}, odd);
  expect({{"CACHING_STRATEGY", 2}, {"GROUP_SIZE_Y", 2}, {"PADD_AB", 1}, {"DIRECT_WRITE", 0}}, odd);
  expect({{"CACHING_STRATEGY", 1}, {"DIRECT_WRITE", 0}}, even);
}

}  // namespace
}  // namespace wattune::tune
