// Pairs of Jiao's kernels on a simulated GT 640 at all ratios and clocks, by the rates of the fast fidelity.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "wattune/model/co_residency.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/profit_table.h"
#include "wattune/schedule/simulated_machine.h"
#include "wattune/simulate/corun_kernels.h"
#include "wattune/simulate/gt640_kernels.h"
#include "wattune/simulate/steady_flow.h"

namespace wattune::perf {

using simulate::ClockPair;
using simulate::Efficiency;
using simulate::GpuModel;
using simulate::Gt640Kernel;
using simulate::Residents;

constexpr simulate::GpuOptions kDetailed{.fidelity = simulate::Fidelity::detailed};
constexpr double kInstructions = 3e5;  // of a detailed run

enum class Clocks { highest, best };

inline const GpuModel& gt640() { return *simulate::find_gpu_model("GT640"); }
inline const Gt640Kernel& named(const char* name) { return *simulate::find_gt640_kernel(name); }

inline Residents all_of(const Gt640Kernel& kernel) { return {&kernel.kernel, kernel.resident}; }
inline Efficiency alone(const Gt640Kernel& kernel, Clocks clocks) {
  const Residents all = all_of(kernel);
  return clocks == Clocks::best ? simulate::best_efficiency(gt640(), {&all, 1})
                                : simulate::efficiency_at(gt640(), simulate::highest_clocks(gt640()), {&all, 1});
}

inline backend::BoardSetting setting_of(const ClockPair& clocks) {
  return {.graphics = clocks.core, .memory = clocks.memory};
}

// A kernel as schedulers see it at these clocks, from runs alone.
inline schedule::KernelTraits traits_at(const Gt640Kernel& kernel, const ClockPair& clocks) {
  const GpuModel gpu = simulate::at_clocks(gt640(), clocks);
  schedule::KernelTraits traits = schedule::traits_of(kernel.kernel, gpu).value();
  const Residents all = all_of(kernel);
  const Efficiency full = simulate::efficiency_at(gt640(), clocks, {&all, 1});
  for (unsigned blocks = 1; blocks <= kernel.resident; ++blocks) {
    const Residents some{&kernel.kernel, blocks};
    traits.rate_at_residency.push_back(simulate::steady_flow(gpu, {&some, 1}).operations / full.flow.operations);
  }
  traits.utilisation = {full.flow.activity.core, full.flow.dram_gigabytes / gpu.dram_gigabytes_per_second};
  traits.power = {.alone = full.power,
                  .idle = simulate::power_at(*simulate::find_board_model(gpu.board),
                                             {.graphics = clocks.core, .memory = clocks.memory}, {}, Celsius(50))};
  return traits;
}

struct PairPoint {
  model::BlockRatio ratio;
  Efficiency efficiency;
};

class Pair {
 public:
  Pair(const Gt640Kernel& first, const Gt640Kernel& second) : kernels_{&first, &second} {
    for (std::size_t i = 0; i < 2; ++i) {
      highest_[i] = alone(*kernels_[i], Clocks::highest);
      best_[i] = alone(*kernels_[i], Clocks::best);
    }
  }

  const std::array<const Gt640Kernel*, 2>& kernels() const { return kernels_; }

  Efficiency at(model::BlockRatio ratio, const ClockPair& clocks) const {
    return simulate::efficiency_at(gt640(), clocks, residents(ratio));
  }
  Efficiency best_clocks(model::BlockRatio ratio) const { return simulate::best_efficiency(gt640(), residents(ratio)); }
  PairPoint exhaustive() const { return best_ratio(Clocks::best); }
  PairPoint best_ratio(Clocks clocks) const {
    PairPoint best;
    for (const model::BlockRatio& ratio : ratios()) {
      const Efficiency each =
          clocks == Clocks::best ? best_clocks(ratio) : at(ratio, simulate::highest_clocks(gt640()));
      if (best.ratio.first == 0 || gain(each) > gain(best.efficiency)) best = {ratio, each};
    }
    return best;
  }
  // What the ratio and the clocks come to that runs alone say are the best.
  Efficiency predicted_best() const {
    double most = 0.0;
    PairPoint chosen;
    for (const ClockPair& clocks : simulate::clock_pairs(gt640())) {
      const std::array traits = {traits_at(*kernels_[0], clocks), traits_at(*kernels_[1], clocks)};
      const GpuModel gpu = simulate::at_clocks(gt640(), clocks);
      const auto forecast = schedule::residency_forecaster(schedule::limits_of(gpu), simulate::chain_sm(gpu),
                                                           {.goal = schedule::Goal::energy})(traits[0], traits[1])
                                .value();
      const double promised = predicted_gain(forecast, clocks);
      if (promised > most) most = promised, chosen = {forecast.ratio, at(forecast.ratio, clocks)};
    }
    return chosen.efficiency;
  }

