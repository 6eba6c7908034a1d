#include "schedule/interface/timing_class.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/interface/kernel_use.h"
#include "simulate/interface/ptx_profile.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Bounds of the share of SMs on which a kernel is as fast as on all SMs. Below kFewSms it fills a resource that all SMs
// share. Above kNearlyAllSms it needs all SMs.
constexpr double kFewSms = 0.8;
constexpr double kNearlyAllSms = 0.95;
// A residency curve counts as flat if its speed with three quarters of the resident blocks is at least this share of
// the speed with all.
constexpr double kFlat = 0.9;
constexpr double kFull = 0.6;          // a resource counts as full above this use
constexpr double kUnknownIssue = 0.5;  // PUR of a kernel whose PUR is unknown

// Returns the number of rounds in which the grid runs if `places` blocks are resident at a time.
std::uint64_t rounds_in(const KernelTraits& kernel, std::uint64_t places) {
  return (kernel.blocks + places - 1) / places;
}

bool has_flat_curve(const KernelTraits& kernel) {
  const std::vector<double>& rates = kernel.rate_at_residency;
  if (rates.size() < 2) return false;
  const std::size_t fewer = std::max<std::size_t>(1, 3 * rates.size() / 4);
  const std::uint64_t sms = kernel.speed_on_sms.back().sms;
  return rates[fewer - 1] >= kFlat && rounds_in(kernel, sms * fewer) > rounds_in(kernel, sms * rates.size());
}

// True if the grid needs more rounds of blocks on the few SMs that suffice for its full speed than on all SMs.
// Otherwise the equal speed does not show that a resource is full.
bool saturates(const KernelTraits& kernel) {
  const std::uint64_t resident = kernel.profile.blocks_alone;
  const std::uint64_t sms = kernel.speed_on_sms.back().sms;
  const auto few = static_cast<std::uint64_t>(std::lround(kernel.saturating_share * static_cast<double>(sms)));
  return resident > 0 &&
         rounds_in(kernel, std::max<std::uint64_t>(1, few) * resident) > rounds_in(kernel, sms * resident);
}

bool has_full(std::span<const double> use) {
  return std::ranges::any_of(use, [](double share) { return share > kFull; });
}

// True if counters were read for all resources that the SMs share.
bool has_shared_counters(const KernelTraits& kernel) {
  const std::span<const std::optional<double>> read = kernel.use_by_counters;
  return read.size() == simulate::kResources &&
         std::ranges::all_of(read.subspan(simulate::kSmResources), [](const auto& share) { return share.has_value(); });
}

}  // namespace

std::string_view to_string(KernelClass full) {
  switch (full) {
    case KernelClass::unknown: return "unknown";
    case KernelClass::shared_full: return "shared";
    case KernelClass::sm_full: return "sm";
  }
  return {};
}

KernelClass timing_class(const KernelTraits& kernel) {
  if (kernel.speed_on_sms.empty()) return KernelClass::unknown;
  if (kernel.saturating_share < kFewSms) return saturates(kernel) ? KernelClass::shared_full : KernelClass::unknown;
  return kernel.saturating_share > kNearlyAllSms && has_flat_curve(kernel) ? KernelClass::sm_full
                                                                           : KernelClass::unknown;
}

KernelClass kernel_class(const KernelTraits& kernel) {
  const KernelClass timing = timing_class(kernel);
  const std::vector<double> known = known_use(kernel);
  if (timing != KernelClass::unknown || known.size() != simulate::kResources) return timing;
  const std::span<const double> use = known;
  const bool fills_sm = has_full(use.first(simulate::kSmResources));
  const bool fills_shared = has_full(use.subspan(simulate::kSmResources));
  if (fills_sm == fills_shared) return KernelClass::unknown;
  if (fills_sm) return KernelClass::sm_full;
  return has_shared_counters(kernel) ? KernelClass::shared_full : KernelClass::unknown;
}

std::optional<bool> are_complementary(const KernelTraits& first, const KernelTraits& second) {
  const KernelClass of_first = kernel_class(first);
  const KernelClass of_second = kernel_class(second);
  if (of_first == KernelClass::unknown || of_second == KernelClass::unknown) return std::nullopt;
  return of_first != of_second;
}

bool refutes_counts(const KernelTraits& kernel) {
  if (kernel.use.size() != simulate::kResources) return false;
  const std::span<const double> use = kernel.use;
  switch (timing_class(kernel)) {
    case KernelClass::unknown: return false;
    case KernelClass::shared_full: return !has_full(use.subspan(simulate::kSmResources));
    case KernelClass::sm_full: return !has_full(use.first(simulate::kSmResources));
  }
  return false;
}

model::Utilisation likely_utilisation(const KernelTraits& kernel) {
  if (kernel.utilisation) return *kernel.utilisation;
  const KernelClass full = kernel_class(kernel);
  return {.pipeline = full == KernelClass::sm_full ? 1.0 : 0.0, .memory = full == KernelClass::shared_full ? 1.0 : 0.0};
}

double launch_rank(const KernelTraits& kernel) {
  const double issued = kernel.utilisation ? kernel.utilisation->pipeline : kUnknownIssue;  // PUR, 0 to 1
  switch (kernel_class(kernel)) {
    case KernelClass::shared_full: return issued;
    case KernelClass::unknown: return 1.0 + issued;
    case KernelClass::sm_full: return 2.0 + issued;
  }
  return issued;
}

}  // namespace wattune::schedule
