// Replays advice on recorded kernels. A benchmark is left out of the learning, then its kernels are advised clock by
// clock. The advised clock is compared with all clocks of the kernel.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/recorded_dvfs.h"

namespace wattune::inline v0_1::model {

inline Joules energy_of(const ClockRun& run) { return run.power * run.time; }

// The result of a clock that was chosen for a kernel.
struct ReplayedChoice {
  std::string group;
  double regret = 0.0;      // its energy over the least within the cap, less one
  double saved = 0.0;       // share of the energy at the highest clock; 0 if the cap is violated
  double could_save = 0.0;  // the same for the best clock
  bool violated = false;
  bool in_range = true;  // true if the energy was in the advised 95 % range, or measured
  bool measured = true;
};

inline ReplayedChoice judged(const RecordedKernel& kernel, Megahertz clock, const ClockGoal& goal) {
  const auto& runs = kernel.over_clocks.runs;
  const auto within = [&](const ClockRun& run) {
    return !goal.slowdown || run.time / runs.back().time <= 1.0 + *goal.slowdown;
  };
  Joules least = energy_of(runs.back());
  for (const ClockRun& run : runs)
    if (within(run)) least = std::min(least, energy_of(run));
  const ClockRun& chosen = *std::ranges::find(runs, clock, &ClockRun::clock);
  const Joules top = energy_of(runs.back());
  const double saved = within(chosen) ? 1.0 - energy_of(chosen) / top : 0.0;
  return {.group = kernel.over_clocks.group,
          .regret = energy_of(chosen) / least - 1.0,
          .saved = saved,
          .could_save = 1.0 - least / top,
          .violated = !within(chosen)};
}

// Advises on a kernel after runs at so many clocks: the highest one, then always the clock that the advice names.
inline ReplayedChoice replayed_advice(const ClockAdvisor& advisor, const RecordedKernel& kernel, std::size_t clocks,
                                      const ClockGoal& goal) {
  const auto& runs = kernel.over_clocks.runs;
  KernelOverClocks known{.group = {}, .features = kernel.over_clocks.features, .runs = {runs.back()}};
  for (; known.runs.size() < clocks;) {
    const Megahertz next = advisor.advise(known, goal)->next->clock;
    known.runs.push_back(*std::ranges::find(runs, next, &ClockRun::clock));
  }
  const ClockEstimate at = advisor.advise(known, goal)->at;
  ReplayedChoice choice = judged(kernel, at.clock, goal);
  const double energy = energy_of(*std::ranges::find(runs, at.clock, &ClockRun::clock)) / energy_of(runs.back());
  choice.measured = at.measured;
  choice.in_range = at.measured || (at.energy.low <= energy && energy <= at.energy.high);
  return choice;
}

using GroupOf = std::function<std::string(const RecordedKernel&)>;

inline std::string benchmark_of(const RecordedKernel& kernel) { return kernel.over_clocks.group; }
// Returns the group in which variants of a benchmark count as one: cachebench has three and mixbench two.
inline std::string family_of(const RecordedKernel& kernel) {
  return kernel.over_clocks.group.substr(0, kernel.over_clocks.group.find('-'));
}

inline std::vector<KernelOverClocks> others_than(const std::string& group, const std::vector<RecordedKernel>& kernels,
                                                 const GroupOf& group_of) {
  std::vector<KernelOverClocks> others;
  for (const RecordedKernel& kernel : kernels)
    if (group_of(kernel) != group) {
      others.push_back(kernel.over_clocks);
      others.back().group = group_of(kernel);
    }
  return others;
}

// Advises on every kernel by what was learned from the kernels of other groups.
inline std::vector<ReplayedChoice> replayed(const std::vector<RecordedKernel>& kernels, std::size_t clocks,
                                            const ClockGoal& goal = {}, const GroupOf& group_of = benchmark_of) {
  std::map<std::string, ClockAdvisor> advisors;
  std::vector<ReplayedChoice> choices;
  for (const RecordedKernel& kernel : kernels) {
    const std::string group = group_of(kernel);
    if (!advisors.contains(group))
      advisors.emplace(group, ClockAdvisor::learn(others_than(group, kernels, group_of)).value());
    choices.push_back(replayed_advice(advisors.at(group), kernel, clocks, goal));
  }
  return choices;
}

struct ReplaySummary {
  double mean = 0.0;  // of the regrets
  double worst = 0.0;
  double saved = 0.0;  // sum of the saved shares of what could be saved
  std::size_t violations = 0;
  std::size_t unmeasured = 0;  // advised clocks that were not measured
  std::size_t in_range = 0;    // of these, those with an energy in the range
};

inline ReplaySummary summary_of(const std::vector<ReplayedChoice>& choices) {
  ReplaySummary sum;
  double saved = 0.0, could = 0.0;
  for (const ReplayedChoice& choice : choices) {
    sum.mean += choice.regret / static_cast<double>(choices.size());
    sum.worst = std::max(sum.worst, choice.regret);
    saved += choice.saved, could += choice.could_save;
    sum.violations += choice.violated ? 1 : 0;
    sum.unmeasured += choice.measured ? 0 : 1;
    sum.in_range += !choice.measured && choice.in_range ? 1 : 0;
  }
  sum.saved = could > 0.0 ? saved / could : 1.0;
  return sum;
}

inline std::vector<ReplayedChoice> at_fixed_clock(const std::vector<RecordedKernel>& kernels, Megahertz clock,
                                                  const ClockGoal& goal = {}) {
  std::vector<ReplayedChoice> choices;
  for (const RecordedKernel& kernel : kernels) choices.push_back(judged(kernel, clock, goal));
  return choices;
}

// Returns the clock with the least mean regret over all kernels. Only measurements of all kernels can tell it.
inline Megahertz best_fixed_clock(const std::vector<RecordedKernel>& kernels) {
  Megahertz best;
  double least = 1e300;
  for (const ClockRun& run : kernels.front().over_clocks.runs)
    if (const double mean = summary_of(at_fixed_clock(kernels, run.clock)).mean; mean < least) {
      least = mean;
      best = run.clock;
    }
  return best;
}

}  // namespace wattune::model
