#include "wattune/model/co_residency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/allocation.h"
#include "model/multiprocessor.h"

namespace wattune::inline v0_1::model {

Result<SmRoom> SmRoom::of(ComputeCapability gpu, std::optional<std::size_t> carveout_bytes) {
  WATTUNE_ASSIGN(const Multiprocessor* const sm, multiprocessor(gpu));
  if (carveout_bytes > sm->carveouts.back())
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the carveout is more than the {} bytes of an SM", sm->carveouts.back()))
        .about(std::to_string(*carveout_bytes))
        .with_context("room of an SM");
  SmRoom room;
  room.gpu_ = gpu;
  room.warps_ = sm->warps;
  room.blocks_ = sm->blocks;
  room.registers_ = sm->registers;
  room.partitions_ = sm->partitions;
  room.barriers_ = sm->barriers;
  room.shared_bytes_ = carveout_bytes ? offered(*sm, *carveout_bytes) : sm->carveouts.back();
  return room;
}

Result<BlockShare> SmRoom::share_of(const BlockDemand& block) const {
  WATTUNE_ASSIGN(const Multiprocessor* const sm, multiprocessor(gpu_));
  WATTUNE_ASSIGN(const Occupancy alone, occupancy(gpu_, block));
  const BlockShare share{warps_of(block), registers_per_warp(*sm, block.registers), shared_bytes_of(*sm, block),
                         block.barriers};
  if (alone.blocks > 0 && share.shared_bytes <= shared_bytes_) return share;
  const OccupancyLimit limit = alone.blocks > 0 ? OccupancyLimit::shared_memory : alone.binding().front();
  return Error(ErrorCode::invalid_argument, "no SM holds a block of this kernel")
      .about(std::string(to_string(limit)))
      .hint(fmt::format("one asks for {} threads of {} registers and {} bytes of shared memory: make it smaller",
                        block.threads, block.registers, block.static_shared_bytes + block.dynamic_shared_bytes))
      .with_context("room of an SM");
}

bool SmRoom::holds(std::span<const Residents> residents) const {
  unsigned warps = 0;
  unsigned blocks = 0;
  unsigned barriers = 0;
  unsigned registers = 0;
  std::size_t shared = 0;
  for (const auto& [share, count] : residents) {
    warps += count * share.warps;
    blocks += count;
    barriers += count * share.barriers;
    shared += count * share.shared_bytes;
    registers += divided_up(count * share.warps, partitions_) * share.registers_per_warp;
  }
  return warps <= warps_ && blocks <= blocks_ && registers <= registers_ / partitions_ && shared <= shared_bytes_ &&
         (barriers_ == 0 || barriers <= barriers_);
}

Result<std::size_t> carveout_with(ComputeCapability gpu, std::size_t bytes) {
  WATTUNE_ASSIGN(const Multiprocessor* const sm, multiprocessor(gpu));
  return offered(*sm, std::min(bytes, sm->carveouts.back()));
}

Result<std::vector<BlockRatio>> feasible_ratios(ComputeCapability gpu, const BlockDemand& first,
                                                const BlockDemand& second) {
  WATTUNE_ASSIGN(const SmRoom room, SmRoom::of(gpu));
  WATTUNE_ASSIGN(const BlockShare one, room.share_of(first));
  WATTUNE_ASSIGN(const BlockShare other, room.share_of(second));
  const auto fits = [&](unsigned i, unsigned j) {
    return room.holds(std::array{SmRoom::Residents{one, i}, SmRoom::Residents{other, j}});
  };
  std::vector<BlockRatio> ratios;
  for (unsigned i = 1; fits(i, 1); ++i) {
    unsigned j = 1;
    while (fits(i, j + 1)) ++j;
    ratios.push_back({i, j});
  }
  return ratios;
}

}  // namespace wattune::model
