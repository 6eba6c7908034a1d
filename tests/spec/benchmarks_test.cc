// The specs under benchmarks/: both forms of each load and describe the same space.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "source_dir.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace wattune::spec {
namespace {

struct Benchmark {
  const char* name;
  std::uint64_t valid;
};
void PrintTo(const Benchmark& benchmark, std::ostream* out) { *out << benchmark.name; }

class BenchmarkSpecs : public testing::TestWithParam<Benchmark> {
 protected:
  KernelSpec load_file(const std::string& file) const {
    const auto path = std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks" / GetParam().name / file;
    Result<KernelSpec> spec = load(path);
    EXPECT_TRUE(spec) << spec.error().to_string();
    return spec ? *std::move(spec) : KernelSpec();
  }
  KernelSpec toml() const { return load_file(std::string(GetParam().name) + ".toml"); }
  KernelSpec t1() const { return load_file("space.json"); }
};

TEST_P(BenchmarkSpecs, TheT1TwinHasTheSameSpace) {
  const KernelSpec a = toml();
  const KernelSpec b = t1();
  EXPECT_EQ(a.parameters, b.parameters);
  const auto space_a = space::SearchSpace::build(a.parameters, a.constraints);
  const auto space_b = space::SearchSpace::build(b.parameters, b.constraints);
  ASSERT_TRUE(space_a) << space_a.error().to_string();
  ASSERT_TRUE(space_b) << space_b.error().to_string();
  EXPECT_EQ(static_cast<std::uint64_t>(space_a->count()), GetParam().valid);
  EXPECT_EQ(space_a->content_hash(), space_b->content_hash());
}

TEST_P(BenchmarkSpecs, TheT1TwinLaunchesTheSameKernelAndChecksIt) {
  const KernelSpec a = toml();
  const KernelSpec b = t1();
  EXPECT_EQ(a.source.text, b.source.text);
  EXPECT_EQ(a.source.function, b.source.function);
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.arguments.size(), b.arguments.size());
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    EXPECT_EQ(a.arguments[i].name, b.arguments[i].name);
    EXPECT_EQ(a.arguments[i].kind.index(), b.arguments[i].kind.index());
  }
  EXPECT_TRUE(std::holds_alternative<ReferenceFunction>(a.reference));
  EXPECT_TRUE(std::holds_alternative<ReferenceFunction>(b.reference));
}

TEST_P(BenchmarkSpecs, TheDefaultsAreAValidConfiguration) {
  const KernelSpec spec = toml();
  const auto space = space::SearchSpace::build(spec.parameters, spec.constraints);
  ASSERT_TRUE(space) << space.error().to_string();
  const Configuration configuration = space->configuration(space->default_configuration());
  for (const Parameter& parameter : spec.parameters)
    EXPECT_EQ(*configuration.find(parameter.name), parameter.default_value.value_or(parameter.values[0]))
        << parameter.name;
}

// vector_add: 6 * 5 * (1 + 3 * 2); gemm_host: 4 * (4 * 4 - 1) * 4 * 2 * 7, as only tiles of 128 x 128 are too large;
// the others as published by CLTune, KTT and Kernel Tuner. fourier_reconstruction: 14 pairs of blocks and larger tiles,
// each with 3 ways to have the blob, and 6 blocks with tile 1, each with 3 + 2 ways as the image may be shared as well;
// all with 4 numbers of blocks with atomics and 1 without: (14 * 3 + 6 * 5) * 5.
INSTANTIATE_TEST_SUITE_P(All, BenchmarkSpecs,
                         testing::Values(Benchmark{"vector_add", 210}, Benchmark{"reduction", 175},
                                         Benchmark{"transpose", 5'916}, Benchmark{"convolution", 5'248},
                                         Benchmark{"gemm", 241'600}, Benchmark{"hotspot", 349'853},
                                         Benchmark{"nbody", 9'408}, Benchmark{"gemm_host", 3'360},
                                         Benchmark{"fourier_reconstruction", 360}),
                         [](const auto& benchmark) { return std::string(benchmark.param.name); });

// The constraints of Xmipp's kernel in C++, against those of the spec.
TEST(FourierReconstruction, HasTheConfigurationsThatBruteForceFinds) {
  const auto spec =
      load(std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks/fourier_reconstruction/fourier_reconstruction.toml");
  ASSERT_TRUE(spec) << spec.error().to_string();
  const auto space = space::SearchSpace::build(spec->parameters, spec->constraints);
  ASSERT_TRUE(space) << space.error().to_string();
  int valid = 0;
  for (const int block : {8, 12, 16, 20, 24, 28})
    for (const int tile : {1, 2, 4, 8})
      for (const int z : {1, 4, 8, 16})
        for (int flags = 0; flags < 16; ++flags) {
          const bool shared_table = flags & 1, shared_image = flags & 2, table = flags & 4, atomics = flags & 8;
          const bool expected = (tile == 1 || (block % tile == 0 && !shared_image)) && block > tile &&
                                (!shared_table || (!shared_image && table)) && (atomics || z == 1);
          const std::vector<std::pair<std::string, Value>> values{{"BLOCK_DIM", block},
                                                                  {"TILE", tile},
                                                                  {"GRID_DIM_Z", z},
                                                                  {"SHARED_BLOB_TABLE", int{shared_table}},
                                                                  {"SHARED_IMG", int{shared_image}},
                                                                  {"PRECOMPUTE_BLOB_VAL", int{table}},
                                                                  {"USE_ATOMICS", int{atomics}}};
          EXPECT_EQ(space->find(values).has_value(), expected) << block << ' ' << tile << ' ' << z << ' ' << flags;
          valid += expected;
        }
  EXPECT_EQ(valid, 360);
}

}  // namespace
}  // namespace wattune::spec
