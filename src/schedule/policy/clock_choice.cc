#include "schedule/policy/clock_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "schedule/interface/clock_profile.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The remaining work of one kernel: that of its running works, or that of its waiting works.
struct Left {
  KernelId kernel = 0;
  const KernelTraits* traits = nullptr;
  bool runs = false;
  Nanoseconds time = {};  // time alone at the board's own clocks
  double merit = 0.0;     // merit at the clocks under consideration
};

std::vector<Left> left_of(const QueueView& view) {
  std::vector<Left> all;
  const auto add = [&](const Candidate& work, bool runs, double works) {
    const auto is_same = [&](const Left& each) { return each.kernel == work.kernel && each.runs == runs; };
    auto known = std::ranges::find_if(all, is_same);
    if (known == all.end()) known = all.insert(all.end(), Left{work.kernel, work.traits, runs});
    known->time += works * work.traits->alone.value_or(Nanoseconds());
  };
  for (const Candidate& work : view.works) add(work, work.running.has_value(), std::max(work.left, 0.0));
  for (const WorkCount& later : view.later)
    if (later.works > 0)
      add(*std::ranges::find(view.works, later.kernel, &Candidate::kernel), false, static_cast<double>(later.works));
  return all;
}

// Sets the merit of each kernel, which says how good these clocks are for it: the merit of its best pair if a pair
// gains, and otherwise the merit of the kernel alone.
void set_merits(std::vector<Left>& kernels, const PairTable& table, const backend::BoardSetting& clocks,
                const PolicyOptions& options) {
  for (Left& each : kernels) each.merit = merit_alone(*each.traits, clocks, options.objective);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j) {
      const auto pair = table.find(kernels[i].kernel, kernels[j].kernel, clocks);
      const auto merit = pair ? schedule::merit(options.objective, *pair) : std::nullopt;
      if (!merit || *merit < 1.0 + options.least_gain) continue;
      for (const std::size_t place : {i, j}) kernels[place].merit = std::max(kernels[place].merit, *merit);
    }
}

Nanoseconds time_of(const QueueView& view) {
  Nanoseconds time;
  for (const Left& each : left_of(view)) time += each.time;
  return time;
}

// Returns the weight of a run of the kernel: its time or its joules at its best clocks, or the root of their product.
// Each of these is twice as large for twice the work.
double weight_of(const KernelTraits& kernel, Goal goal) {
  const double cost = cost_alone(*kernel.at(kernel.best_clocks), goal);
  return goal == Goal::energy_delay ? std::sqrt(cost) : cost;
}

// Returns the cost of the works that run while these clocks are held, divided by their cost alone, each at its best
// clocks. Running works come first, then works with the highest merit. Works count by their weight for the goal.
// Returns nullopt if a work that has to run meanwhile would break a limit at these clocks.
std::optional<double> cost_of(std::vector<Left> kernels, Nanoseconds hold, Goal goal) {
  std::ranges::stable_sort(kernels, std::greater(), [](const Left& each) { return std::pair(each.runs, each.merit); });
  double best = 0.0, here = 0.0;
  Nanoseconds filled;
  for (const Left& each : kernels) {
    if (filled >= hold) break;
    if (!(each.merit > 0.0)) return std::nullopt;
    const Nanoseconds part = std::min(each.time, hold - filled);
    const double alone = weight_of(*each.traits, goal) * (part / *each.traits->alone);
    filled += part;
    best += alone;
    here += alone / each.merit;
  }
  return best > 0.0 ? here / best : 1.0;
}

bool is_profiled(const Candidate& work) {
  return work.traits->at(work.traits->best_clocks) != nullptr && work.traits->alone;
}

}  // namespace

const Candidate& first_at_clocks(const QueueView& view, const PolicyOptions& options,
                                 const std::function<bool(const Candidate&)>& may_go) {
  const Candidate& first = *std::ranges::find_if(view.works, may_go);
  if (first.running || !view.clocks.must_hold()) return first;
  // If all works will run at these clocks anyway, reordering them would only put those last that suit the clocks least.
  const bool all_run = time_of(view) <= view.clocks.hold;
  return *std::ranges::max_element(view.works, {}, [&](const Candidate& work) {
    const double merit = merit_alone(*work.traits, *view.clocks.held, options.objective);
    return may_go(work) ? (all_run && merit > 0.0 ? 1.0 : merit) : -1.0;
  });
}

double merit_alone(const KernelTraits& kernel, const backend::BoardSetting& clocks, const Objective& objective) {
  if (kernel.at_clocks.empty()) return !kernel.best_clocks || kernel.best_clocks == clocks ? 1.0 : 0.0;
  const AtClock* point = kernel.at(clocks);
  const AtClock* best = kernel.at(kernel.best_clocks);
  if (point == nullptr || best == nullptr || !keeps_limits(*point, kernel, objective)) return 0.0;
  return cost_alone(*best, objective.goal) / cost_alone(*point, objective.goal);
}

std::optional<backend::BoardSetting> clocks_to_plan_at(const QueueView& view, const PairTable& table,
                                                       const PolicyOptions& options) {
  if (!view.clocks.can_set || view.works.empty() || !std::ranges::all_of(view.works, is_profiled)) return std::nullopt;
  if (view.clocks.must_hold()) return view.clocks.held;
  std::vector<Left> kernels = left_of(view);
  std::optional<backend::BoardSetting> best;
  double least = 0.0;
  const std::vector<AtClock>& all = kernels.front().traits->at_clocks;
  for (std::size_t i = all.size(); i-- > 0;) {
    const backend::BoardSetting clocks = all[i].setting();
    set_merits(kernels, table, clocks, options);
    const auto cost = cost_of(kernels, view.clocks.hold, options.objective.goal);
    if (!cost) continue;
    const double switching = !view.clocks.held || view.clocks.held == clocks ? 1.0 : 1.0 + options.margin;
    if (!best || switching * *cost < least) best = clocks, least = switching * *cost;
  }
  // If limits forbid all clocks, the fastest clocks are taken.
  return best ? best : all.back().setting();
}

}  // namespace wattune::schedule
