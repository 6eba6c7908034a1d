#include "schedule/carveout.h"

#include <algorithm>

#include "wattune/model/co_residency.h"

namespace wattune::schedule {

namespace {

Result<void> set_for(const KernelCode& code, std::uint64_t bytes) {
  for (const auto& [form, twin] : code.twins) WATTUNE_TRY(twin->prefer_local_memory(bytes));
  return {};
}

// With what the driver keeps for each block. 0: no SM holds it, or the device is unknown.
std::uint64_t bytes_of_block(model::ComputeCapability capability, const model::BlockDemand& block) {
  const Result<model::SmRoom> room = model::SmRoom::of(capability);
  if (!room) return 0;
  const Result<model::BlockShare> share = room->share_of(block);
  return share ? share->shared_bytes : 0;
}

std::uint64_t need_alone(model::ComputeCapability capability, const model::BlockDemand& block) {
  const auto alone = model::occupancy(capability, block);
  return alone ? alone->blocks * bytes_of_block(capability, block) : 0;
}

std::uint64_t need_of_pair(model::ComputeCapability capability, const model::BlockDemand& first,
                           const model::BlockDemand& second) {
  const auto ratios = model::feasible_ratios(capability, first, second);
  if (!ratios) return 0;
  const std::uint64_t of_first = bytes_of_block(capability, first);
  const std::uint64_t of_second = bytes_of_block(capability, second);
  std::uint64_t most = 0;
  for (const model::BlockRatio& ratio : *ratios)
    most = std::max(most, ratio.first * of_first + ratio.second * of_second);
  return most;
}

}  // namespace

std::uint64_t Carveout::need_with(const model::BlockDemand& block) const {
  std::uint64_t need = need_alone(capability_, block);
  for (const Twins& each : twins_) need = std::max(need, need_of_pair(capability_, each.block, block));
  return need;
}

Result<void> Carveout::add(const std::shared_ptr<const KernelCode>& code, const model::BlockDemand& block) {
  if (code->twins.empty()) return {};
  const std::uint64_t need = need_with(block);
  twins_.push_back({code, block});
  if (need <= bytes_) return set_for(*code, bytes_);
  bytes_ = need;
  for (const Twins& each : twins_) WATTUNE_TRY(set_for(*each.code, bytes_));
  return {};
}

}  // namespace wattune::schedule
