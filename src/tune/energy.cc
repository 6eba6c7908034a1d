#include "tune/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/stopwatch.h"

namespace wattune::tune {

namespace {

// Reading the counter takes milliseconds (3.6 on an H200), in which the device idles.
constexpr Nanoseconds kBatch = nanoseconds_from_ms(20);
constexpr Nanoseconds kPatience = nanoseconds_from_seconds(2);  // for the counter to change

Result<double> joules(backend::Device& device) {
  WATTUNE_ASSIGN(const backend::SensorReadings readings, device.read_sensors());
  if (readings.energy_joules) return *readings.energy_joules;
  return Error(ErrorCode::unavailable, fmt::format("{} does not tell its energy", device.info().name))
      .hint("`wattune devices` shows what can be read");
}

// A moment at which the counter changed.
struct Edge {
  double joules = 0.0;
  Nanoseconds at;
  std::size_t runs = 0;
};

// Runs the kernel until the counter changes after some time.
class EdgeFinder {
 public:
  EdgeFinder(backend::Device& device, measure::Runner& runner, std::size_t batch)
      : device_(device), runner_(runner), batch_(batch) {}

  Result<Edge> next(Nanoseconds after) {
    while (stopwatch_.elapsed() < after) WATTUNE_TRY(run());
    WATTUNE_ASSIGN(const double before, joules(device_));
    for (;;) {
      WATTUNE_TRY(run());
      WATTUNE_ASSIGN(const double now, joules(device_));
      const Nanoseconds at = stopwatch_.elapsed();
      if (now != before) return Edge{now, at, runs_};
      if (at > after + kPatience)
        return Error(ErrorCode::unavailable, fmt::format("the energy counter of {} stands still", device_.info().name));
    }
  }

 private:
  Result<void> run() {
    WATTUNE_TRY(runner_.run(batch_));
    runs_ += batch_;
    return {};
  }

  backend::Device& device_;
  measure::Runner& runner_;
  const std::size_t batch_;
  std::size_t runs_ = 0;
  const Stopwatch stopwatch_;
};

}  // namespace

Result<void> check_energy_counter(backend::Device& device) {
  WATTUNE_TRY(joules(device));
  return {};
}

Result<EnergyFigures> measure_energy(backend::Device& device, measure::Runner& runner, Nanoseconds time,
                                     Nanoseconds window) {
  constexpr double kLargestBatch = 4096;
  const double fitting = std::ceil(kBatch / std::max(time, Nanoseconds(1)));
  EdgeFinder finder(device, runner, static_cast<std::size_t>(std::min(fitting, kLargestBatch)));
  WATTUNE_ASSIGN(const Edge begin, finder.next(Nanoseconds()));
  WATTUNE_ASSIGN(const Edge end, finder.next(begin.at + window));
  const double used = end.joules - begin.joules;
  return EnergyFigures{.watts = used / to_seconds(end.at - begin.at),
                       .joules = used / static_cast<double>(end.runs - begin.runs),
                       .took = end.at - begin.at};
}

EnergyFigures median_of(const std::vector<EnergyFigures>& figures) {
  const auto median = [&](auto member) {
    auto sorted = figures;
    std::ranges::sort(sorted, {}, member);
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle].*member
                                  : (sorted[middle - 1].*member + sorted[middle].*member) / 2.0;
  };
  return {.watts = median(&EnergyFigures::watts),
          .joules = median(&EnergyFigures::joules),
          .took = median(&EnergyFigures::took)};
}

}  // namespace wattune::tune
