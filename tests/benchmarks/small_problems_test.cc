// Kernels of benchmarks/ at small sizes, in configurations that reach all of their code. The kernel's reference checks
// each output. OpenCL runs on whatever device this machine has, CUDA on the interpreter of PTX. The sizes leave the
// last work-group, vector, tile or row smaller than the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "benchmarks/interpreted_device.h"
#include "slice/interface/analysis.h"
#include "source_dir.h"
#include "wattune/backend/registry.h"
#include "wattune/measure/policy.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"
#include "wattune/tune/evaluator.h"

namespace wattune::benchmarks_test {
namespace {

using Values = std::vector<std::pair<std::string, Value>>;

struct Kernel {
  const char* name;  // of the spec
  std::vector<NamedSize> sizes;
  std::vector<Values> configurations;  // the values that are not the defaults
  const char* folder = nullptr;        // the same as the name if nullptr
};
void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.name; }

// Returns a policy of two samples, because the device's clock does not matter here.
std::unique_ptr<measure::MeasurePolicy> short_policy() {
  measure::SamplingOptions options;
  options.warm_up = Nanoseconds(0);
  options.min_samples = options.max_samples = 2;
  return measure::make_repeated_runs(options);
}

class SmallProblem : public testing::TestWithParam<Kernel> {
 protected:
  // Loads the spec in the first of its languages that the device compiles.
  static Result<KernelSpec> spec_for(const DeviceInfo& device) {
    const std::string name = GetParam().name;
    const std::string folder = GetParam().folder == nullptr ? name : GetParam().folder;
    const auto file = std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks" / folder / (name + ".toml");
    WATTUNE_ASSIGN(KernelSpec spec, spec::load(file, spec::SourcePolicy::required, GetParam().sizes));
    WATTUNE_TRY(use_language(spec, device.languages));
    return spec;
  }

  static Result<ConfigurationId> complete(const space::SearchSpace& space, Values values) {
    const Configuration standard = space.configuration(space.default_configuration());
    for (const std::string& parameter : standard.names())
      if (std::ranges::find(values, parameter, &Values::value_type::first) == values.end())
        values.emplace_back(parameter, *standard.find(parameter));
    return space.find(values);
  }

  static Result<std::vector<Observation>> evaluate(const KernelSpec& spec, backend::Device& device) {
    WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
    const auto policy = short_policy();
    WATTUNE_ASSIGN(const auto evaluator, tune::make_evaluator(spec, space, device, *policy));
    std::vector<Observation> observations;
    for (const Values& values : GetParam().configurations) {
      WATTUNE_ASSIGN(const ConfigurationId id, complete(space, values));
      WATTUNE_ASSIGN(observations.emplace_back(), evaluator->evaluate(space.configuration(id)));
    }
    return observations;
  }

