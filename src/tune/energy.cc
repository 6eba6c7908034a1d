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

// The energy counter of a device, under its name.
class Counter {
 public:
  static Result<Counter> of(backend::Device& device) {
    Result<backend::Sensors*> sensors = device.sensors();
    if (!sensors) return std::move(sensors).error().with_context("the energy of " + device.info().name);
    return Counter(**sensors, device.info().name);
  }

  Result<Joules> read() const {
    WATTUNE_ASSIGN(const backend::SensorReadings readings, sensors_.read());
    if (readings.energy) return *readings.energy;
    return Error(ErrorCode::unavailable, fmt::format("{} does not tell its energy", device_))
        .hint("`wattune devices` shows what can be read");
  }

  Error stands_still() const {
    return Error(ErrorCode::unavailable, fmt::format("the energy counter of {} stands still", device_));
  }

 private:
  Counter(backend::Sensors& sensors, const std::string& device) : sensors_(sensors), device_(device) {}

  backend::Sensors& sensors_;
  const std::string& device_;
};

// A moment at which the counter changed: after `since` and until `at`, in which a batch of runs ended.
struct Edge {
  Joules counted;
  Nanoseconds since;
  Nanoseconds at;
  std::size_t runs = 0;

  Nanoseconds width() const { return at - since; }
};

// Runs the kernel until the counter changes after some time.
class EdgeFinder {
 public:
  EdgeFinder(const Counter& counter, measure::Runner& runner, std::size_t batch)
      : counter_(counter), runner_(runner), batch_(batch) {}

  std::size_t batch() const { return batch_; }

  Result<Edge> next(Nanoseconds after) {
    while (stopwatch_.elapsed() < after) WATTUNE_TRY(run());
    WATTUNE_ASSIGN(const Joules before, counter_.read());
    for (Nanoseconds since = stopwatch_.elapsed();;) {
      WATTUNE_TRY(run());
      WATTUNE_ASSIGN(const Joules now, counter_.read());
      const Nanoseconds at = stopwatch_.elapsed();
      if (now != before) return Edge{now, since, at, runs_};
      if (at > after + kPatience) return counter_.stands_still();
      since = at;
    }
  }

 private:
  Result<void> run() {
    WATTUNE_TRY(runner_.run(batch_));
    runs_ += batch_;
    return {};
  }

  const Counter& counter_;
  measure::Runner& runner_;
  const std::size_t batch_;
  std::size_t runs_ = 0;
  const Stopwatch stopwatch_;
};

// Either end may be early by its width, so the time between them may be longer by the one or shorter by the other; and
// a batch at either end may belong to the other side of it.
EnergyFigures figures_between(const Edge& begin, const Edge& end, std::size_t batch) {
  const Joules used = end.counted - begin.counted;
  const Nanoseconds took = end.at - begin.at;
  const auto runs = static_cast<double>(end.runs - begin.runs);
  const Watts power = used / took;
  const Joules energy = used / runs;
  return {.power = {power, power * (std::max(begin.width(), end.width()) / took)},
          .energy = {energy, energy * (static_cast<double>(batch) / runs)},
          .took = took};
}

template <typename T>
T middle_of(std::vector<T> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

// Of what `of` tells of each.
template <typename Of>
auto median_by(const std::vector<EnergyFigures>& figures, Of of) {
  std::vector<std::decay_t<decltype(of(figures.front()))>> values;
  for (const EnergyFigures& each : figures) values.push_back(of(each));
  return middle_of(std::move(values));
}

template <typename T>
Measured<T> median_of(const std::vector<EnergyFigures>& figures, Measured<T> EnergyFigures::*member) {
  return {median_by(figures, [&](const EnergyFigures& each) { return (each.*member).value; }),
          median_by(figures, [&](const EnergyFigures& each) { return (each.*member).uncertainty; })};
}

}  // namespace

Result<void> check_energy_counter(backend::Device& device) {
  WATTUNE_ASSIGN(const Counter counter, Counter::of(device));
  WATTUNE_TRY(counter.read());
  return {};
}

Result<EnergyFigures> measure_energy(backend::Device& device, measure::Runner& runner, Nanoseconds time,
                                     Nanoseconds window) {
  constexpr double kLargestBatch = 4096;
  WATTUNE_ASSIGN(const Counter counter, Counter::of(device));
  const double fitting = std::ceil(kBatch / std::max(time, Nanoseconds(1)));
  EdgeFinder finder(counter, runner, static_cast<std::size_t>(std::min(fitting, kLargestBatch)));
  WATTUNE_ASSIGN(const Edge begin, finder.next(Nanoseconds()));
  WATTUNE_ASSIGN(const Edge end, finder.next(begin.at + window));
  return figures_between(begin, end, finder.batch());
}

EnergyFigures median_of(const std::vector<EnergyFigures>& figures) {
  return {.power = median_of(figures, &EnergyFigures::power),
          .energy = median_of(figures, &EnergyFigures::energy),
          .took = median_by(figures, [](const EnergyFigures& each) { return each.took; })};
}

}  // namespace wattune::tune
