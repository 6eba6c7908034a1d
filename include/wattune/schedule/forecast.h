// What two kernels are expected to do together: forecasts, and who makes them.
//
// A forecaster makes one in a fraction of a millisecond and more; a PairTable (pair_table.h) keeps them. Forecasters
// may be called from any thread, several at once, unless they measure.
//
//   const schedule::Forecaster chain = schedule::chain_forecaster(limits, sm);
//   if (auto pair = chain(*machine.kernel(fma), *machine.kernel(copy))) table.learn(fma, copy, *pair);
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/model/co_residency.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/objective.h"

namespace wattune::schedule {

// What the board draws at the speeds of the two alone. Where clocks may be set, `idle` and `added` are those at the
// pair's clocks, `alone` is the energy of each at the best clocks for it, over its time alone
// at the board's own.
struct PairWatts {
  Watts idle;                       // while nothing runs
  std::array<Watts, 2> added = {};  // to that, by each
  std::array<Watts, 2> alone = {};  // by each alone, one after the other

  bool known() const { return idle > Watts(0); }
};

// How two kernels share the GPU.
struct PairShape {
  model::BlockRatio ratio = {};
  unsigned sms_of_first = 0;
  bool whole = false;

  bool operator==(const PairShape&) const = default;
};

struct PairForecast {
  model::BlockRatio ratio = {};      // blocks on each SM; 0 of both: they never share one
  unsigned sms_of_first = 0;         // where they split the SMs instead; 0: they share all
  bool whole = false;                // and run themselves there, not their twins, which can be stopped
  std::array<double, 2> rates = {};  // the speed of each beside the other, over its speed alone
  PairWatts watts = {};
  // How much longer each takes alone at the best clocks for it than at the board's own.
  std::array<double, 2> slower_alone = {1.0, 1.0};
  std::optional<backend::BoardSetting> clocks = {};  // at which all this holds; none: the board's own
  // Other ways in which the two may run together, less good for the objective where both run all the time. Which is
  // best depends on how much there is to do of each. None of them has others.
  std::vector<PairForecast> others = {};

  // S of Kernelet: how much faster they are than one after the other while both run.
  double speedup() const { return rates[0] + rates[1]; }
  // The same over each at the best clocks for it alone.
  double time_gain() const { return rates[0] * slower_alone[0] + rates[1] * slower_alone[1]; }
  // CP of Kernelet (equation 1): the share of time that is saved; minus infinity where they do not run together.
  double profit() const { return 1.0 - 1.0 / speedup(); }
  // Of the board while both run: what a kernel adds shrinks with its speed.
  Watts power() const { return watts.idle + rates[0] * watts.added[0] + rates[1] * watts.added[1]; }
  // Energy of the same work one after the other over that together. Where both run at the clocks at which they run
  // alone, what is saved is what idling would have cost in the time that is saved.
  double energy_gain() const { return watts_in_turn() / power(); }
  // The same where neither slowed the other down: the longer of the two would take as long as alone.
  double most_energy_gain() const {
    return watts_in_turn() / (watts_in_turn() - std::min(rates[0], rates[1]) * watts.idle);
  }
  // Energy of what both do, one after the other, over the time that they take together.
  Watts watts_in_turn() const { return rates[0] * watts.alone[0] + rates[1] * watts.alone[1]; }
  PairShape shape() const { return {ratio, sms_of_first, whole}; }
  PairForecast swapped(unsigned sms) const;
};

// How many times better than one after the other the pair is: in work per time, per joule or per joule-second. None
// where a limit forbids it, or where its power is asked for and unknown.
std::optional<double> merit(const Objective& objective, const PairForecast& forecast);
// Whether the one is allowed and better than the other, which need not be allowed.
bool is_better(const Objective& objective, const PairForecast& one, const PairForecast& other);

// The best of them with all others; none at all where none is allowed.
PairForecast best_of(const Objective& objective, std::vector<PairForecast> ways);

// Whether of one grid of each both have ended sooner: the rule for splits between whole kernels, since one on few SMs
// holds the split for as long as it takes there.
bool ends_sooner(const PairForecast& one, const PairForecast& other, const KernelTraits& first,
                 const KernelTraits& second);

using Forecaster = std::function<Result<PairForecast>(const KernelTraits& first, const KernelTraits& second)>;

// Each kernel has the speed that it has alone with so many resident blocks, as it was measured, or as the chain
// predicts for one kernel; less what the chain says that waiting for the other's requests costs, and what the two want
// more of the pipelines or of the memory than there is; at the feasible ratio that is best for the objective.
Forecaster residency_forecaster(const MachineLimits& limits, const model::ChainSm& sm, const Objective& objective = {});
// Kernelet's chain at the best feasible ratio. A pair that never fits on an SM has rates of 0.
Forecaster chain_forecaster(const MachineLimits& limits, const model::ChainSm& sm,
                            model::RatioRule rule = model::RatioRule::most_profit);
// The split of the SMs with which both have ended soonest, where the speed of each kernel grows with its SMs up to its
// saturating share; less what waiting for the other's requests costs, and what the two want more of L2 and DRAM than
// there is, which all SMs share.
Forecaster split_forecaster(const MachineLimits& limits, const model::ChainSm& sm);
// What is better for the objective of what both say; the first where they are equal.
Forecaster better_of(Forecaster one, Forecaster other, const Objective& objective);
// Runs the pair on the machine at each feasible ratio, for some waves, and forecasts what came out best, with all
// others: in this form, persistent ones as slices where a kernel has no such twin. Where both have one they run at each
// split of the SMs as well. Kernels are told apart by their names. Unlike the others it is called by one thread at a
// time, while nothing else runs on the machine, which outlives it.
Forecaster measured_forecaster(Machine& machine, Form form, const Objective& objective = {});

// What their power alone says of the two together at the board's own clocks; unknown where one of them is.
PairWatts watts_of(const KernelTraits& first, const KernelTraits& second);

}  // namespace wattune::schedule
