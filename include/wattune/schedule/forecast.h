// Forecasts of how fast two kernels run together (PairForecast), and the Forecasters that make them. An Objective is
// the goal for which pairs are chosen, with the limits that they must keep; merit() tells how good a pair is for it.
//
// One forecast takes a fraction of a millisecond or more; a PairTable (pair_table.h) keeps forecasts. All are values.
// Any thread may call a forecaster, several at once, unless it measures.
//
//   const schedule::Forecaster chain = schedule::chain_forecaster(limits, sm);
//   if (auto pair = chain(*machine.kernel(fma), *machine.kernel(copy))) table.learn(fma, copy, *pair);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/model/co_residency.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// The figure for which pairs are chosen.
enum class Goal {
  throughput,    // work per time
  energy,        // work per joule
  energy_delay,  // work per joule and second
};
WATTUNE_EXPORT std::string_view to_string(Goal goal);  // "throughput", "energy", "edp"
// Finds a goal by its name. Fails with not_found, with the names of all goals.
WATTUNE_EXPORT Result<Goal> find_goal(std::string_view name);

// The goal for which pairs and their ratios are chosen, and the limits that they must keep.
struct WATTUNE_EXPORT Objective {
  Goal goal = Goal::throughput;
  // The longest additional time that each kernel may take while it runs, as a share of its time alone at the board's
  // own clocks. Waiting is not counted. Nullopt for no limit.
  std::optional<double> most_slowdown = {};
  // The highest mean power of the board while two kernels run; nullopt for no limit. The limit does not hold for a
  // kernel that runs alone.
  std::optional<Watts> power_cap = {};

  bool needs_power() const { return goal != Goal::throughput || power_cap.has_value(); }
  bool has_limits() const { return most_slowdown || power_cap; }
  bool operator==(const Objective&) const = default;
};
// Returns a text such as "operations per joule, no kernel slower by more than 10 %".
WATTUNE_EXPORT std::string describe(const Objective& objective);

// The power of the board while two kernels run together. Where clocks may be set, `idle` and `added` hold at the pair's
// clocks. `alone` is then the energy of each kernel at its best clocks, divided by its time alone at the board's own
// clocks.
struct WATTUNE_EXPORT PairWatts {
  Watts idle;                       // power while no kernel runs
  std::array<Watts, 2> added = {};  // power that each kernel adds to `idle` at its speed alone
  std::array<Watts, 2> alone = {};  // power while each kernel runs alone, one after the other
};

// The way in which two kernels share the GPU. Members are as in PairForecast.
struct WATTUNE_EXPORT PairShape {
  model::BlockRatio ratio = {};
  std::optional<unsigned> sms_of_first = {};
  bool whole = false;
  std::optional<std::size_t> urgent = {};
  bool many_streams = false;

  // True if the two kernels run together; false if one runs after the other.
  bool is_together() const { return ratio.first > 0 || sms_of_first || whole; }
  // True if both kernels run whole on all SMs, one work of each at a time, each kernel in a stream of its own.
  bool is_in_streams() const { return whole && !sms_of_first && !many_streams; }
  // Returns the same shape for the two kernels in the other order, on a machine with this many SMs.
  PairShape swapped(unsigned sms) const;

  bool operator==(const PairShape&) const = default;
};

// The way of running two kernels that proved to be the fastest of all, both in a sweep and under the scheduler.
struct WATTUNE_EXPORT ProvenWay {
  PairShape shape = {};                       // empty if the fastest way was one kernel after the other
  std::array<std::size_t, 2> works = {1, 1};  // works of each kernel that ran
  double speedup = 0.0;  // sum of both kernels' speeds in this way; 0 for one after the other, or if it is unknown

  bool operator==(const ProvenWay&) const = default;
};

