#include "schedule/machine/carveout.h"

#include <algorithm>

#include "wattune/model/co_residency.h"

namespace wattune::inline v0_1::schedule {

namespace {

std::uint64_t bytes_of_block(const MachineLimits& limits, const model::BlockDemand& block) {
  if (!limits.capability) return 0;
  const Result<model::SmRoom> room = model::SmRoom::of(*limits.capability);
  if (!room) return 0;
  const Result<model::BlockShare> share = room->share_of(block);
  return share ? share->shared_bytes : 0;
}

}  // namespace

Residents sliced_residents(const MachineLimits& limits, const KernelTraits& kernel, std::uint64_t blocks_in_flight) {
  const std::uint64_t on_each = (blocks_in_flight + limits.sms - 1) / limits.sms;
  return {&kernel, static_cast<unsigned>(std::min<std::uint64_t>(on_each, kernel.profile.blocks_alone))};
}

std::uint64_t shared_bytes_of(const MachineLimits& limits, std::span<const Residents> together) {
  std::uint64_t bytes = 0;
  for (const Residents& each : together) bytes += each.blocks * bytes_of_block(limits, each.kernel->block);
  return bytes;
}

bool is_same_carveout(const MachineLimits& limits, std::uint64_t first, std::uint64_t second) {
  if (!limits.capability) return first == second;
  const auto one = model::carveout_with(*limits.capability, first);
  const auto other = model::carveout_with(*limits.capability, second);
  return one && other ? *one == *other : first == second;
}

}  // namespace wattune::schedule
