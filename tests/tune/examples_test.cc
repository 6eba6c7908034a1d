// The specs under examples/specs, and samples inserted by a benchmark, on whatever OpenCL device this machine has: each
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
    if (!std::filesystem::exists(folder / "examples")) GTEST_SKIP() << "the examples did not come along";
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

// Each of the kernel's ways of working is taken, with blocks of columns that end within the grid and beyond it.
TEST_F(ExampleSpecs, SamplesAreInsertedAllAtOnceAndOneByOne) {
  const auto expect = [&](int block, int tile, int z, int shared_table, int shared_image, int table, int atomics) {
    expect_verified("benchmarks/fourier_reconstruction/fourier_reconstruction",
                    {{"BLOCK_DIM", block},
                     {"TILE", tile},
                     {"GRID_DIM_Z", z},
                     {"SHARED_BLOB_TABLE", shared_table},
                     {"SHARED_IMG", shared_image},
                     {"PRECOMPUTE_BLOB_VAL", table},
                     {"USE_ATOMICS", atomics}},
                    {{"size", 20}, {"samples", 5}});
  };
  expect(16, 1, 4, 0, 0, 0, 1);
  expect(8, 4, 1, 1, 0, 1, 0);
  expect(28, 1, 16, 0, 1, 1, 1);
  expect(12, 1, 1, 0, 1, 0, 0);
}

}  // namespace
}  // namespace wattune::tune
