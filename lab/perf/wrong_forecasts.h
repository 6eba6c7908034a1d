// Two kernels on a simulated GPU: how `paired` runs them with falsified forecasts, and the best schedule that needs no
// forecast.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/perf/paper_queues.h"
#include "wattune/core/random.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::perf {

// A function that takes the forecast speed of a kernel beside another and returns a false one.
using Falsify = std::function<double(double rate)>;

inline schedule::PairForecast falsified(schedule::PairForecast forecast, const Falsify& falsify) {
  for (double& rate : forecast.rates) rate = falsify(rate);
  for (schedule::PairForecast& other : forecast.others) other = falsified(std::move(other), falsify);
  return forecast;
}

struct FalseForecasts {
  std::string name;
  Falsify falsify;
};

// Returns functions that make forecasts wrong by the share `error`: all too high, all too low, or each speed at random
// too high or too low.
inline std::vector<FalseForecasts> false_forecasts(double error, std::uint64_t seed = 1) {
  const auto random = std::make_shared<Random>(seed);
  return {{"right", [](double rate) { return rate; }},
          {"too high", [=](double rate) { return rate * (1.0 + error); }},
          {"too low", [=](double rate) { return rate * (1.0 - error); }},
          {"either", [=](double rate) { return rate * (random->below(2) == 0 ? 1.0 + error : 1.0 - error); }}};
}

// Two kernels that take turns in a queue, with `works` works each that are all there from the beginning.
class TwoKernels {
 public:
  TwoKernels(const simulate::GpuModel& gpu, std::vector<schedule::ProfiledKernel> kernels, std::size_t works)
      : gpu_(gpu), kernels_(std::move(kernels)) {
    for (std::size_t i = 0; i < 2 * works; ++i) arrivals_.push_back({.moment = {}, .kernel = i % 2});
    const auto measures = machine();
    const auto pilots = schedule::measured_forecaster(*measures, schedule::Form::persistent);
    forecast_ = pilots(kernels_[0].traits, kernels_[1].traits).value();
  }

  // Returns the best makespan of schedules that need no forecast: one after the other, streams, priorities, and whole
  // kernels on SMs of their own at each split.
  Nanoseconds baseline() const {
    const std::array alone = {*kernels_[0].traits.alone, *kernels_[1].traits.alone};
    const double works = 0.5 * static_cast<double>(arrivals_.size());
    const schedule::SweepOptions options{.rounds = 1, .least_time = (works - 0.5) * std::max(alone[0], alone[1])};
    const schedule::PairSweep sweep = sweep_pair(*machine(), 0, 1, options).value();
    const Nanoseconds swept =
        static_cast<double>(sweep.repetitions[0]) * alone[0] + static_cast<double>(sweep.repetitions[1]) * alone[1];
    return sweep.best(schedule::is_baseline)->makespan * (works * (alone[0] + alone[1]) / swept);
  }
  Nanoseconds paired(const Falsify& falsify) const {
    schedule::PairTable table(gpu_.sms);
    table.learn(0, 1, falsified(forecast_, falsify));
    return run_queue(*machine(), arrivals_, {.policy = "paired"}, table).value().makespan;
  }

  std::string name() const { return kernels_[0].kernel.name + ", " + kernels_[1].kernel.name; }
  const schedule::PairForecast& forecast() const { return forecast_; }

 private:
  std::unique_ptr<schedule::SimulatedMachine> machine() const { return simulated_machine(gpu_, kernels_); }

  const simulate::GpuModel& gpu_;
  std::vector<schedule::ProfiledKernel> kernels_;
  std::vector<schedule::Arrival> arrivals_;
  schedule::PairForecast forecast_;
};

}  // namespace wattune::perf
