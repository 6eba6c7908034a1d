// The specs under benchmarks/: both forms of each load and describe the same space.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "source_dir.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {
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
// pointer_chasing: 6 * 3 * (5 * 5 - 3), as three products of CHAINS and UNROLL pass 64; fma: 6 * (5 * 6 - 3), as three
// pass 128; copy: 6 * 3 * 2 times the (6 + 5 + 4 + 3) ITEMS that the BATCHes 1 to 8 divide; tea: 6 * 2 * 6 * (4 + 3 +
// 2); black_scholes: 6 * 3 * 4 * 2 * 2; mri_q: 5 * 4 * 4 * 4 * 3; spmv: 5 * 6 * 3 * 3 * 4; stencil: (4 * 5 - 3) blocks
// of up to 1,024 work-items, 3 * 2, and the (6 + 5 + 4) PLANES that UNROLL divides; sad: 5 * (3 * 3 - 1) * (2 * 2 - 1).
INSTANTIATE_TEST_SUITE_P(All, BenchmarkSpecs,
                         testing::Values(Benchmark{"vector_add", 210}, Benchmark{"reduction", 175},
                                         Benchmark{"transpose", 5'916}, Benchmark{"convolution", 5'248},
                                         Benchmark{"gemm", 241'600}, Benchmark{"gemm_batched", 424},
                                         Benchmark{"hotspot", 349'853}, Benchmark{"nbody", 9'408},
                                         Benchmark{"gemm_host", 3'360}, Benchmark{"fourier_reconstruction", 360},
                                         Benchmark{"pointer_chasing", 396}, Benchmark{"copy", 648},
                                         Benchmark{"fma", 162}, Benchmark{"black_scholes", 288}, Benchmark{"tea", 648},
                                         Benchmark{"mri_q", 960}, Benchmark{"spmv", 1'080}, Benchmark{"stencil", 1'530},
                                         Benchmark{"sad", 120}),
                         [](const auto& benchmark) { return std::string(benchmark.param.name); });

// --- the batched products, whose space depends on the sizes ---------------------------------------------------------

struct Sizes {
  std::int64_t a, b, c;
};

// True if KTT's constraints of its batched GEMM allow the configuration. They are in the order of its program.
bool ktt_allows(const Sizes& size, int group_y, int group_z, int caching, int pad_aa, int pad_ab, std::int64_t pad_c,
                int direct, int unroll) {
  if (group_y > size.b) return false;
  if (pad_aa + pad_ab + pad_c > 0 && caching == 0) return false;
  if (direct == 0 && caching == 0) return false;
  if (unroll == 1 && caching != 2) return false;
  const std::int64_t work_items = (size.c + pad_c) * group_y * group_z;
  if (work_items < 32 || work_items >= 1024) return false;
  const std::int64_t of_a = (size.a + pad_aa) * (size.b + pad_ab);
  const std::int64_t of_c = (1 - direct) * size.c * size.b;
  if (caching == 1 || (caching == 2 && group_y > 1)) return (of_a + size.c * size.a + of_c) * group_z < 12288;
  return caching == 2 && (of_a + of_c) * group_z < 12288;
}

std::uint64_t count_by_hand(const Sizes& size) {
  std::uint64_t count = 0;
  for (const int group_y : {1, 2, 4, 8, 16, 32})
    for (const int group_z : {1, 2, 4, 8, 16, 32, 64})
      for (int rest = 0; rest < 3 * 16; ++rest)  // the strategy, and a bit for each parameter with two values
        for (const std::int64_t pad_c : std::set<std::int64_t>{0, size.c % 4})
          count +=
              ktt_allows(size, group_y, group_z, rest / 16, rest % 2, rest / 2 % 2, pad_c, rest / 4 % 2, rest / 8 % 2);
  return count;
}

std::uint64_t count_in_spec(const Sizes& size) {
  const auto file = std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks/gemm_batched/gemm_batched.toml";
  const KernelSpec spec =
      load(file, SourcePolicy::required, {{"size_a", size.a}, {"size_b", size.b}, {"size_c", size.c}}).value();
  return static_cast<std::uint64_t>(space::SearchSpace::build(spec.parameters, spec.constraints).value().count());
}

// The counts for squares of 2, 4, 8, 16 and 32 are those of KTT's own program.
TEST(GemmBatched, HasTheSpaceOfKttWhateverTheSizes) {
  const std::vector<std::pair<std::int64_t, std::uint64_t>> squares{{2, 384}, {4, 336}, {8, 452}, {16, 424}, {32, 268}};
  for (const auto& [side, count] : squares) EXPECT_EQ(count_in_spec({side, side, side}), count) << side;
  for (const Sizes& size :
       {Sizes{16, 16, 16}, {2, 2, 2}, {7, 5, 3}, {3, 32, 2}, {32, 2, 31}, {17, 13, 26}, {32, 32, 32}})
    EXPECT_EQ(count_in_spec(size), count_by_hand(size)) << size.a << ' ' << size.b << ' ' << size.c;
}

// The constraints of Xmipp's kernel, written in C++, give the same configurations as the spec.
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
