// The kernels of lab/kernels at small sizes, on the interpreter of PTX. Their references check each output. Where a
// kernel allows it, the sizes make the last block or row smaller than the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/interpreted_device.h"
#include "source_dir.h"
#include "wattune/measure/policy.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"
#include "wattune/tune/evaluator.h"

namespace wattune::lab_test {
namespace {

struct Kernel {
  const char* folder;
  const char* name;
  std::vector<NamedSize> sizes;
};
void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.name; }

std::filesystem::path folder(const char* name) {
  return std::filesystem::path(WATTUNE_SOURCE_DIR) / "lab" / "kernels" / name;
}

Result<Observation> evaluate(const KernelSpec& spec, backend::Device& device) {
  WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
  measure::SamplingOptions options;
  options.warm_up = Nanoseconds(0);
  options.min_samples = options.max_samples = 2;
  const auto policy = measure::make_repeated_runs(options);
  WATTUNE_ASSIGN(const auto evaluator, tune::make_evaluator(spec, space, device, *policy));
  return evaluator->evaluate(space.configuration(space.default_configuration()));
}

class LabKernel : public testing::TestWithParam<Kernel> {};

TEST_P(LabKernel, ComputesWhatItsReferenceDoes) {
  if (!benchmarks_test::compiles_cuda()) GTEST_SKIP() << "NVRTC is not installed here";
  const auto file = folder(GetParam().folder) / (std::string(GetParam().name) + ".toml");
  const auto spec = spec::load(file, spec::SourcePolicy::required, GetParam().sizes);
  ASSERT_TRUE(spec) << spec.error().to_string();
  benchmarks_test::InterpretedDevice interpreted(*spec);
  const auto seen = evaluate(*spec, interpreted.device);
  ASSERT_TRUE(seen) << seen.error().to_string();
  EXPECT_EQ(seen->status, Status::correct) << seen->message;
  EXPECT_TRUE(seen->verified);
}

const Kernel kKernels[] = {
    {"chosen", "gated_stream", {{"pairs", 300}}},
    {"chosen", "gather", {{"places", 1024}, {"n", 300}}},
    {"chosen", "kepler", {{"n", 300}}},
    {"chosen", "lattice", {{"width", 150}, {"height", 5}}},
    {"chosen", "mandel", {{"width", 40}, {"height", 24}, {"most", 60}}},
    {"chosen", "row_norm", {{"rows", 5}, {"columns", 70}}},
    {"unseen", "bloom", {{"n", 300}, {"word_count", 64}}},
    {"unseen", "deviates", {{"blocks", 2}, {"pairs", 9}}},
    {"unseen", "docking", {{"n", 150}, {"protein_atoms", 11}, {"ligand_atoms", 5}}},
    {"unseen", "fdtd2d", {{"width", 40}, {"height", 11}}},
    {"unseen", "frontier", {{"vertices", 1024}}},
    {"unseen", "gramschmidt", {{"rows", 9}, {"columns", 150}}},
    {"unseen", "lavamd", {{"side", 3}, {"particles", 9}}},
    {"unseen", "molecules", {{"n", 512}, {"count", 4}}},
    {"unseen", "queens", {{"n", 6}, {"depth", 2}, {"firsts", 6}}},
    {"unseen", "sections", {{"lookups", 300}, {"nuclides", 8}, {"points", 32}}},
    {"unseen", "separations", {{"points", 512}, {"chunk", 256}}},
    {"unseen", "vocabulary", {{"rows", 5}, {"words", 264}}},
    {"later", "aggregate", {{"vertices", 128}}},
    {"later", "back_projection", {{"side", 9}, {"count", 3}, {"pixels", 16}}},
    {"later", "digests", {{"blocks", 1}, {"count", 2}}},
    {"later", "hash_join", {{"n", 300}, {"bucket_count", 64}, {"node_count", 128}}},
    {"later", "heat3d", {{"width", 40}, {"height", 11}, {"depth", 4}}},
    {"later", "recurrence", {{"steps", 9}, {"channels", 150}}},
    {"later", "sorted_tiles", {{"tiles", 2}}},
    {"later", "spectra", {{"count", 2}}},
};
INSTANTIATE_TEST_SUITE_P(All, LabKernel, testing::ValuesIn(kKernels),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

// The list of tested specs is complete: no folder has another one.
TEST(LabKernels, AreAllTested) {
  for (const char* name : {"chosen", "unseen", "later"}) {
    const auto files = std::filesystem::directory_iterator(folder(name));
    EXPECT_EQ(std::ranges::count_if(files, [](const auto& file) { return file.path().extension() == ".toml"; }),
              std::ranges::count_if(kKernels, [&](const Kernel& kernel) { return kernel.folder == std::string(name); }))
        << name;
  }
}

}  // namespace
}  // namespace wattune::lab_test
