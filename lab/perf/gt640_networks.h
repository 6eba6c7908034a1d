// Pairs of Jiao's kernels on a GT 640: as networks predict them that know the features of each kernel alone, and as
// they are simulated.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "lab/perf/gt640_pair.h"
#include "schedule/interface/board_networks.h"

namespace wattune::perf {

using simulate::Fidelity;

inline const schedule::BoardNetworks& networks() {
  static const schedule::BoardNetworks trained = schedule::train_networks(gt640()).value();
  return trained;
}

inline Efficiency simulated_at(const ClockPair& clocks, std::span<const Residents> residents, Fidelity fidelity) {
  if (fidelity == Fidelity::fast) return simulate::efficiency_at(gt640(), clocks, residents);
  return simulate::efficiency_of(
      gt640(), clocks,
      simulate::simulated_flow(simulate::at_clocks(gt640(), clocks), residents, kDetailed, kInstructions).value());
}

// Returns the operations per joule of a kernel alone at its best clocks. Each kernel is simulated only once.
inline double best_alone(const Gt640Kernel& kernel, Fidelity fidelity) {
  static std::map<std::pair<const Gt640Kernel*, Fidelity>, double> known;
  double& best = known[{&kernel, fidelity}];
  const Residents all = all_of(kernel);
  if (best == 0.0) best = simulated_at(alone(kernel, Clocks::best).clocks, {&all, 1}, fidelity).operations_per_joule();
  return best;
}

// Returns the traits of a kernel with the features that networks use. The features come from a run alone at the highest
// clocks.
inline schedule::KernelTraits with_features(const Gt640Kernel& kernel, Fidelity fidelity) {
  const ClockPair highest = simulate::highest_clocks(gt640());
  schedule::KernelTraits traits = traits_at(kernel, highest);
  const Residents all = all_of(kernel);
  traits.features = simulated_at(highest, {&all, 1}, fidelity).flow.features;
  return traits;
}

// Returns the networks' forecast for a pair as a scheduler gets it, with all ratios of blocks.
inline schedule::PairForecast network_forecast(const std::array<schedule::KernelTraits, 2>& traits) {
  const auto forecaster = schedule::network_forecaster(networks(), schedule::limits_of(gt640()), networks().clocks);
  return forecaster(traits[0], traits[1]).value();
}

// Returns the clocks that the networks choose for a kernel that runs alone.
inline backend::BoardSetting clocks_by_networks(const Gt640Kernel& kernel) {
  return schedule::nearest_setting(networks().at(*with_features(kernel, Fidelity::fast).features), networks().clocks);
}

// A pair of kernels at a ratio of blocks, as the networks predict it.
struct PredictedWay {
  model::BlockRatio ratio;
  ClockPair clocks;
  double gain = 0.0;        // over one after the other
  double operations = 0.0;  // 1e9 per second, at the highest clocks
  double efficiency = 0.0;  // operations per joule at the predicted clocks
  double in_turn = 0.0;     // operations per joule one after the other
};

// Returns the predictions for a pair at all ratios of blocks, the best first.
inline std::vector<PredictedWay> predicted_ways(const Pair& pair, Fidelity fidelity) {
  const auto& kernels = pair.kernels();
  const std::array traits = {with_features(*kernels[0], fidelity), with_features(*kernels[1], fidelity)};
  schedule::PairForecast best = network_forecast(traits);
  std::vector<schedule::PairForecast> forecasts = std::exchange(best.others, {});
  forecasts.insert(forecasts.begin(), std::move(best));
  std::vector<PredictedWay> ways;
  for (const schedule::PairForecast& each : forecasts) {
    double operations = 0.0;
    for (std::size_t k = 0; k < 2; ++k)
      operations += each.rates[k] * (*traits[k].features)[model::Feature::instructions];
    ways.push_back({.ratio = each.ratio,
                    .clocks = {*each.clocks->graphics, *each.clocks->memory},
                    .gain = each.energy_gain() - 1.0,
                    .operations = operations,
                    .efficiency = 1e9 * operations / each.power().value(),
                    .in_turn = 1e9 * operations / each.watts_in_turn().value()});
  }
  return ways;
}

// Errors of predictions, in %.
struct Errors {
  double sum = 0.0;
  double worst = 0.0;
  int count = 0;
  int within_five = 0;

  void add(double predicted, double simulated) {
    const double error = 100.0 * std::abs(predicted / simulated - 1.0);
    sum += error;
    worst = std::max(worst, error);
    within_five += error <= 5.0 ? 1 : 0;
    ++count;
  }
  double mean() const { return sum / count; }
  double share_within_five() const { return 100.0 * within_five / count; }
};

// The errors of predictions for a pair, over all ratios of blocks.
struct PairErrors {
  Errors operations;  // per second, at the highest clocks
  Errors efficiency;  // at the best clocks for each ratio
  Errors in_turn;     // of one after the other, for the mix of work that the pair does

  void add(const Pair& pair, const PredictedWay& way, Fidelity fidelity) {
    const auto& kernels = pair.kernels();
    const std::array residents = {Residents{&kernels[0]->kernel, way.ratio.first},
                                  Residents{&kernels[1]->kernel, way.ratio.second}};
    const Efficiency top = simulated_at(simulate::highest_clocks(gt640()), residents, fidelity);
    const Efficiency best = simulated_at(pair.best_clocks(way.ratio).clocks, residents, fidelity);
    const auto& rates = top.flow.rates;
    double joules = 0.0;
    for (std::size_t k = 0; k < 2; ++k) joules += rates[k] / best_alone(*kernels[k], fidelity);
    operations.add(way.operations, top.flow.operations);
    efficiency.add(way.efficiency, best.operations_per_joule());
    in_turn.add(way.in_turn, (rates[0] + rates[1]) / joules);
  }
};

}  // namespace wattune::perf
