// Urgent works, which the policy `paired` lets begin at once beside all others.
#include <vector>

#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The lowest priority of lanes with urgent works. Lanes of other works have priority 0 or 1.
constexpr int kUrgentLane = 2;

Share urgent_share(const Candidate& work, int urgent_from) {
  if (work.running) return *work.running;
  Share share = whole_share(work);
  share.priority = kUrgentLane + work.priority - urgent_from;
  return share;
}

}  // namespace

Plan paired_plan_beside_urgent(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  if (!options.urgent_from) return paired_plan(view, table, options);
  std::vector<Share> urgent;
  QueueView others = view;
  std::erase_if(others.works, [&](const Candidate& work) {
    if (work.priority < *options.urgent_from) return false;
    if (urgent.size() < options.most_streams) urgent.push_back(urgent_share(work, *options.urgent_from));
    return true;
  });
  Plan plan = paired_plan(others, table, options);
  if (plan.shares.empty() && !urgent.empty()) plan.reason = "urgent works alone";
  plan.shares.insert(plan.shares.begin(), urgent.begin(), urgent.end());
  // With this flag, works follow each other in lanes of their own. A launch that waits behind another in the same lane
  // may hold back urgent launches in its hardware queue.
  plan.fills_sms = true;
  return plan;
}

}  // namespace wattune::schedule
