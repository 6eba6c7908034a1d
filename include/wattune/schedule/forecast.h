// What two kernels are expected to do together: forecasts, the table that holds them, and what measurements say of
// them.
//
// A Forecaster makes a forecast, in a fraction of a millisecond and more; a PairTable answers in a hundred nanoseconds.
// Forecasters may be called from any thread, several at once, unless they measure; a PairTable belongs to one thread at
// a time.
//
//   const schedule::Forecaster chain = schedule::chain_forecaster(limits, sm);
//   if (auto pair = chain(*machine.kernel(fma), *machine.kernel(copy))) table.learn(fma, copy, *pair);
//   if (const auto pair = table.find(copy, fma); pair && pair->speedup() > 1.02) run_together(pair->ratio);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "wattune/core/result.h"
#include "wattune/model/co_residency.h"
#include "wattune/schedule/machine.h"

namespace wattune::schedule {

struct PairForecast {
  model::BlockRatio ratio = {};      // blocks on each SM; 0 of both: they never share one
  unsigned sms_of_first = 0;         // where they split the SMs instead; 0: they share all
  std::array<double, 2> rates = {};  // the speed of each beside the other, over its speed alone

  // S of Kernelet: how much faster they are than one after the other while both run.
  double speedup() const { return rates[0] + rates[1]; }
  // CP of Kernelet (equation 1): the share of time that is saved; minus infinity where they do not run together.
  double profit() const { return 1.0 - 1.0 / speedup(); }
  PairForecast swapped(unsigned sms) const;
};

using Forecaster = std::function<Result<PairForecast>(const KernelTraits& first, const KernelTraits& second)>;

// Each kernel has the speed that it has alone with so many resident blocks, as it was measured, or as the chain
// predicts for one kernel; less what the chain says that waiting for the other's requests costs, and what the two want
// more of the pipelines or of the memory than there is; at the best feasible ratio.
Forecaster residency_forecaster(const MachineLimits& limits, const model::ChainSm& sm);
// Kernelet's chain at the best feasible ratio. A pair that never fits on an SM has rates of 0.
Forecaster chain_forecaster(const MachineLimits& limits, const model::ChainSm& sm,
                            model::RatioRule rule = model::RatioRule::most_profit);
// The split of the SMs with which both have ended soonest, where the speed of each kernel grows with its SMs up to its
// saturating share; less what waiting for the other's requests costs, and what the two want more of L2 and DRAM than
// there is, which all SMs share.
Forecaster split_forecaster(const MachineLimits& limits, const model::ChainSm& sm);
// Runs the pair on the machine at each feasible ratio, for some waves, and forecasts what came out best: in this form,
// persistent ones as slices where a kernel has no such twin. Kernels are told apart by their names. Unlike the others
// it is called by one thread at a time, while nothing else runs on the machine, which outlives it.
Forecaster measured_forecaster(Machine& machine, Form form);

// Forecasts by pairs of kernels, corrected by what was measured of each kernel beside each other one.
class PairTable {
 public:
  // `weight` is that of the newest measurement in the mean, in which the forecast is what was there first: one that
  // happened to be slow must not part a pair that fits.
  explicit PairTable(unsigned sms = 0, double weight = 0.5) : sms_(sms), weight_(weight) {}

  void learn(KernelId first, KernelId second, const PairForecast& forecast);
  // The speed of this kernel beside that one, over its speed alone. Ignored where it cannot be or there is no forecast.
  void observe(KernelId kernel, KernelId beside, double rate);

  bool knows(KernelId first, KernelId second) const { return entries_.contains(key(first, second)); }
  // In the order of the arguments, corrected; none where there is no forecast.
  std::optional<PairForecast> find(KernelId first, KernelId second) const;

 private:
  struct Entry {
    PairForecast forecast;                                       // as predicted; the kernel with the lower number first
    std::array<double, 2> measured_over_predicted = {1.0, 1.0};  // means
  };

  static std::uint64_t key(KernelId first, KernelId second);

  unsigned sms_;
  double weight_;
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace wattune::schedule