  // Operations per joule of this mix one after the other.
  double in_turn(const Efficiency& together, Clocks clocks) const {
    const auto& alone = clocks == Clocks::best ? best_ : highest_;
    const auto& rates = together.flow.rates;
    return (rates[0] + rates[1]) /
           (rates[0] / alone[0].operations_per_joule() + rates[1] / alone[1].operations_per_joule());
  }
  double gain(const Efficiency& together) const {
    return together.operations_per_joule() / in_turn(together, Clocks::best) - 1.0;
  }
  double gain_in_detail(const PairPoint& point) const {
    const auto detailed = [](const ClockPair& clocks, std::span<const Residents> residents) {
      return simulate::efficiency_of(
          gt640(), clocks,
          simulate::simulated_flow(simulate::at_clocks(gt640(), clocks), residents, kDetailed, kInstructions));
    };
    const Efficiency together = detailed(point.efficiency.clocks, residents(point.ratio));
    double joules = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Residents all = all_of(*kernels_[i]);
      joules += 1e9 * together.flow.rates[i] / detailed(best_[i].clocks, {&all, 1}).operations_per_joule();
    }
    return joules / together.power.value() - 1.0;
  }
  // Over one after the other at the highest clocks.
  double speedup(const Efficiency& together) const {
    return together.flow.rates[0] / highest_[0].flow.operations + together.flow.rates[1] / highest_[1].flow.operations;
  }
  double slowness_at_best_clocks(const Efficiency& together) const {
    return (together.flow.rates[0] / best_[0].flow.operations + together.flow.rates[1] / best_[1].flow.operations) /
           speedup(together);
  }
  // As a scheduler is told of it, which gains over each alone at these clocks.
  schedule::PairForecast forecast(const PairPoint& point, Clocks clocks) const {
    schedule::PairForecast forecast{.ratio = point.ratio};
    const auto& alone = clocks == Clocks::best ? best_ : highest_;
    if (clocks == Clocks::best) forecast.clocks = setting_of(point.efficiency.clocks);
    forecast.watts.idle = point.efficiency.power;
    for (std::size_t i = 0; i < 2; ++i) {
      forecast.rates[i] = point.efficiency.flow.rates[i] / highest_[i].flow.operations;
      forecast.watts.alone[i] = Watts(1e9 * highest_[i].flow.operations / alone[i].operations_per_joule());
    }
    return forecast;
  }

 private:
  std::array<Residents, 2> residents(model::BlockRatio ratio) const {
    return {Residents{&kernels_[0]->kernel, ratio.first}, Residents{&kernels_[1]->kernel, ratio.second}};
  }
  std::vector<model::BlockRatio> ratios() const {
    return model::feasible_ratios(gt640().capability, kernels_[0]->kernel.block, kernels_[1]->kernel.block).value();
  }
  double predicted_gain(const schedule::PairForecast& forecast, const ClockPair& clocks) const {
    double joules = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Residents all = all_of(*kernels_[i]);
      joules += 1e9 * forecast.rates[i] * simulate::efficiency_at(gt640(), clocks, {&all, 1}).flow.operations /
                best_[i].operations_per_joule();
    }
    return joules / forecast.power().value();
  }

  std::array<const Gt640Kernel*, 2> kernels_;
  std::array<Efficiency, 2> highest_;
  std::array<Efficiency, 2> best_;
};

struct RankedPair {
  Pair pair;
  PairPoint best;
  double gain = 0.0;
  std::array<std::size_t, 2> places = {};

  std::string name() const { return pair.kernels()[0]->kernel.name + ", " + pair.kernels()[1]->kernel.name; }
};

inline std::vector<RankedPair> all_pairs() {
  std::vector<RankedPair> all;
  const auto& kernels = simulate::gt640_kernels();
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j) {
      const Pair pair(kernels[i], kernels[j]);
      const PairPoint best = pair.exhaustive();
      all.push_back({pair, best, pair.gain(best.efficiency), {i, j}});
    }
  return all;
}

struct Triple {
  std::array<const Gt640Kernel*, 3> kernels;
  double promise = 0.0;  // sum of the gains of its pairs

  std::string name() const {
    return kernels[0]->kernel.name + ", " + kernels[1]->kernel.name + ", " + kernels[2]->kernel.name;
  }
};

