// Tunes a kernel from an application: the spec in code, the device in this process, the Trials in memory.
#include <cstdio>
#include <memory>

#include "wattune/backend/registry.h"
#include "wattune/measure/policy.h"
#include "wattune/search/strategy.h"
#include "wattune/tune/evaluator.h"
#include "wattune/tune/tuner.h"

namespace {

constexpr const char* kSource = R"(
__kernel void scale(__global const float* in, __global float* out, int n) {
  for (int i = 0; i < PER_ITEM; ++i) {
    const int at = get_group_id(0) * BLOCK * PER_ITEM + i * BLOCK + get_local_id(0);
    if (at < n) out[at] = 2.0f * in[at];
  }
})";

wattune::KernelSpec describe_problem() {
  using namespace wattune;
  KernelSpec spec;
  spec.name = "scale";
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
  return spec;
}

// Keeps nothing: the result of tune() has the best Trial. A program that wants them all opens a store::Journal.
class Forget : public wattune::TrialSink {
  wattune::Result<void> add(const wattune::Trial&) override { return {}; }
};

class Print : public wattune::tune::TuningObserver {
  void on_start(const wattune::search::Progress&, std::size_t) override {}
  void on_trial(const wattune::tune::TuningEvent& event) override {
    if (event.improved)
      std::printf("%.1f us: %s\n", event.trial.observation.objective() / 1e3,
                  event.trial.configuration.to_string().c_str());
  }
};

wattune::Result<void> run() {
  using namespace wattune;
  const KernelSpec spec = describe_problem();
  WATTUNE_ASSIGN(const space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  WATTUNE_ASSIGN(const DeviceInfo info, backend::select_device(backend::discover(), "auto", {Language::opencl}));
  WATTUNE_ASSIGN(std::unique_ptr<backend::Device> device, backend::open_device(info.selector));
  const std::unique_ptr<measure::MeasurePolicy> policy = measure::make_gated({});
  WATTUNE_ASSIGN(auto evaluator, tune::make_evaluator(spec, space, *device, *policy));
  WATTUNE_ASSIGN(auto strategy, search::make_strategy("random", space));

  Forget sink;
  Print observer;
  WATTUNE_ASSIGN(const tune::TuningResult result,
                 tune::tune(space, *strategy, *evaluator, sink, observer, {}, {.stop = {.evaluations = 8}}));
  if (!result.best) return Error(ErrorCode::internal, "no configuration was correct");
  std::printf("best of %llu on %s\n", static_cast<unsigned long long>(result.evaluated), info.name.c_str());
  return {};
}

}  // namespace

int main() {
  const wattune::Result<void> result = run();
  if (result) return 0;
  if (result.error().code() == wattune::ErrorCode::unavailable) std::printf("no OpenCL device here\n");
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  return 1;
}