  static void expect_right(const Result<std::vector<Observation>>& observations) {
    ASSERT_TRUE(observations) << observations.error().to_string();
    for (const Observation& observation : *observations) {
      EXPECT_EQ(observation.status, Status::correct) << observation.message;
      EXPECT_TRUE(observation.verified);
    }
  }
};

TEST_P(SmallProblem, IsRightInOpenCl) {
  for (const DeviceInfo& info : backend::discover().devices) {
    if (info.backend != "opencl") continue;
    const auto spec = spec_for(info);
    ASSERT_TRUE(spec) << spec.error().to_string();
    expect_right(evaluate(*spec, *backend::open_device(info.selector).value()));
    return;
  }
  GTEST_SKIP() << "no OpenCL device on this machine";
}

// Every form of a twin must be possible, too, so that the kernel can share a GPU with others.
TEST_P(SmallProblem, IsRightInInterpretedCudaAndCanBeSliced) {
  if (!compiles_cuda()) GTEST_SKIP() << "NVRTC is not installed here";
  DeviceInfo info;
  info.languages = {Language::cuda};
  const auto spec = spec_for(info);
  ASSERT_TRUE(spec) << spec.error().to_string();
  InterpretedDevice interpreted(*spec);
  expect_right(evaluate(*spec, interpreted.device));
  for (const auto& [macros, ptx] : interpreted.ptx) {
    const auto tree = slice::parse_ptx(ptx, "kernel.ptx");
    ASSERT_TRUE(tree) << tree.error().to_string();
    for (const slice::KernelAnalysis& kernel : slice::analyse(*tree)) EXPECT_TRUE(kernel.obstacles.empty());
  }
}

// The kernels. The sums of absolute differences are of 3 x 2 macroblocks, with 49 displacements.
const Kernel kKernels[] = {
    {"pointer_chasing",
     {{"n", 4096}, {"chains", 700}, {"steps", 9}},
     {{{"CACHING", 0}}, {{"CACHING", 1}, {"CHAINS", 4}, {"UNROLL", 2}}, {{"CACHING", 2}, {"BLOCK_SIZE", 64}}}},
    {"copy",
     {{"n", 10'004}},
     {{{"VECTOR", 1}}, {{"VECTOR", 4}, {"ITEMS", 8}, {"BATCH", 4}, {"STREAMING", 1}, {"BLOCK_SIZE", 64}}}},
    {"fma", {{"n", 1'003}, {"steps", 101}}, {{{"ITEMS", 1}}, {{"ITEMS", 4}, {"UNROLL", 8}, {"BLOCK_SIZE", 64}}}},
    {"black_scholes",
     {{"n", 1'004}},
     {{{"VECTOR", 1}},
      {{"VECTOR", 2}, {"INTRINSICS", 1}},
      {{"VECTOR", 4}, {"ITEMS", 2}, {"ERFC", 1}, {"INTRINSICS", 1}}}},
    {"tea",
     {{"n", 1'002}},
     {{{"VECTOR", 1}}, {{"VECTOR", 2}, {"ITEMS", 4}, {"BATCH", 2}, {"UNROLL", 4}, {"BLOCK_SIZE", 32}}}},
    {"mri_q",
     {{"n", 150}, {"samples", 256}},
     {{{"SINCOS", 0}},
      {{"SINCOS", 1}, {"TILE", 128}, {"BLOCK_SIZE", 32}, {"ITEMS", 2}},
      {{"SINCOS", 2}, {"TILE", 64}, {"UNROLL", 4}, {"BLOCK_SIZE", 128}}}},
    {"spmv",
     {{"rows", 401}, {"columns", 300}},
     {{{"LANES", 1}},
      {{"LANES", 8}, {"ROWS", 4}, {"UNROLL", 2}, {"BLOCK_SIZE", 64}},
      {{"LANES", 4}, {"ROWS", 2}, {"STAGED", 2}, {"BLOCK_SIZE", 64}}}},
    {"stencil",
     {{"width", 70}, {"height", 13}, {"depth", 7}},
     {{{"STAGED", 0}},
      {{"STAGED", 0}, {"ROWS", 2}, {"PLANES", 4}, {"UNROLL", 2}},
      {{"STAGED", 1}, {"BLOCK_X", 64}, {"BLOCK_Y", 2}, {"ROWS", 4}, {"PLANES", 8}}}},
    {"sad",
     {{"width", 48}, {"height", 32}, {"radius", 3}},
     {{{"STAGED", 0}},
      {{"STAGED", 1}, {"BLOCK_SIZE", 32}, {"ITEMS", 2}},
      {{"STAGED", 1}, {"PACKED", 1}, {"BLOCK_SIZE", 32}, {"UNROLL", 4}}}},
    {"lud", {{"n", 77}}, {{{"BLOCK", 2}}, {{"BLOCK", 8}}, {{"BLOCK", 32}}}, "together"},
    {"particle_filter",
     {{"particles", 1'003}, {"points", 13}},
     {{{"BLOCK", 2}}, {{"BLOCK", 64}}, {{"BLOCK", 512}}},
     "together"},
    {"streamcluster", {{"n", 1'003}}, {{{"BLOCK", 2}}, {{"BLOCK", 128}}, {{"BLOCK", 1024}}}, "together"},
    {"hotspot",
     {{"width", 70}, {"height", 37}},
     {{{"block_size_x", 2}, {"block_size_y", 2}}, {{"block_size_x", 32}, {"block_size_y", 32}}},
     "together"},
};
INSTANTIATE_TEST_SUITE_P(All, SmallProblem, testing::ValuesIn(kKernels),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

}  // namespace
}  // namespace wattune::benchmarks_test
