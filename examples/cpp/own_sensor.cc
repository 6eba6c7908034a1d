// A sensor of one's own, chosen by its name: a power meter between the machine and its plug. Wattune then measures
// energy with this sensor instead of the sensors of the device's board. The device of the example is the host's
// processor, whose board has no sensors.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "wattune/power/board.h"
#include "wattune/tune/session.h"

namespace {

using namespace wattune;

class PlugMeter : public power::PowerSensor {
 public:
  const power::SensorInfo& info() const override { return info_; }
  // Returns a constant power with the time of the host's steady clock. A real sensor would ask its meter.
  Result<power::Reading<Watts>> read() override {
    const std::chrono::duration<double, std::nano> now = std::chrono::steady_clock::now().time_since_epoch();
    return power::Reading<Watts>{.at = Nanoseconds(now.count()), .value = Watts(100)};
  }

 private:
  const power::SensorInfo info_{.name = "plug.power",
                                .traits = {.response = power::Response::direct, .period = nanoseconds_from_ms(10)}};
};

constexpr const char* kSource = R"(
void scale(float* x, float factor, int n) {
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < n && j < i + STEP; ++j) x[j] *= factor;
})";

KernelSpec scale_spec() {
  KernelSpec spec;
  spec.source = {.language = Language::cpp, .function = "scale", .file = "scale.cc", .text = kSource};
  spec.problem_size = {{"n", 100'000}};
  spec.arguments = {{"x", VectorArgument{.length = {"n"}, .access = ArgumentAccess::read_write, .fill = FillIota{}}},
                    {"factor", ScalarArgument{.type = ElementType::float32, .value = {"3"}}},
                    {"n", ScalarArgument{.value = {"n"}}}};
  spec.parameters = {{.name = "STEP", .values = {1, 64}}};
  spec.objectives = {{.metric = "energy"}};
  return spec;
}

Result<power::Board> open_plug(const DeviceInfo& /*device*/) {
  power::Board board;
  board.power.push_back(std::make_unique<PlugMeter>());
  return board;
}

Result<void> run() {
  WATTUNE_TRY(power::register_sensors("plug", open_plug));
  tune::SessionOptions options;
  options.device = "host";
  options.evaluation.observe = {tune::BoardMetric::energy, tune::BoardMetric::power};
  options.evaluation.energy_window = nanoseconds_from_ms(200);
  options.evaluation.sensors = "plug";
  options.shoot_out.finalists = 0;
  WATTUNE_ASSIGN(const auto session, tune::open(scale_spec(), options));
  WATTUNE_ASSIGN(const tune::TuningResult result, session->run());
  if (!result.best) return Error(ErrorCode::internal, "no configuration was correct");
  const Observation& best = result.best->observation;
  const double power = std::ranges::find(best.metrics, "power", &Metric::name)->value;
  std::printf("%.3g J at %.0f W with %s\n", best.objective(), power, result.best->configuration.to_string().c_str());
  return power > 99 && power < 101 ? Result<void>() : Error(ErrorCode::internal, "the meter shows 100 W");
}

}  // namespace

int main() {
  const Result<void> done = run();
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return 1;
}
