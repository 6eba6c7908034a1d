// The specs under examples/specs, and small problems of two benchmarks, on the first OpenCL device of this machine:
// each is right by its reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "source_dir.h"
#include "tune/problem.h"
#include "wattune/backend/registry.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::tune {
namespace {

using Values = std::vector<std::pair<std::string, Value>>;

class ExampleSpecs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder / "examples")) GTEST_SKIP() << "the examples did not come along";
    const backend::Discovery discovery = backend::discover();
    for (const DeviceInfo& info : discovery.devices)
      if (info.backend == "opencl" && !device) device = backend::open_device(info.selector).value();
    if (!device) GTEST_SKIP() << "no OpenCL device on this machine";
  }

  // Returns the observations of configurations with these values, the defaults for all others. The reference is
  // computed once for all of them.
  Result<std::vector<Observation>> run(const std::string& name, const std::vector<Values>& configurations,
                                       const std::vector<NamedSize>& sizes) {
    WATTUNE_ASSIGN(const KernelSpec spec, spec::load(folder / (name + ".toml"), spec::SourcePolicy::required, sizes));
    WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
    const auto policy = quick_policy();
    WATTUNE_ASSIGN(const auto evaluator, make_evaluator(spec, space, *device, *policy));
    const Configuration standard = space.configuration(space.default_configuration());
    std::vector<Observation> observations;
    for (Values values : configurations) {
      for (const std::string& parameter : standard.names())
        if (std::ranges::find(values, parameter, &Values::value_type::first) == values.end())
          values.emplace_back(parameter, *standard.find(parameter));
      WATTUNE_ASSIGN(const ConfigurationId id, space.find(values));
      WATTUNE_ASSIGN(observations.emplace_back(), evaluator->evaluate(space.configuration(id)));
    }
    return observations;
  }

  void expect_all_verified(const std::string& name, const std::vector<Values>& configurations,
                           const std::vector<NamedSize>& sizes) {
    const auto observations = run(name, configurations, sizes);
    ASSERT_TRUE(observations) << observations.error().to_string();
    for (const Observation& observation : *observations) {
      EXPECT_EQ(observation.status, Status::correct) << observation.message;
      EXPECT_TRUE(observation.verified);
    }
  }

  void expect_verified(const std::string& name, const Values& values, const std::vector<NamedSize>& sizes) {
    expect_all_verified(name, {values}, sizes);
  }

  const std::filesystem::path folder = std::filesystem::path(WATTUNE_SOURCE_DIR);
  std::unique_ptr<backend::Device> device;
};

// The first configuration has one block of scores in all, the others have many.
TEST_F(ExampleSpecs, AWavefrontIsRightWhateverItsBlocks) {
  expect_verified("examples/specs/wavefront", {{"tile", 64}, {"padding", 0}}, {{"length", 64}});
  expect_verified("examples/specs/wavefront", {{"tile", 8}, {"padding", 1}}, {{"length", 128}});
}

TEST_F(ExampleSpecs, TimeStepsAreRightWhetherTheyAreEvenOrOdd) {
  const Values values{{"block_size_x", 32}, {"block_size_y", 2}, {"rows_per_item", 2}};
  for (const int steps : {1, 4, 7})
    expect_verified("examples/specs/heat", values, {{"width", 70}, {"height", 50}, {"steps", steps}});
}

TEST_F(ExampleSpecs, AnImageThatASamplerReadsIsBlurred) {
  expect_verified("examples/specs/blur", {{"block_size_x", 16}, {"block_size_y", 2}, {"rows_per_item", 2}},
                  {{"width", 70}, {"height", 50}});
}

// With 16 products in a work-group the last group of 37 has 5. Sizes of 4 are copied in vectors, odd ones by elements.
TEST_F(ExampleSpecs, SmallProductsAreRightWhateverTheirSizesAndHoweverTheyAreCached) {
  const auto expect = [&](Values values, const std::vector<NamedSize>& sizes) {
    expect_verified("benchmarks/gemm_batched/gemm_batched", values, sizes);
  };
  const std::vector<NamedSize> odd{{"batch", 37}, {"size_a", 7}, {"size_b", 5}, {"size_c", 3}};
  const std::vector<NamedSize> even{{"batch", 37}, {"size_a", 4}, {"size_b", 4}, {"size_c", 4}};
  expect({{"CACHING_STRATEGY", 1}, {"PADD_AA", 1}, {"PADD_AB", 1}, {"PADD_C", 3}, {"DIRECT_WRITE", 0}}, odd);
  expect({{"CACHING_STRATEGY", 2}, {"UNROLL_K", 1}}, odd);
  expect({{"CACHING_STRATEGY", 2}, {"GROUP_SIZE_Y", 2}, {"PADD_AB", 1}, {"DIRECT_WRITE", 0}}, odd);
  expect({{"CACHING_STRATEGY", 1}, {"DIRECT_WRITE", 0}}, even);
}

// Each of the kernel's ways of working is taken, with blocks of columns that end within the grid and beyond it.
TEST_F(ExampleSpecs, SamplesAreInsertedAllAtOnceAndOneByOne) {
  const auto values = [](int block, int tile, int z, int shared_table, int shared_image, int table, int atomics) {
    return Values{{"BLOCK_DIM", block},
                  {"TILE", tile},
                  {"GRID_DIM_Z", z},
                  {"SHARED_BLOB_TABLE", shared_table},
                  {"SHARED_IMG", shared_image},
                  {"PRECOMPUTE_BLOB_VAL", table},
                  {"USE_ATOMICS", atomics}};
  };
  expect_all_verified("benchmarks/fourier_reconstruction/fourier_reconstruction",
                      {values(16, 1, 4, 0, 0, 0, 1), values(8, 4, 1, 1, 0, 1, 0), values(28, 1, 16, 0, 1, 1, 1),
                       values(12, 1, 1, 0, 1, 0, 0)},
                      {{"size", 20}, {"samples", 5}});
}

}  // namespace
}  // namespace wattune::tune
