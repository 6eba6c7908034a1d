#include "tune/interface/energy.h"

#include <algorithm>

#include "wattune/power/board.h"

namespace wattune::inline v0_1::tune {

namespace {

// A recorder that owns the board from whose sensors it reads.
class BoardRecorder : public power::Recorder {
 public:
  explicit BoardRecorder(power::Board board) : board_(std::move(board)), recorder_(power::make_recorder(board_)) {}

  Nanoseconds now() const override { return recorder_->now(); }
  void wait(Nanoseconds time) override { recorder_->wait(time); }
  Result<void> start() override { return recorder_->start(); }
  Result<power::Recording> so_far() override { return recorder_->so_far(); }
  Result<power::Recording> stop() override { return recorder_->stop(); }
  std::optional<power::Measured<Watts>> context_idle() const override { return recorder_->context_idle(); }

 private:
  power::Board board_;
  const std::unique_ptr<power::Recorder> recorder_;
};

class MetricList {
 public:
  template <typename T>
  void add(const char* name, T value, const char* unit, std::optional<T> uncertainty = {}) {
    metrics_.push_back({name, value.value(), unit, {}});
    if (uncertainty) metrics_.back().uncertainty = uncertainty->value();
  }
  template <typename T>
  void add(const char* name, const power::Measured<T>& figure, const char* unit) {
    add(name, figure.value, unit, std::optional<T>(figure.uncertainty));
  }
  void add(const char* name, double value, const char* unit = "") { metrics_.push_back({name, value, unit, {}}); }
  std::vector<Metric> take() { return std::move(metrics_); }

 private:
  std::vector<Metric> metrics_;
};

void add_asked(MetricList& list, BoardMetric metric, const power::EnergyFigures& figures) {
  const char* const name = to_string(metric);
  const power::BoardConditions& board = figures.conditions;
  switch (metric) {
    case BoardMetric::power: return list.add(name, figures.power, "W");
    case BoardMetric::energy: return list.add(name, figures.energy, "J");
    case BoardMetric::dynamic_energy:
      if (figures.dynamic) list.add(name, *figures.dynamic, "J");
      return;
    case BoardMetric::temperature:
      if (board.temperature_after) list.add(name, *board.temperature_after, "C");
      return;
    case BoardMetric::voltage:
      if (board.voltage) list.add(name, *board.voltage, "V");
      return;
  }
}

// Adds the range of the board's temperature during the windows, which is the highest temperature minus the lowest.
void add_heat(MetricList& list, const power::BoardConditions& board) {
  if (board.lowest_temperature) list.add("energy_warming", *board.highest_temperature - *board.lowest_temperature, "C");
}

Error tells_nothing(const DeviceInfo& device, const std::vector<std::string>& why) {
  return Error(ErrorCode::unavailable, device.name + " does not tell its energy")
      .hint(why.empty() ? "`wattune devices` shows what can be read" : why.front());
}

}  // namespace

const char* to_string(BoardMetric metric) {
  switch (metric) {
    case BoardMetric::power: return "power";
    case BoardMetric::energy: return "energy";
    case BoardMetric::dynamic_energy: return "dynamic_energy";
    case BoardMetric::temperature: return "temperature";
    case BoardMetric::voltage: return "voltage";
  }
  return "unknown";
}

Result<std::unique_ptr<power::Recorder>> open_recorder(const EvaluatorOptions& options, const DeviceInfo& device) {
  if (options.open_recorder) return options.open_recorder(device);
  const bool registered = !options.sensors.empty();
  if (!registered && device.pci_bus_id.empty()) return tells_nothing(device, {});
  Result<power::Board> board =
      registered ? power::open_sensors(options.sensors, device) : power::open_board(device.pci_bus_id);
  if (!board) return std::move(board).error().with_context("the energy of " + device.name);
  if (registered) board->missing.insert(board->missing.begin(), options.sensors + " has no sensor of energy or power");
  if (board->energy.empty() && board->power.empty()) return tells_nothing(device, board->missing);
  return std::unique_ptr<power::Recorder>(std::make_unique<BoardRecorder>(*std::move(board)));
}

// Measures the time of `work`. Sets clocks and buffers first, because another configuration may have run before with
// other clocks and buffers.
template <typename Work>
Result<power::Load::Batch> KernelLoad::timed(std::size_t launches, Work work) {
  WATTUNE_TRY(run_.clocks.apply(configuration_));
  WATTUNE_TRY(run_.session.prepare(launch_.arguments));
  const Nanoseconds begin = run_.recorder->now();
  WATTUNE_TRY(work());
  return Batch{launches, begin, run_.recorder->now()};
}

Result<power::Load::Batch> KernelLoad::run(std::size_t launches) {
  return timed(launches, [&] { return run_.session.keep_busy(kernels_, launch_, launches, run_.limits.run()); });
}

power::SetUp KernelLoad::set_up() const {
  return run_.session.has_set_up() ? power::SetUp::subtracted : power::SetUp::none;
}

Result<power::Load::Batch> KernelLoad::run_set_up(std::size_t launches) {
  return timed(launches, [&] { return run_.session.set_up_alone(launches, run_.limits.run()); });
}

// Makes the options of the measurement. The budget is large enough for long kernels, which need a launch at each phase
// of the sensor. Exceeding the budget would be an error.
Result<power::EnergyOptions> energy_options(const BoardClocks& clocks, IdlePower& idle_power, power::Recorder& recorder,
                                            Nanoseconds time, Nanoseconds window) {
  constexpr double kMostLaunches = 100.0;  // largest number of launches besides those that fill the window
  constexpr double kMostWindows = 4.0;     // largest number of windows, with the waits between them
  power::EnergyOptions options{.window = window, .launch_time = time};
  WATTUNE_ASSIGN(options.context_idle, idle_power.at(clocks.applied(), recorder));
  if (clocks.applied()) options.clock = clocks.applied()->graphics;
  options.budget = std::max(options.budget, kMostWindows * window) + kMostLaunches * time;
  return options;
}

std::vector<Metric> metrics_of(const power::EnergyFigures& figures, const std::vector<BoardMetric>& asked) {
  MetricList list;
  for (const BoardMetric metric : asked) add_asked(list, metric, figures);
  if (figures.conditions.clock) list.add("energy_clock", *figures.conditions.clock, "MHz");
  add_heat(list, figures.conditions);
  if (figures.drift) list.add("energy_drift", *figures.drift);
  if (figures.conditions.throttled > 0.0) list.add("energy_throttled", figures.conditions.throttled);
  if (figures.gap) list.add("energy_gap", figures.gap->energy, "J");
  if (figures.ended_after) list.add("energy_window", to_seconds(*figures.ended_after), "s");
  if (figures.rejected.count() > 0) list.add("energy_rejected", static_cast<double>(figures.rejected.count()));
  if (figures.rejected.used) list.add("energy_unsteady", 1.0);
  if (figures.disagrees()) list.add("energy_disagreement", *figures.disagreement);
  if (figures.set_up == power::SetUp::included) list.add("energy_with_set_up", 1.0);
  return list.take();
}

power::EnergyFigures middle_of(std::vector<power::EnergyFigures> figures) {
  const auto middle = figures.begin() + static_cast<std::ptrdiff_t>((figures.size() - 1) / 2);
  std::ranges::nth_element(figures, middle, {}, [](const power::EnergyFigures& each) { return each.energy.value; });
  return *middle;
}

}  // namespace wattune::tune
