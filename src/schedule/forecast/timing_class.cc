#include "schedule/interface/timing_class.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/interface/ptx_profile.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Shares of the SMs: a kernel that is as fast on fewer than the first fills what they share; one that needs more than
// the second needs all.
constexpr double kFewSms = 0.8;
constexpr double kNearlyAllSms = 0.95;
// A residency curve is flat if three quarters of the blocks have this share of the speed.
constexpr double kFlat = 0.9;
constexpr double kFull = 0.6;  // least use of a resource that is full

// Returns the number of rounds in which this many places for blocks run the grid.
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

// True if on those SMs on which the kernel is as fast as on all, its blocks take more rounds.
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

}  // namespace

std::string_view to_string(TimingClass timing) {
  switch (timing) {
    case TimingClass::unknown: return "unknown";
    case TimingClass::shared_full: return "shared";
    case TimingClass::sm_full: return "sm";
  }
  return {};
}

TimingClass timing_class(const KernelTraits& kernel) {
  if (kernel.speed_on_sms.empty()) return TimingClass::unknown;
  if (kernel.saturating_share < kFewSms) return saturates(kernel) ? TimingClass::shared_full : TimingClass::unknown;
  return kernel.saturating_share > kNearlyAllSms && has_flat_curve(kernel) ? TimingClass::sm_full
                                                                           : TimingClass::unknown;
}

std::optional<bool> are_complementary(const KernelTraits& first, const KernelTraits& second) {
  const TimingClass of_first = timing_class(first);
  const TimingClass of_second = timing_class(second);
  if (of_first == TimingClass::unknown || of_second == TimingClass::unknown) return std::nullopt;
  return of_first != of_second;
}

bool refutes_counts(const KernelTraits& kernel) {
  if (kernel.use.size() != simulate::kResources) return false;
  const std::span<const double> use = kernel.use;
  switch (timing_class(kernel)) {
    case TimingClass::unknown: return false;
    case TimingClass::shared_full: return !has_full(use.subspan(simulate::kSmResources));
    case TimingClass::sm_full: return !has_full(use.first(simulate::kSmResources));
  }
  return false;
}

double launch_rank(const KernelTraits& kernel) {
  const double issued = kernel.utilisation.pipeline;  // 0 to 1
  switch (timing_class(kernel)) {
    case TimingClass::shared_full: return issued;
    case TimingClass::unknown: return 1.0 + issued;
    case TimingClass::sm_full: return 2.0 + issued;
  }
  return issued;
}

}  // namespace wattune::schedule
