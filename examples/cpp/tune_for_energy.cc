// Tunes a kernel and the clock of its board for the least energy. The clock is a parameter like any other: Wattune sets
// the clock while it measures, and restores the board's own setting at the end.
#include <cstdio>

#include "wattune/tune/session.h"

using namespace wattune;

constexpr const char* kSource = R"(
extern "C" __global__ void scale(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
})";

int main() {
  KernelSpec spec;
  spec.source = {.language = Language::cuda, .function = "scale", .file = "scale.cu", .text = kSource};
  spec.problem_size = {{"n", 1024}};
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes[0].text = "n";
  spec.geometry.divisors[0] = {{"block"}};
  spec.geometry.work_group[0].text = "block";
  spec.arguments = {{"x", VectorArgument{.length = {"n"}, .access = ArgumentAccess::read_write, .fill = FillIota{}}},
                    {"factor", ScalarArgument{.type = ElementType::float32, .value = {"3"}}},
                    {"n", ScalarArgument{.value = {"n"}}}};
  spec.parameters = {{.name = "block", .values = {64, 128}},
                     {.name = "clock", .values = {1200, 1905}, .role = ParameterRole::graphics_clock}};
  spec.objectives = {{.metric = "energy"}};

  tune::SessionOptions options;
  options.device = "cuda";
  options.evaluation.observe = {tune::BoardMetric::energy, tune::BoardMetric::power};
  const auto session = tune::open(spec, options);
  const auto result = session ? (*session)->run() : Result<tune::TuningResult>(session.error());
  if (!result || !result->best) {
    std::fprintf(stderr, "%s\n", result ? "no configuration was correct" : result.error().to_string().c_str());
    return 1;
  }
  const Trial& best = *result->best;
  std::printf("%.3g J with %s\n", best.observation.objective(), best.configuration.to_string().c_str());
}
