#include "schedule/carveout.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace wattune::schedule {

namespace {

// "CUDA C++ Programming Guide", compute capability 8.x: the system keeps 1 KB of shared memory for each block.
constexpr std::uint64_t kReservedBytes = 1024;

std::uint64_t need_of(const KernelTraits& traits) {
  const model::BlockDemand& block = traits.block;
  return traits.profile.blocks_alone * (block.static_shared_bytes + block.dynamic_shared_bytes + kReservedBytes);
}

Result<void> set_for(const KernelCode& code, std::uint64_t bytes) {
  for (const auto& [form, twin] : code.twins) WATTUNE_TRY(twin->prefer_local_memory(bytes));
  return {};
}

}  // namespace

Result<void> Carveout::add(const std::shared_ptr<const KernelCode>& code, const KernelTraits& traits) {
  if (code->twins.empty()) return {};
  std::uint64_t& need = needs_[code];
  need = std::max(need, need_of(traits));
  std::vector<std::uint64_t> all = {0};
  for (const auto& [each, bytes] : needs_) all.push_back(bytes);
  std::ranges::partial_sort(all, all.begin() + 2, std::greater<>());
  const std::uint64_t wanted = all[0] + all[1];
  if (wanted <= bytes_) return set_for(*code, bytes_);
  bytes_ = wanted;
  for (const auto& [each, bytes] : needs_) WATTUNE_TRY(set_for(*each, bytes_));
  return {};
}

}  // namespace wattune::schedule
