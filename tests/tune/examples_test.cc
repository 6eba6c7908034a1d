// The specs under examples/specs, on whatever OpenCL device this machine has: time steps, a wavefront and images, each
// right by its reference.
#include <gtest/gtest.h>

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
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the examples did not come along";
    const backend::Discovery discovery = backend::discover();
    for (const DeviceInfo& info : discovery.devices)
      if (info.backend == "opencl" && !device) device = backend::open_device(info.selector).value();
    if (!device) GTEST_SKIP() << "no OpenCL device on this machine";
  }

  // What the configuration showed whose values these are, the defaults but for them.
  Result<Observation> run(const std::string& name, const std::vector<std::pair<std::string, Value>>& values,
                          const std::vector<NamedSize>& sizes) {
    WATTUNE_ASSIGN(const KernelSpec spec, spec::load(folder / (name + ".toml"), spec::SourcePolicy::required, sizes));
    WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
    const auto policy = quick_policy();
    WATTUNE_ASSIGN(const auto evaluator, make_evaluator(spec, space, *device, *policy));
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

  const std::filesystem::path folder = std::filesystem::path(WATTUNE_SOURCE_DIR) / "examples/specs";
  std::unique_ptr<backend::Device> device;
};

// One block of scores in all, and many.
TEST_F(ExampleSpecs, AWavefrontIsRightWhateverItsBlocks) {
  expect_verified("wavefront", {{"tile", 64}, {"padding", 0}}, {{"length", 64}});
  expect_verified("wavefront", {{"tile", 8}, {"padding", 1}}, {{"length", 128}});
}

TEST_F(ExampleSpecs, TimeStepsAreRightWhetherTheyAreEvenOrOdd) {
  const std::vector<std::pair<std::string, Value>> values{
      {"block_size_x", 32}, {"block_size_y", 2}, {"rows_per_item", 2}};
  for (const int steps : {1, 4, 7}) expect_verified("heat", values, {{"width", 70}, {"height", 50}, {"steps", steps}});
}

TEST_F(ExampleSpecs, AnImageThatASamplerReadsIsBlurred) {
  expect_verified("blur", {{"block_size_x", 16}, {"block_size_y", 2}, {"rows_per_item", 2}},
                  {{"width", 70}, {"height", 50}});
}

}  // namespace
}  // namespace wattune::tune
