#include "schedule/shares.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::schedule {

Share whole_share(const Candidate& work) { return {.work = work.work}; }

Share slices_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options) {
  const std::uint64_t wave = static_cast<std::uint64_t>(per_sm) * view.limits.sms;
  const std::uint64_t waves = std::max<std::uint64_t>(1, (work.traits->least_slice + wave - 1) / wave);
  return {.work = work.work,
          .form = Form::slices,
          .per_sm = per_sm,
          .slice_blocks = waves * wave,
          .in_flight = options.slices_in_flight};
}

Share shared_share(const Candidate& work, unsigned per_sm, const QueueView& view, const PolicyOptions& options) {
  if (!work.traits->persistent) return slices_share(work, per_sm, view, options);
  return {.work = work.work, .form = Form::persistent, .per_sm = per_sm};
}

Plan unchanged(const QueueView& view, double speedup, std::string reason) {
  Plan plan{.speedup = speedup, .reason = std::move(reason)};
  for (const Candidate* work : running_works(view)) plan.shares.push_back(*work->running);
  return plan;
}

std::vector<const Candidate*> first_of_each_kernel(const QueueView& view) {
  std::vector<const Candidate*> firsts;
  std::vector<KernelId> seen;
  for (const Candidate& work : view.works) {
    if (work.left <= 0.0 || std::ranges::find(seen, work.kernel) != seen.end()) continue;
    seen.push_back(work.kernel);
    firsts.push_back(&work);
  }
  return firsts;
}

std::vector<const Candidate*> running_works(const QueueView& view) {
  std::vector<const Candidate*> running;
  for (const Candidate& work : view.works)
    if (work.running) running.push_back(&work);
  return running;
}

std::string describe(const CandidatePair& pair) {
  const PairForecast& forecast = pair.forecast;
  const std::string how = forecast.sms_of_first > 0
                              ? fmt::format("{} SMs for the first", forecast.sms_of_first)
                              : fmt::format("{}:{} blocks on each SM", forecast.ratio.first, forecast.ratio.second);
  const std::string joules =
      forecast.watts.known() ? fmt::format(", {:.2f} times the work per joule", forecast.energy_gain()) : "";
  return fmt::format("{} with {}, {}, {:.2f} times as fast as one after the other{}", pair.first->traits->name,
                     pair.second->traits->name, how, forecast.speedup(), joules);
}

}  // namespace wattune::schedule
