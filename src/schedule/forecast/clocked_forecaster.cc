// Forecasts of pairs at clocks at which they never ran: from each kernel alone at these clocks, and from their speeds
// beside each other at the board's own clocks.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "model/interface/pair_power.h"
#include "schedule/interface/clock_profile.h"

namespace wattune::inline v0_1::schedule {

namespace {

using Kernels = std::array<const KernelTraits*, 2>;

// Returns how much longer a kernel takes than at the board's own clocks.
double slowness(const AtClock& point, const KernelTraits& kernel) { return point.alone / *kernel.alone; }

model::BoardOverClocks board_of(const Kernels& kernels, std::optional<Watts> limit) {
  model::BoardOverClocks board{.idle = {}, .limit = limit};
  for (std::size_t i = 0; i < kernels[0]->at_clocks.size(); ++i) {
    const auto& [one, other] = std::pair(kernels[0]->at_clocks[i], kernels[1]->at_clocks[i]);
    board.idle.push_back({one.clock, 0.5 * (one.power.idle + other.power.idle)});
  }
  return board;
}

// Returns the kernel's runs alone for the model. Its demand for memory shrinks with its speed, if the highest of these
// clocks is not the board's own.
model::SoloKernel solo_of(const KernelTraits& kernel) {
  model::SoloKernel solo{.runs = {}, .utilisation = kernel.utilisation};
  for (const AtClock& point : kernel.at_clocks) solo.runs.push_back({point.clock, point.alone, point.power.alone});
  solo.utilisation.memory /= slowness(kernel.at_clocks.back(), kernel);
  return solo;
}

// Returns the speeds of a pair for the model. Pairs that split the SMs have no ratio; the model needs none, so any will
// do.
model::PairSpeeds speeds_of(const PairForecast& way) {
  return {.ratio = way.sms_of_first ? model::BlockRatio{1, 1} : way.ratio, .rates = way.rates};
}

// Returns the predicted way. Its speeds and powers are divided by those alone at the board's own clocks, as in
// forecasts.
PairForecast way_at(const model::PairPrediction& predicted, const PairForecast& way, const Kernels& kernels) {
  PairForecast forecast = way;
  forecast.clocks = backend::BoardSetting{.graphics = predicted.clock};
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

Result<PairForecast> forecast_at_clocks(PairForecast own, std::optional<Watts> limit, const Objective& objective,
                                        const Kernels& kernels) {
  std::vector<PairForecast> all = std::exchange(own.others, {});
  all.insert(all.begin(), std::move(own));
  const model::BoardOverClocks board = board_of(kernels, limit);
  std::vector<PairForecast> ways;
  for (const PairForecast& way : all) {
    if (!(way.rates[0] > 0.0 && way.rates[1] > 0.0)) continue;
    const model::PairSpeeds speeds = speeds_of(way);
    WATTUNE_ASSIGN(const auto predictions,
                   model::predict_pair_at_clocks(board, solo_of(*kernels[0]), solo_of(*kernels[1]), {&speeds, 1}));
    for (const model::PairPrediction& predicted : predictions)
      if (predicted.clock == predicted.asked) ways.push_back(way_at(predicted, way, kernels));
  }
  return best_of(objective, std::move(ways));
}

}  // namespace

Forecaster clocked_forecaster(Forecaster at_own_clocks, std::optional<Watts> board_limit, const Objective& objective) {
  return [at_own_clocks = std::move(at_own_clocks), board_limit, objective](
             const KernelTraits& first, const KernelTraits& second) -> Result<PairForecast> {
    WATTUNE_ASSIGN(PairForecast own, at_own_clocks(first, second));
    return forecast_at_clocks(std::move(own), board_limit, objective, {&first, &second});
  };
}

}  // namespace wattune::schedule