// The forecast for two kernels that run together in one way.
struct WATTUNE_EXPORT PairForecast {
  model::BlockRatio ratio = {};  // blocks of each kernel on each SM; 0 for both if they never share an SM
  // The number of SMs for the first kernel, if the two split the SMs; the second kernel has the others.
  std::optional<unsigned> sms_of_first = {};
  // True if the two run as whole kernels, on SMs of their own or on all SMs in a stream each. False if they run as
  // twins: copies of the kernels that can be stopped.
  bool whole = false;
  // The kernel whose blocks go first in streams with priorities: 0 for the first, 1 for the second; nullopt without
  // priorities.
  std::optional<std::size_t> urgent = {};
  // True if each work has a stream of its own, so that several of each kernel run at once, whole on all SMs. Each rate
  // is then the speed of all works of a kernel that run at once.
  bool many_streams = false;
  std::array<double, 2> rates = {};  // the speed of each kernel beside the other, divided by its speed alone
  std::optional<PairWatts> watts = {};
  // The time of each kernel alone at its best clocks, divided by its time alone at the board's own clocks.
  std::array<double, 2> slower_alone = {1.0, 1.0};
  std::optional<backend::BoardSetting> clocks = {};  // the clocks at which all this holds; nullopt for the board's own
  // Ways in which the two may also run together, but which are worse for the objective while both run. The best way
  // depends on how much work is left of each kernel. The forecasts in this list have empty lists themselves.
  std::vector<PairForecast> others = {};
  // The number of works of each kernel, or of pilots (short trial runs), that showed these speeds; 0 if they are only
  // forecast.
  std::size_t measured = 0;
  // The works of each kernel that showed these speeds since PairTable::learn() took the forecast.
  std::array<std::size_t, 2> observed = {};
  // The proven way of the two kernels; nullopt if there is none, and for members of `others`.
  std::optional<ProvenWay> proven = {};

  // Returns Kernelet's S: how many times faster both kernels are while both run than one after the other.
  double speedup() const { return rates[0] + rates[1]; }
  // Returns the speed-up against each kernel alone at its best clocks.
  double time_gain() const { return rates[0] * slower_alone[0] + rates[1] * slower_alone[1]; }
  // Returns CP of Kernelet (equation 1): the share of time that is saved; minus infinity if they do not run together.
  double profit() const { return 1.0 - 1.0 / speedup(); }
  // Returns the power of the board while both run. The power that a kernel adds shrinks with its speed. Precondition of
  // this function and the next three: `watts` is known.
  Watts power() const { return watts->idle + rates[0] * watts->added[0] + rates[1] * watts->added[1]; }
  // Returns the energy of running the same work of both kernels one after the other, divided by its energy when they
  // run together. If both run at the clocks at which they run alone, the saving is the idle energy of the time that is
  // saved.
  double energy_gain() const { return watts_in_turn() / power(); }
  // Returns the energy gain that the pair would have if neither kernel slowed the other down. Then both together take
  // as long as the longer one alone.
  double most_energy_gain() const {
    return watts_in_turn() / (watts_in_turn() - std::min(rates[0], rates[1]) * watts->idle);
  }
  // Returns the mean power at which the kernels, one after the other, would do the same work in the time that they take
  // together: their energy one after the other, divided by that time.
  Watts watts_in_turn() const { return rates[0] * watts->alone[0] + rates[1] * watts->alone[1]; }
  PairShape shape() const { return {ratio, sms_of_first, whole, urgent, many_streams}; }
  // Returns the same forecast for the two kernels in the other order, on a machine with this many SMs.
  PairForecast swapped(unsigned sms) const;
};

// Returns how many times better two kernels are together than one after the other: in work per time, per joule or per
// joule-second. Returns nullopt if a limit forbids the pair, or if the objective needs the pair's power and it is
// unknown.
WATTUNE_EXPORT std::optional<double> merit(const Objective& objective, const PairForecast& forecast);
// True if `one` meets the objective's limits and beats `other`. `other` need not meet them.
WATTUNE_EXPORT bool is_better(const Objective& objective, const PairForecast& one, const PairForecast& other);

// Returns the best of these ways, with all others in `others`. Returns an empty forecast, with rates of 0, if the
// limits allow none.
WATTUNE_EXPORT PairForecast best_of(const Objective& objective, std::vector<PairForecast> ways);

