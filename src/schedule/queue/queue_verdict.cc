#include <algorithm>
#include <optional>
#include <vector>

#include "schedule/interface/policy.h"
#include "schedule/queue/policy_runner.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Returns the fastest policy other than `fastest`. Precondition: there are two policies.
std::size_t next_to(std::size_t fastest, const std::vector<PolicyRun>& policies) {
  std::size_t next = fastest == 0 ? 1 : 0;
  for (std::size_t i = 0; i < policies.size(); ++i)
    if (i != fastest && policies[i].makespan < policies[next].makespan) next = i;
  return next;
}

std::optional<Joules> joules_of(const Stage& stage, const PolicyRun& policy) {
  return known_energy(stage, policy.run.energy, policy.run.makespan);
}

// True if the policy heeds no objective.
bool is_baseline(const PolicyRun& policy) {
  const auto& all = policies();
  const auto found = std::ranges::find(all, policy.policy, &PolicyTraits::name);
  return found != all.end() && !found->heeds_objective;
}

}  // namespace

void compare_energy(const Stage& stage, QueueReport& report) {
  std::optional<Joules> of_fifo, fewest;
  for (const PolicyRun& policy : report.policies) {
    const auto joules = joules_of(stage, policy);
    if (!joules || !is_baseline(policy)) continue;
    if (policy.policy == kQueueControl) of_fifo = joules;
    if (!fewest || *joules < *fewest) fewest = joules;
  }
  for (PolicyRun& policy : report.policies) {
    const auto joules = joules_of(stage, policy);
    if (joules && of_fifo) policy.energy_over_fifo = *of_fifo / *joules - 1.0;
    if (joules && fewest) policy.energy_over_baseline = *fewest / *joules - 1.0;
  }
}

void judge(std::optional<double> off, QueueReport& report) {
  QueueVerdict& verdict = report.verdict;
  const auto base = std::ranges::find(report.policies, kQueueBase, &PolicyRun::policy);
  const bool has_base = base != report.policies.end();
  const auto streams = static_cast<std::size_t>(base - report.policies.begin());
  verdict.standing = standing_of(report.rounds);
  if (verdict.standing) {
    const std::size_t fastest = verdict.standing->fastest;
    verdict.base = has_base && fastest != streams ? streams : next_to(fastest, report.policies);
    verdict.claimed = gain_over(report.rounds, fastest, verdict.base);
    if (off) verdict.control = control_of(*off, verdict.claimed->gain);
  }
  if (!has_base || verdict.is_withheld()) return;
  for (std::size_t i = 0; i < report.policies.size(); ++i)
    report.policies[i].gain = gain_over(report.rounds, i, streams);
}

}  // namespace wattune::schedule
