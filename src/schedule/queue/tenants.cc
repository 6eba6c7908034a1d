#include "wattune/schedule/tenants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "wattune/schedule/round_times.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kErrorOfCounts = 1e-9;
constexpr double kMostWorks = 0.99;

std::optional<Nanoseconds> response_within(std::vector<Nanoseconds> times, double share) {
  const auto count = static_cast<double>(times.size());
  if (times.empty() || (1.0 - share) * count < 1.0 - kErrorOfCounts) return std::nullopt;
  const auto place = static_cast<std::size_t>(std::ceil(share * count - kErrorOfCounts)) - 1;
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(place));
  return times[place];
}

const TenantPolicy* run_under(const TenantReport& report, const std::string& policy) {
  const auto found = std::ranges::find(report.policies, policy, &TenantPolicy::policy);
  return found == report.policies.end() ? nullptr : &*found;
}

// A function that returns a figure of a policy in a round; nullopt if the figure is unknown.
using RoundFigure = std::function<std::optional<Nanoseconds>(const TenantPolicy& policy, std::size_t round)>;

// Returns the gain of the policy over the base, computed from how much shorter its times are.
std::optional<Gain> sooner_under(const TenantReport& report, const std::string& policy, const std::string& base,
                                 const RoundFigure& figure) {
  RoundTimes rounds{.times = {{}, {}}, .orders = {}, .is_exact = report.is_exact};
  const std::array names = {&base, &policy};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TenantPolicy* run = run_under(report, *names[i]);
    for (std::size_t round = 0; round < report.rounds; ++round) {
      const auto time = run != nullptr ? figure(*run, round) : std::nullopt;
      if (!time) return std::nullopt;
      rounds.times[i].push_back(*time);
    }
  }
  return gain_over(rounds, 1, 0);
}

}  // namespace

std::size_t TenantRun::works() const {
  std::size_t sum = 0;
  for (const TenantRound& round : rounds) sum += round.works;
  return sum;
}

std::optional<Nanoseconds> TenantRun::response(double share) const {
  std::vector<Nanoseconds> all;
  for (const TenantRound& round : rounds) all.insert(all.end(), round.responses.begin(), round.responses.end());
  return response_within(std::move(all), share);
}

double TenantReport::works_per_second(const TenantRun& run) const {
  return static_cast<double>(run.works()) / (static_cast<double>(rounds) * to_seconds(time));
}

double TenantReport::share_of_gpu(const TenantRun& run) const {
  Nanoseconds alone;
  for (const TenantRound& round : run.rounds) alone += round.alone;
  return alone / (static_cast<double>(rounds) * time);
}

std::optional<int> urgent_from(const std::vector<Tenant>& tenants) {
  if (tenants.empty()) return std::nullopt;
  const auto [lowest, highest] = std::ranges::minmax_element(tenants, {}, &Tenant::priority);
  return lowest->priority < highest->priority ? std::optional(highest->priority) : std::nullopt;
}

std::optional<Ratio> response_over(const TenantReport& report, const std::string& policy, const std::string& base,
                                   std::size_t tenant) {
  const auto sooner = sooner_under(report, policy, base, [&](const TenantPolicy& run, std::size_t round) {
    return response_within(run.tenants[tenant].rounds[round].responses, kMostWorks);
  });
  if (!sooner) return std::nullopt;
  return Ratio{1.0 / (1.0 + sooner->gain), 1.0 / (1.0 + sooner->high), 1.0 / (1.0 + sooner->low)};
}

std::optional<Ratio> throughput_over(const TenantReport& report, const std::string& policy, const std::string& base) {
  const std::optional<int> urgent = urgent_from(report.tenants);
  const auto more = sooner_under(report, policy, base, [&](const TenantPolicy& run, std::size_t round) {
    Nanoseconds alone;
    for (std::size_t i = 0; i < report.tenants.size(); ++i)
      if (!urgent || report.tenants[i].priority < *urgent) alone += run.tenants[i].rounds[round].alone;
    // The time in which the tenants do work that takes a nanosecond alone.
    return alone > Nanoseconds(0) ? std::optional(Nanoseconds(report.time / alone)) : std::nullopt;
  });
  return more ? std::optional(Ratio{1.0 + more->gain, 1.0 + more->low, 1.0 + more->high}) : std::nullopt;
}

}  // namespace wattune::schedule
