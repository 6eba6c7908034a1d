#include "schedule/session/pair_experiment.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/median.h"
#include "schedule/session/pair_plan.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kLeastShownGain = 0.02;  // smallest gain that is reported as a gain, as for policies
constexpr std::size_t kAlone = 0;         // the entrant that runs both kernels alone

bool is_in_turn(const SweepRow& row) { return row.arrangement.way == Way::in_turn; }

std::size_t planned_of(const Rerun& rerun) { return 1 + rerun.rows.size(); }

// Returns the position of a row among the entrants. Returns nullopt if the row did not run again.
std::optional<std::size_t> entrant_of(const SweptPair& pair, const SweepRow& row) {
  const auto place = static_cast<std::size_t>(&row - pair.sweep.rows.data());
  const auto found = std::ranges::find(pair.rerun.rows, place);
  if (found == pair.rerun.rows.end()) return std::nullopt;
  return 1 + static_cast<std::size_t>(found - pair.rerun.rows.begin());
}

// Returns the median. Precondition: `times` is not empty.
Nanoseconds median_of_times(const std::vector<Nanoseconds>& times) {
  std::vector<double> numbers;
  for (const Nanoseconds time : times) numbers.push_back(time.value());
  return Nanoseconds(median_of(std::move(numbers)));
}

