#include "dynamic/tuning/attempts.h"

#include <algorithm>

namespace wattune::inline v0_1::dynamic {

namespace {

// The largest number of attempts that are reported.
constexpr std::size_t kReportedAttempts = 32;

}  // namespace

void Attempts::offer(const Candidate& candidate, std::uint64_t calls) {
  if (tried_.size() == kReportedAttempts) tried_.pop_front();
  tried_.push_back({.configuration = candidate.configuration,
                    .expected = candidate.expected,
                    .time = {},
                    .best = {},
                    .offered_at = calls});
}

void Attempts::decide(const Configuration& configuration, const Observation& observation, const Decision& decision) {
  const auto found = std::find_if(tried_.rbegin(), tried_.rend(),
                                  [&](const auto& each) { return each.configuration == configuration; });
  if (found == tried_.rend()) return;
  found->time = observation.statistics ? std::optional(observation.statistics->median) : std::nullopt;
  found->best = decision.best;
  found->decided_at = decision.calls;
  found->outcome = observation.status != Status::correct ? TriedOutcome::failed
                   : decision.better                     ? TriedOutcome::better
                                                         : TriedOutcome::not_better;
  if (found->outcome == TriedOutcome::failed) found->why_failed = observation.message;
}

void Attempts::fail(const Configuration& configuration, const Observation& observation) {
  if (observation.status == Status::correct) return;
  failed_.insert(configuration.id());
  const auto is_it = [&](const FailedReport& each) { return each.configuration.id() == configuration.id(); };
  if (std::ranges::none_of(failures_, is_it))
    failures_.push_back({configuration, observation.status, observation.message});
}

std::vector<FailedReport> Attempts::failures(const Explorer* explorer) const {
  std::vector<FailedReport> all = failures_;
  if (explorer == nullptr) return all;
  std::set<ConfigurationId> seen;
  for (const FailedReport& each : all) seen.insert(each.configuration.id());
  for (FailedReport& each : explorer->failures())
    if (seen.insert(each.configuration.id()).second) all.push_back(std::move(each));
  return all;
}

}  // namespace wattune::dynamic
