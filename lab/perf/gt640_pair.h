// Pairs of Jiao's kernels on a simulated GT 640, at all ratios of blocks and all clocks.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "lab/perf/gt640_alone.h"
#include "schedule/interface/policy.h"
#include "simulate/interface/corun_kernels.h"
#include "wattune/model/co_residency.h"
#include "wattune/schedule/forecast.h"

namespace wattune::perf {

struct PairPoint {
  model::BlockRatio ratio;
  Efficiency efficiency;
};

struct PairChoice {
  double promise = -1.0;  // its gain as forecast from runs alone
  PairPoint point;

  // Tells whether policies would run the pair together. They run it one after the other if it promises too little gain.
  bool is_taken() const { return promise >= schedule::PolicyOptions().least_gain; }
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
  // Returns the ratio of blocks at which running together gains most over one after the other, at the allowed clocks.
  //
  // Another ratio may do more operations per joule only because it has more blocks of the more efficient kernel. Such a
  // mix would do them one after the other, too.
  PairPoint best_ratio(Clocks allowed) const {
    const auto clocks =
        allowed == Clocks::best ? simulate::clock_pairs(gt640()) : std::vector{simulate::highest_clocks(gt640())};
    PairPoint best;
    double most = 0.0;
    for (const model::BlockRatio& ratio : ratios())
      for (const ClockPair& each : clocks) {
        const Efficiency here = at(ratio, each);
        const double gained = here.operations_per_joule() / in_turn(here, allowed);
        if (gained > most) most = gained, best = {ratio, here};
      }
    return best;
  }
  // Returns the ratio of blocks and the clocks that a forecast from runs of each kernel alone takes for best.
  PairChoice predicted_best() const {
    PairChoice best;
    for (const ClockPair& clocks : simulate::clock_pairs(gt640())) {
      const std::array traits = {traits_at(*kernels_[0], clocks), traits_at(*kernels_[1], clocks)};
      const auto forecaster = forecaster_at(clocks);
      for (const model::BlockRatio& ratio : ratios()) {
        const auto forecast = forecaster(up_to(traits[0], ratio.first), up_to(traits[1], ratio.second)).value();
        const double promise = predicted_gain(forecast, clocks);
        if (promise > best.promise) best = {promise, {ratio, at(ratio, clocks)}};
      }
    }
    return best;
  }

  // Returns the operations per joule if the kernels do the same work one after the other.
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
          simulate::simulated_flow(simulate::at_clocks(gt640(), clocks), residents, kDetailed, kInstructions).value());
    };
    const Efficiency together = detailed(point.efficiency.clocks, residents(point.ratio));
    double joules = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Residents all = all_of(*kernels_[i]);
      joules += 1e9 * together.flow.rates[i] / detailed(best_[i].clocks, {&all, 1}).operations_per_joule();
    }
    return joules / together.power.value() - 1.0;
  }
  // Returns how many times as fast the kernels do their work together as one after the other at the highest clocks.
  double speedup(const Efficiency& together) const {
    return together.flow.rates[0] / highest_[0].flow.operations + together.flow.rates[1] / highest_[1].flow.operations;
  }
  double slowness_at_best_clocks(const Efficiency& together) const {
    return (together.flow.rates[0] / best_[0].flow.operations + together.flow.rates[1] / best_[1].flow.operations) /
           speedup(together);
  }
  // Returns the forecast of this point for a scheduler. It compares with each kernel alone at `clocks`.
  schedule::PairForecast forecast(const PairPoint& point, Clocks clocks) const {
    schedule::PairForecast forecast{.ratio = point.ratio};
    const auto& alone = clocks == Clocks::best ? best_ : highest_;
    if (clocks == Clocks::best) forecast.clocks = setting_of(point.efficiency.clocks);
    schedule::PairWatts& watts = forecast.watts.emplace();
    watts.idle = idle_power(point.efficiency.clocks);
    for (std::size_t i = 0; i < 2; ++i) {
      forecast.rates[i] = point.efficiency.flow.rates[i] / highest_[i].flow.operations;
      watts.alone[i] = Watts(1e9 * highest_[i].flow.operations / alone[i].operations_per_joule());
      watts.added[i] = added_at(point.efficiency.clocks, i);
    }
    // Together the kernels may add less power than the sum of what each adds alone, because only the busier one of L2
    // and DRAM draws power.
    const double part = (point.efficiency.power - watts.idle) / (forecast.power() - watts.idle);
    for (Watts& added : watts.added) added = part * added;
    return forecast;
  }

 private:
  std::array<Residents, 2> residents(model::BlockRatio ratio) const {
    return {Residents{&kernels_[0]->kernel, ratio.first}, Residents{&kernels_[1]->kernel, ratio.second}};
  }
  std::vector<model::BlockRatio> ratios() const {
    return model::feasible_ratios(gt640().capability, kernels_[0]->kernel.block, kernels_[1]->kernel.block).value();
  }
  static schedule::Forecaster forecaster_at(const ClockPair& clocks) {
    const GpuModel gpu = simulate::at_clocks(gt640(), clocks);
    return schedule::residency_forecaster(schedule::limits_of(gpu), simulate::chain_sm(gpu),
                                          {.goal = schedule::Goal::energy});
  }
  // Limits the traits to `blocks` blocks, because a forecast only considers numbers of blocks with a known speed.
  static schedule::KernelTraits up_to(schedule::KernelTraits traits, unsigned blocks) {
    traits.rate_at_residency.resize(blocks);
    return traits;
  }
  // Returns the power that the kernel adds to the idle power at these clocks, scaled to its speed alone at the highest
  // clocks.
  Watts added_at(const ClockPair& clocks, std::size_t place) const {
    const Residents all = all_of(*kernels_[place]);
    const Efficiency alone = simulate::efficiency_at(gt640(), clocks, {&all, 1});
    return highest_[place].flow.operations / alone.flow.operations * (alone.power - idle_power(clocks));
  }
  double predicted_gain(const schedule::PairForecast& forecast, const ClockPair& clocks) const {
    double joules = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Residents all = all_of(*kernels_[i]);
      joules += 1e9 * forecast.rates[i] * simulate::efficiency_at(gt640(), clocks, {&all, 1}).flow.operations /
                best_[i].operations_per_joule();
    }
    return joules / forecast.power().value() - 1.0;
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

// Returns all pairs with their best gains. The search runs only once, because several tables need its result.
inline const std::vector<RankedPair>& all_pairs() {
  static const std::vector<RankedPair> pairs = [] {
    std::vector<RankedPair> all;
    const auto& kernels = simulate::gt640_kernels();
    for (std::size_t i = 0; i < kernels.size(); ++i)
      for (std::size_t j = i + 1; j < kernels.size(); ++j) {
        const Pair pair(kernels[i], kernels[j]);
        const PairPoint best = pair.exhaustive();
        all.push_back({pair, best, pair.gain(best.efficiency), {i, j}});
      }
    return all;
  }();
  return pairs;
}

}  // namespace wattune::perf