inline std::vector<Triple> most_promising_triples(std::size_t count) {
  const auto& kernels = simulate::gt640_kernels();
  std::vector<std::vector<double>> gains(kernels.size(), std::vector<double>(kernels.size()));
  for (const RankedPair& pair : all_pairs()) gains[pair.places[0]][pair.places[1]] = pair.gain;
  std::vector<Triple> all;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j)
      for (std::size_t k = j + 1; k < kernels.size(); ++k)
        all.push_back({{&kernels[i], &kernels[j], &kernels[k]}, gains[i][j] + gains[i][k] + gains[j][k]});
  std::ranges::sort(all, std::ranges::greater(), &Triple::promise);
  all.resize(std::min(count, all.size()));
  return all;
}

struct TripleResult {
  double gain_of_three = -1.0;
  double gain_of_two = -1.0;  // of the best two and the third alone, for the same work
};

// Joules of so much work of each, alone at the best clocks.
inline double joules_alone(const Gt640Kernel& kernel, double operations) {
  return 1e9 * operations / alone(kernel, Clocks::best).operations_per_joule();
}

// Two of three at their best ratio until one is done; what is left and the third alone.
inline double joules_of_two(const Triple& triple, const std::vector<double>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t out = 0; out < 3; ++out) {
    const std::array<std::size_t, 2> in = {(out + 1) % 3, (out + 2) % 3};
    const Pair pair(*triple.kernels[in[0]], *triple.kernels[in[1]]);
    const Efficiency best = pair.exhaustive().efficiency;
    const double time = std::min(work[in[0]] / best.flow.rates[0], work[in[1]] / best.flow.rates[1]);
    double joules = best.power.value() * time + joules_alone(*triple.kernels[out], work[out]);
    for (std::size_t i = 0; i < 2; ++i)
      joules += joules_alone(*triple.kernels[in[i]], work[in[i]] - time * best.flow.rates[i]);
    least = std::min(least, joules);
  }
  return least;
}

inline TripleResult judge(const Triple& triple) {
  TripleResult result;
  for (unsigned i = 1; i < 8; ++i)
    for (unsigned j = 1; i + j < 8; ++j)
      for (unsigned k = 1; i + j + k <= 8; ++k) {
        const std::array residents = {Residents{&triple.kernels[0]->kernel, i},
                                      Residents{&triple.kernels[1]->kernel, j},
                                      Residents{&triple.kernels[2]->kernel, k}};
        const Efficiency best = simulate::best_efficiency(gt640(), residents);
        double in_turn = 0.0;
        for (std::size_t n = 0; n < 3; ++n) in_turn += joules_alone(*triple.kernels[n], best.flow.rates[n]);
        const double gain = in_turn / best.power.value() - 1.0;
        if (gain <= result.gain_of_three) continue;
        result = {gain, in_turn / joules_of_two(triple, best.flow.rates) - 1.0};
      }
  return result;
}

struct PoolResult {
  schedule::PoolPlan plan;
  double over_best = 0.0;     // gain over one after the other at the best clocks for each
  double over_highest = 0.0;  // and at the highest clocks
};

// All eleven, with the blocks of table 3, by the greedy schedule.
inline PoolResult run_pool() {
  const auto& kernels = simulate::gt640_kernels();
  schedule::PairTable forecasts;
  for (const RankedPair& each : all_pairs())
    forecasts.learn(each.places[0], each.places[1], each.pair.forecast(each.best, Clocks::best));
  schedule::ProfitTable profits({.goal = schedule::Goal::energy});
  std::vector<schedule::PoolKernel> pool;
  double best = 0.0;
  double highest = 0.0;
  std::vector<double> joules_per_block;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double blocks = static_cast<double>(kernels[i].kernel.blocks);
    const double operations = blocks * kernels[i].kernel.instructions_per_block() * 1e-9;
    const double joules = joules_alone(kernels[i], operations);
    best += joules;
    highest += 1e9 * operations / alone(kernels[i], Clocks::highest).operations_per_joule();
    joules_per_block.push_back(joules / blocks);
    profits.add(i, forecasts);
    pool.push_back({i, blocks, blocks * alone(kernels[i], Clocks::highest).flow.operations / operations});
  }
  PoolResult result{.plan = schedule::plan_pool(pool, profits)};
  double joules = 0.0;
  for (const schedule::PoolPhase& phase : result.plan.phases)
    joules += phase.seconds * phase.pair.forecast.power().value();
  for (const schedule::PoolKernel& left : result.plan.alone) joules += left.blocks * joules_per_block[left.kernel];
  result.over_best = best / joules - 1.0;
  result.over_highest = highest / joules - 1.0;
  return result;
}

}  // namespace wattune::perf
