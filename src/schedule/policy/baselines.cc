// Policies for comparison: the ways in which GPUs and other systems run whole kernels.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "schedule/interface/timing_class.h"
#include "schedule/policy/shares.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Returns the pair of this work with the work that is forecast to run best beside it, or with the oldest work if there
// is no forecast.
CandidatePair best_partner(const Candidate& first, const QueueView& view, const PairTable& table) {
  CandidatePair best{.first = &first};
  for (const Candidate& other : view.works) {
    if (other.work == first.work || other.running) continue;
    const PairForecast forecast = table.find(first.kernel, other.kernel).value_or(PairForecast{});
    if (best.second == nullptr || forecast.speedup() > best.forecast.speedup())
      best = {.first = &first, .second = &other, .forecast = forecast};
  }
  return best;
}

// Returns the pair with the oldest work for which this split is the best. Other works would get too few SMs, or more
// than they can use.
CandidatePair partner_at(unsigned sms_of_first, const Candidate& first, const QueueView& view, const PairTable& table) {
  for (const Candidate& other : view.works) {
    const auto forecast = table.find(first.kernel, other.kernel);
    if (!other.running && forecast && forecast->sms_of_first == sms_of_first) return {&first, &other, *forecast};
  }
  return {};
}

Plan split_between(const CandidatePair& pair, const MachineLimits& limits) {
  const auto ranges = split_ranges(limits, pair.forecast.sms_of_first.value_or(0));
  Share first = whole_share(*pair.first);
  Share second = whole_share(*pair.second);
  first.sms = ranges[0];
  second.sms = ranges[1];
  return {.shares = {first, second}, .speedup = pair.forecast.speedup(), .reason = describe(pair)};
}

// Returns a plan that adds a partner on the SMs that the running work does not use.
Plan beside(const Candidate& running, const QueueView& view, const PairTable& table) {
  Plan plan{.shares = {*running.running}, .reason = "what runs has its SMs until it ends"};
  if (running.running->sms.count == 0) return plan;
  const CandidatePair pair = partner_at(running.running->sms.count, running, view, table);
  if (pair.second == nullptr) return plan;
  plan.shares.push_back(whole_share(*pair.second));
  plan.shares.back().sms = rest_of(running.running->sms, view.limits.sms);
  plan.reason = fmt::format("{} on the SMs that {} leaves", pair.second->traits->name, running.traits->name);
  return plan;
}

// Tells whether the kernel mostly waits for memory instead of computing. Returns nullopt if neither times nor counts
// show it.
std::optional<bool> waits_for_memory(const KernelTraits& kernel) {
  if (kernel.utilisation) return kernel.utilisation->memory > kernel.utilisation->pipeline;
  const KernelClass full = kernel_class(kernel);
  return full == KernelClass::unknown ? std::nullopt : std::optional(full == KernelClass::shared_full);
}

// True if exactly one of the two waits for memory. False if that is unknown for one of them.
bool are_of_different_kinds(const KernelTraits& one, const KernelTraits& other) {
  const std::optional<bool> one_waits = waits_for_memory(one);
  const std::optional<bool> other_waits = waits_for_memory(other);
  return one_waits && other_waits && *one_waits != *other_waits;
}

bool is_more_urgent(const Candidate& one, const Candidate& other) { return one.priority > other.priority; }

}  // namespace

Plan fifo_plan(const QueueView& view) {
  if (view.works.empty()) return {};
  const Candidate& first = view.works.front();
  return {.shares = {first.running.value_or(whole_share(first))}, .reason = "the oldest, alone"};
}

Plan streams_plan(const QueueView& view, const PolicyOptions& options, bool with_priorities) {
  Plan plan{.reason = "a stream for each"};
  std::vector<Candidate> works = view.works;
  if (with_priorities) std::ranges::stable_sort(works, is_more_urgent);
  for (const Candidate& work : works) {
    if (plan.shares.size() == options.most_streams) break;
    plan.shares.push_back(whole_share(work));
    if (with_priorities) plan.shares.back().priority = work.priority;
  }
  return plan;
}

// Plans for green contexts. The split of a pair stays until both have ended, because whole kernels cannot move.
Plan split_plan(const QueueView& view, const PairTable& table, const PolicyOptions& options) {
  const auto running = running_works(view);
  if (running.size() > 1) return unchanged(view, 1.0, "both run on their SMs");
  if (running.size() == 1) return beside(*running.front(), view, table);
  if (view.works.empty()) return {};
  const CandidatePair pair = best_partner(view.works.front(), view, table);
  const bool pays = pair.second != nullptr && pair.forecast.speedup() >= 1.0 + options.least_gain;
  return pays ? split_between(pair, view.limits) : fifo_plan(view);
}

// Plans like Orion (Strati et al., EuroSys 2024), which schedules whole kernels. A best-effort kernel starts beside one
// of high priority if exactly one of the two waits for memory. Here the most urgent work, the oldest of equal ones, has
// high priority.
Plan orion_plan(const QueueView& view) {
  const auto running = running_works(view);
  if (running.size() > 1) return unchanged(view, 1.0, "an urgent one and one of the other kind run");
  if (view.works.empty()) return {};
  const Candidate& urgent = running.empty() ? *std::ranges::min_element(view.works, is_more_urgent) : *running.front();
  Plan plan{.shares = {urgent.running.value_or(whole_share(urgent))}, .reason = "the most urgent"};
  if (running.empty()) plan.shares.front().priority = 1;
  for (const Candidate& other : view.works) {
    if (other.work == urgent.work || !are_of_different_kinds(*other.traits, *urgent.traits)) continue;
    plan.shares.push_back(whole_share(other));
    plan.reason = fmt::format("{} beside {}, of which one waits for memory", other.traits->name, urgent.traits->name);
    break;
  }
  return plan;
}

}  // namespace wattune::schedule