// Returns the positions of the rows that run again: the control, in which the kernels run one after the other, and the
// best row of each kind.
std::vector<std::size_t> rows_to_run_again(const PairSweep& sweep) {
  std::vector<std::size_t> rows;
  for (const std::function<bool(const SweepRow&)>& is_meant :
       {std::function<bool(const SweepRow&)>(is_in_turn), std::function<bool(const SweepRow&)>(is_share),
        std::function<bool(const SweepRow&)>(is_baseline),
        std::function<bool(const SweepRow&)>(std::not_fn(is_in_turn))})
    if (const SweepRow* best = sweep.best(is_meant); best != nullptr)
      rows.push_back(static_cast<std::size_t>(best - sweep.rows.data()));
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

class Rerunner {
 public:
  Rerunner(const Stage& stage, Machine& machine, const SweepOptions& options, SweptPair& pair)
      : is_exact_(stage.is_simulated()), machine_(machine), options_(options), pair_(pair) {
    pair.rerun = {.rows = rows_to_run_again(pair.sweep), .times = {}};
    entrants_ = pair.rerun.rows.size() + 2;
    pair.rerun.times.times.resize(entrants_);
    pair.rerun.times.is_exact = is_exact_;
    failed_.resize(entrants_);
    all_ = entrants_ * (options_.rounds + (is_exact_ ? 0 : 1));
  }

  Result<void> run() {
    if (auto plan = PairPlan::make(machine_, pair_.sweep))
      plan_.emplace(*std::move(plan));
    else
      WATTUNE_TRY(drop(entrants_ - 1, std::move(plan).error()));
    for (std::size_t i = 0; i < entrants_ && !is_exact_; ++i) WATTUNE_TRY(run_one(i, false));
    WATTUNE_TRY(run_rounds(options_.seed));
    if (const SweepRow* const baseline = pair_.sweep.best(is_baseline); baseline != nullptr && loses_to(*baseline)) {
      plan_->keep_to(shape_of(baseline->arrangement));
      all_ += entrants_ * options_.rounds;
      WATTUNE_TRY(run_rounds(options_.seed + 1));
    }
    note_plan();
    return {};
  }

 private:
  Result<void> run_rounds(std::uint64_t seed) {
    RoundTimes& times = pair_.rerun.times;
    for (std::vector<Nanoseconds>& of_entrant : times.times) of_entrant.clear();
    times.orders = balanced_orders(entrants_, options_.rounds, seed);
    for (const std::vector<std::size_t>& order : times.orders)
      for (const std::size_t entrant : order) WATTUNE_TRY(run_one(entrant, true));
    return {};
  }

  // True if the plan runs in another way than the baseline, and is slower. It counts as slower if that is sure, or if
  // it is slower by more than 1 %.
  bool loses_to(const SweepRow& baseline) const {
    constexpr double kMostBehind = 0.01;
    const auto gain = gain_of_planned_over(pair_, baseline);
    if (is_exact_ || !plan_ || !gain) return false;
    const auto proven = plan_->way().proven;
    const bool is_same = proven && proven->shape == shape_of(baseline.arrangement);
    return !is_same && (gain->high < 0.0 || gain->gain < -kMostBehind);
  }

  Result<void> run_one(std::size_t entrant, bool counts) {
    if (failed_[entrant]) return {};
    if (options_.on_progress && !options_.on_progress(done_++, all_))
      return Error(ErrorCode::cancelled, "the sweep was ended by its user");
    auto time = time_of(entrant);
    if (!time) return drop(entrant, std::move(time).error());
    if (counts) pair_.rerun.times.times[entrant].push_back(*time);
    return {};
  }

  // Runs an entrant and returns its time. In virtual time, a row would take the same time again, as would both kernels
  // alone. So these get the time of the sweep without a run.
  Result<Nanoseconds> time_of(std::size_t entrant) {
    const PairSweep& sweep = pair_.sweep;
    if (entrant + 1 == entrants_) return plan_->run();
    if (entrant == kAlone) return is_exact_ ? sweep.alone[0] + sweep.alone[1] : time_both_alone(machine_, sweep);
    const SweepRow& row = sweep.rows[pair_.rerun.rows[entrant - 1]];
    return is_exact_ ? row.makespan : time_together(machine_, sweep, row.arrangement);
  }

  Result<void> drop(std::size_t entrant, Error why) {
    if (why.code() == ErrorCode::device_lost || why.code() == ErrorCode::cancelled) return why;
    failed_[entrant] = true;
    pair_.rerun.times.times[entrant].clear();
    if (entrant + 1 == entrants_) pair_.planned.failure = std::move(why);
    return {};
  }

  void note_plan() {
    if (pair_.planned.failure) return;
    PlannedRun& planned = pair_.planned;
    planned.forecast = plan_->way();
    planned.makespan = median_of_times(pair_.rerun.times.times.back());
    planned.gain = told_gain_of_planned(pair_);
  }

  bool is_exact_;
  Machine& machine_;
  const SweepOptions& options_;
  SweptPair& pair_;
  std::size_t entrants_ = 0;
  std::optional<PairPlan> plan_;
  std::vector<bool> failed_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

std::optional<Gain> gain_of_entrants(const SweptPair& pair, std::optional<std::size_t> entrant,
                                     std::optional<std::size_t> base) {
  if (!entrant || !base || pair.rerun.times.times.empty()) return std::nullopt;
  return gain_over(pair.rerun.times, *entrant, *base);
}

// Returns the rounds of two entrants, those of the base first. Returns nullopt if one of the two did not run again.
std::optional<RoundTimes> rounds_of_entrants(const SweptPair& pair, std::optional<std::size_t> entrant,
                                             std::optional<std::size_t> base) {
  const RoundTimes& rounds = pair.rerun.times;
  if (!entrant || !base || rounds.times.empty()) return std::nullopt;
  if (rounds.times[*entrant].empty() || rounds.times[*base].empty()) return std::nullopt;
  return RoundTimes{.times = {rounds.times[*base], rounds.times[*entrant]}, .orders = {}, .is_exact = rounds.is_exact};
}

// Returns by how much longer the kernels took one after the other, in one run, than both alone, as a share. Returns
// nullopt if one of the two did not run again.
std::optional<double> control_off(const SweptPair& pair) {
  const SweepRow* in_turn = pair.sweep.best(is_in_turn);
  const auto entrant = in_turn == nullptr ? std::nullopt : entrant_of(pair, *in_turn);
  if (!entrant) return std::nullopt;
  const std::vector<Nanoseconds>& alone = pair.rerun.times.times[kAlone];
  const std::vector<Nanoseconds>& together = pair.rerun.times.times[*entrant];
  std::vector<double> off;
  for (std::size_t round = 0; round < std::min(alone.size(), together.size()); ++round)
    off.push_back(together[round] / alone[round] - 1.0);
  return off.empty() ? std::nullopt : std::optional(median_of(std::move(off)));
}

Withheld withheld_of(const SweptPair& pair, const PairVerdict& verdict) {
  if (pair.rerun.times.times.empty()) return Withheld::not_run_again;
  if (!verdict.gain && pair.rerun.times.orders.size() < 2) return Withheld::one_round;
  if (!verdict.gain || !verdict.control) return Withheld::failed_again;
  return verdict.control->holds() ? Withheld::no : Withheld::control_off;
}

}  // namespace

bool PairVerdict::gains() const {
  return withheld == Withheld::no && gain && gain->gain >= kLeastShownGain && gain->low > 0.0;
}

Result<void> run_again(const Stage& stage, Machine& machine, const SweepOptions& options, SweptPair& pair) {
  return Rerunner(stage, machine, options, pair).run();
}

std::optional<Gain> gain_in_sweep(const PairSweep& sweep, const SweepRow& row) {
  RoundTimes rounds{.times = {{}, row.makespans}};
  const auto& [first, second] = sweep.alone_by_round;
  for (std::size_t round = 0; round < std::min(first.size(), second.size()); ++round)
    rounds.times[0].push_back(first[round] + second[round]);
  return gain_over(rounds, 1, 0);
}

std::optional<Gain> gain_over_alone(const SweptPair& pair, const SweepRow& row) {
  return gain_of_entrants(pair, entrant_of(pair, row), kAlone);
}

std::optional<Gain> gain_between(const SweptPair& pair, const SweepRow& row, const SweepRow& base) {
  return gain_of_entrants(pair, entrant_of(pair, row), entrant_of(pair, base));
}

double told_gain_of_planned(const SweptPair& pair) {
  if (const auto gain = gain_of_planned(pair)) return gain->gain;
  const auto& times = pair.rerun.times.times;
  const bool ran_alone = !times.empty() && !times[kAlone].empty();
  const Nanoseconds in_turn = ran_alone ? median_of_times(times[kAlone]) : pair.sweep.alone[0] + pair.sweep.alone[1];
  return in_turn / pair.planned.makespan - 1.0;
}

std::optional<Gain> gain_of_planned(const SweptPair& pair) {
  return gain_of_entrants(pair, planned_of(pair.rerun), kAlone);
}

std::optional<Gain> gain_of_planned_over(const SweptPair& pair, const SweepRow& base) {
  return gain_of_entrants(pair, planned_of(pair.rerun), entrant_of(pair, base));
}

std::optional<RoundTimes> rounds_over(const SweptPair& pair, const SweepRow& row, const SweepRow& base) {
  return rounds_of_entrants(pair, entrant_of(pair, row), entrant_of(pair, base));
}

std::optional<RoundTimes> rounds_of_planned_over(const SweptPair& pair, const SweepRow& base) {
  return rounds_of_entrants(pair, planned_of(pair.rerun), entrant_of(pair, base));
}

PairVerdict verdict_of(const SweptPair& pair) {
  PairVerdict verdict{.best = pair.sweep.best(std::not_fn(is_in_turn))};
  if (verdict.best == nullptr) return verdict;
  verdict.gain = gain_over_alone(pair, *verdict.best);
  for (const std::size_t place : pair.rerun.rows) {
    const SweepRow& row = pair.sweep.rows[place];
    const auto gain = gain_over_alone(pair, row);
    if (is_in_turn(row) || !gain || (verdict.gain && gain->gain <= verdict.gain->gain)) continue;
    verdict.best = &row;
    verdict.gain = gain;
  }
  if (const auto off = control_off(pair); off && verdict.gain) verdict.control = control_of(*off, verdict.gain->gain);
  verdict.withheld = withheld_of(pair, verdict);
  return verdict;
}

Nanoseconds time_alone_again(const SweptPair& pair) { return median_of_times(pair.rerun.times.times[kAlone]); }

Nanoseconds time_again(const SweptPair& pair, const SweepRow& row) {
  return median_of_times(pair.rerun.times.times[*entrant_of(pair, row)]);
}

}  // namespace wattune::schedule
