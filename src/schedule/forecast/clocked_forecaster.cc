// Forecasts pairs at clocks at which they never ran. Uses the runs of each kernel alone at these clocks, and the speeds
// of the pair at the board's own clocks.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "model/interface/pair_power.h"
#include "schedule/forecast/by_memory.h"
#include "schedule/interface/clock_profile.h"
#include "schedule/interface/timing_class.h"

namespace wattune::inline v0_1::schedule {

namespace {

using Kernels = std::array<const KernelTraits*, 2>;

// A kernel with its points at one memory clock.
struct KernelAtMemory {
  const KernelTraits* kernel;
  std::span<const AtClock> points;
};

// Returns the time of a kernel at this point, divided by its time at the board's own clocks.
double slowness(const AtClock& point, const KernelTraits& kernel) { return point.alone / *kernel.alone; }

model::BoardOverClocks board_of(std::span<const AtClock> one, std::span<const AtClock> other,
                                std::optional<Watts> limit) {
  model::BoardOverClocks board{.idle = {}, .limit = limit};
  for (std::size_t i = 0; i < one.size(); ++i)
    board.idle.push_back({one[i].clock, 0.5 * (one[i].power.idle + other[i].power.idle)});
  return board;
}

// Returns the kernel's rate of issue at the highest core clock of these points, divided by its rate at the last memory
// clock of the profile. It is below 1 if the kernel waits for a slower memory.
double issue_share(const KernelAtMemory& at) {
  const AtClock& point = at.points.back();
  const backend::BoardSetting last{.graphics = point.clock, .memory = at.kernel->at_clocks.back().memory};
  const AtClock* const faster = at.kernel->at(last);
  return faster == nullptr ? 1.0 : faster->alone / point.alone;
}

// Returns the kernel's runs alone for the model, with its use of memory at the highest of these clocks. A kernel that
// runs more slowly at these clocks uses the memory less. A slower memory is busy for longer with the same accesses.
model::SoloKernel solo_of(const KernelAtMemory& at, std::optional<Megahertz> own_memory) {
  model::SoloKernel solo{.runs = {}, .utilisation = likely_utilisation(*at.kernel)};
  for (const AtClock& point : at.points) solo.runs.push_back({point.clock, point.alone, point.power.alone});
  const std::optional<Megahertz>& memory = at.points.back().memory;
  const double slower_memory = memory && own_memory ? *own_memory / *memory : 1.0;
  solo.utilisation.pipeline *= issue_share(at);
  solo.utilisation.memory *= slower_memory;
  solo.utilisation.memory /= slowness(at.points.back(), *at.kernel);
  return solo;
}

// Returns the speeds of a pair for the model. Only pairs that share SMs have a ratio. Other pairs get an arbitrary
// ratio, because the model does not use it.
model::PairSpeeds speeds_of(const PairForecast& way) {
  return {.ratio = way.ratio.first > 0 ? way.ratio : model::BlockRatio{1, 1}, .rates = way.rates};
}

// Returns the forecast for a predicted pair. Speeds and powers are relative to the kernel's time alone at the board's
// own clocks, as in all forecasts.
PairForecast way_at(const model::PairPrediction& predicted, const std::optional<Megahertz>& memory,
                    const PairForecast& way, const Kernels& kernels) {
  PairForecast forecast = way;
  forecast.clocks = backend::BoardSetting{.graphics = predicted.clock, .memory = memory};
  PairWatts& watts = forecast.watts.emplace();
  watts.idle = predicted.idle;
  for (std::size_t k = 0; k < 2; ++k) {
    const double slower = slowness(*kernels[k]->at(forecast.clocks), *kernels[k]);
    forecast.rates[k] = predicted.rates[k] / slower;
    watts.added[k] = slower * predicted.added[k];
    forecast.slower_alone[k] = kernels[k]->slower_alone();
    watts.alone[k] = kernels[k]->at(kernels[k]->best_clocks)->energy() / *kernels[k]->alone;
  }
  return forecast;
}

// Properties of the board that the forecasts need.
struct BoardLimits {
  std::optional<Watts> power;
  std::optional<Megahertz> own_memory;
};

// Appends to `ways` the forecasts at one memory clock.
Result<void> add_ways(const std::vector<PairForecast>& own, const BoardLimits& board, const Kernels& kernels,
                      std::span<const AtClock> of_first, std::span<const AtClock> of_second,
                      std::vector<PairForecast>& ways) {
  const model::BoardOverClocks over_clocks = board_of(of_first, of_second, board.power);
  const model::SoloKernel first = solo_of({kernels[0], of_first}, board.own_memory);
  const model::SoloKernel second = solo_of({kernels[1], of_second}, board.own_memory);
  for (const PairForecast& way : own) {
    if (!(way.rates[0] > 0.0 && way.rates[1] > 0.0)) continue;
    const model::PairSpeeds speeds = speeds_of(way);
    WATTUNE_ASSIGN(const auto predictions, model::predict_pair_at_clocks(over_clocks, first, second, {&speeds, 1}));
    for (const model::PairPrediction& predicted : predictions)
      if (predicted.clock == predicted.asked) ways.push_back(way_at(predicted, of_first.back().memory, way, kernels));
  }
  return {};
}

Result<PairForecast> forecast_at_clocks(PairForecast own, const BoardLimits& board, const Objective& objective,
                                        const Kernels& kernels) {
  std::vector<PairForecast> all = std::exchange(own.others, {});
  all.insert(all.begin(), std::move(own));
  const auto of_first = by_memory(std::span(kernels[0]->at_clocks));
  const auto of_second = by_memory(std::span(kernels[1]->at_clocks));
  std::vector<PairForecast> ways;
  for (std::size_t i = 0; i < of_first.size(); ++i)
    WATTUNE_TRY(add_ways(all, board, kernels, of_first[i], of_second[i], ways));
  return best_of(objective, std::move(ways));
}

}  // namespace

Forecaster clocked_forecaster(Forecaster at_own_clocks, std::optional<Watts> board_limit, const Objective& objective,
                              std::optional<Megahertz> own_memory) {
  return [at_own_clocks = std::move(at_own_clocks), board = BoardLimits{board_limit, own_memory}, objective](
             const KernelTraits& first, const KernelTraits& second) -> Result<PairForecast> {
    WATTUNE_ASSIGN(PairForecast own, at_own_clocks(first, second));
    return forecast_at_clocks(std::move(own), board, objective, {&first, &second});
  };
}

}  // namespace wattune::schedule