// True if one grid of each kernel ends sooner with the split of `one` than with that of `other`. Splits between whole
// kernels are compared in this way, because a kernel on few SMs keeps the split until it ends.
WATTUNE_EXPORT bool ends_sooner(const PairForecast& one, const PairForecast& other, const KernelTraits& first,
                                const KernelTraits& second);

// A function that forecasts two kernels from their traits.
using Forecaster = std::function<Result<PairForecast>(const KernelTraits& first, const KernelTraits& second)>;

// Returns a forecaster for kernels that share every SM. It forecasts the feasible ratio of blocks that is best for the
// objective. Each kernel's forecast starts from its speed alone with the resident blocks of that ratio, as measured, or
// as the chain of model/warp_chain.h predicts it. From this the forecaster subtracts the loss that the chain predicts
// because a kernel waits for the memory requests of the other. It also subtracts a loss if the two together need more
// of the pipelines or of the memory than there is.
WATTUNE_EXPORT Forecaster residency_forecaster(const MachineLimits& limits, const model::ChainSm& sm,
                                               const Objective& objective = {});
// Returns a forecaster that computes with Kernelet's chain, at the best feasible ratio. The rates are 0 if the pair
// never fits on an SM.
WATTUNE_EXPORT Forecaster chain_forecaster(const MachineLimits& limits, const model::ChainSm& sm,
                                           model::RatioRule rule = model::RatioRule::most_profit);
// Returns a forecaster for kernels that split the SMs: it forecasts the split with which both end soonest. The speed of
// each kernel grows with its SMs up to its saturating share. A kernel loses speed when it waits for the other's
// requests. Both lose speed if together they need more of L2 or DRAM than there is; all SMs share these.
WATTUNE_EXPORT Forecaster split_forecaster(const MachineLimits& limits, const model::ChainSm& sm);
// Returns a forecaster that lists the splits of split_forecaster() for whole kernels, and streams with and without
// priorities, from which it expects no gain. The policy `paired` tries them with real works: it trusts no forecast of
// whole kernels, since it cannot stop them.
WATTUNE_EXPORT Forecaster whole_forecaster(const MachineLimits& limits, const model::ChainSm& sm);
// Returns a forecaster that gives the better of the forecasts of `one` and `other` for the objective; that of `one` if
// they are equal.
WATTUNE_EXPORT Forecaster better_of(Forecaster one, Forecaster other, const Objective& objective);
// Returns a forecaster for submitted works whose kernels were never measured together. Its forecast is the best of
// twins on shared SMs, twins on SMs of their own, and whole kernels. All other ways are in its list of others.
WATTUNE_EXPORT Forecaster submission_forecaster(const MachineLimits& limits, const model::ChainSm& sm);
// Returns a forecaster that runs the pair on the machine at each feasible ratio, for some waves. Its forecast is that
// of the best measured ratio, with all other ratios in the list of others.
//
// Kernels run in `form`; kernels without a persistent twin run in slices. If the form is persistent, twins run at each
// split of the SMs as well, and whole kernels at a few splits. If it is whole, only whole kernels run at these splits,
// however long they take. Kernels are found by their names. Unlike the other forecasters, it is called by one thread at
// a time, while nothing else runs on the machine. The machine must outlive it.
WATTUNE_EXPORT Forecaster measured_forecaster(Machine& machine, Form form, const Objective& objective = {});

// Returns the power of the two kernels together at the board's own clocks, from the power of each alone; nullopt if one
// of these is unknown.
WATTUNE_EXPORT std::optional<PairWatts> watts_of(const KernelTraits& first, const KernelTraits& second);

// Returns the ways of whole kernels on all SMs: in two streams and in many, each without priorities and with priority
// for either kernel. They are expected to be as fast as one after the other, until works show more.
WATTUNE_EXPORT std::vector<PairForecast> ways_in_streams(const KernelTraits& first, const KernelTraits& second);

}  // namespace wattune::schedule
