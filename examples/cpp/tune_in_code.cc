// Tunes a kernel from an application. The spec is written in code; one call does everything else. The kernel runs in a
// worker process.
#include <cstdio>

#include "wattune/tune/session.h"

using namespace wattune;

constexpr const char* kSource = R"(
__kernel void scale(__global const float* in, __global float* out, int n) {
  for (int i = 0; i < PER_ITEM; ++i) {
    const int at = get_group_id(0) * BLOCK * PER_ITEM + i * BLOCK + get_local_id(0);
    if (at < n) out[at] = 2.0f * in[at];
  }
})";

int main() {
  KernelSpec spec;
  spec.source = {.function = "scale", .file = "scale.cl", .text = kSource};
  spec.problem_size = {{"n", 1 << 18}};
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes[0].text = "n";
  spec.geometry.divisors[0] = {{"BLOCK"}, {"PER_ITEM"}};
  spec.geometry.work_group[0].text = "BLOCK";
  spec.arguments = {{"in", VectorArgument{.length = {"n"}, .fill = FillUniform{}}},
                    {"out", VectorArgument{.length = {"n"}, .access = ArgumentAccess::write_only}},
                    {"n", ScalarArgument{.value = {"n"}}}};
  spec.parameters = {{.name = "BLOCK", .values = {32, 64, 128, 256}}, {.name = "PER_ITEM", .values = {1, 2, 4}}};

  const auto session = tune::open(spec);
  const auto result = session ? (*session)->run() : Result<tune::TuningResult>(session.error());
  if (!result || !result->best) {
    std::fprintf(stderr, "%s\n", result ? "no configuration was correct" : result.error().to_string().c_str());
    return 1;
  }
  const Trial& best = *result->best;
  std::printf("%.1f us with %s\n", best.observation.objective() / 1e3, best.configuration.to_string().c_str());
}
