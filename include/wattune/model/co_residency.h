// Which numbers of blocks of two kernels a streaming multiprocessor (SM) holds at once.
//
// occupancy.h for blocks of several kernels. Shared memory is all that the SM can give to blocks, or a carveout that
// they agree on. Values; any thread may call.
//
//   const auto ratios = model::feasible_ratios(gpu, compute.block, copy.block);
//   // {1, 1}, {1, 2} ... each with room for no block more of the second
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/model/occupancy.h"

namespace wattune::model {

// Blocks of a pair on an SM (Kernelet's slice ratio).
struct BlockRatio {
  unsigned first = 0;
  unsigned second = 0;

  bool operator==(const BlockRatio&) const = default;
};

// What one block of a kernel takes of an SM, in the units in which it gives things away.
struct BlockShare {
  unsigned warps = 0;
  unsigned registers_per_warp = 0;
  std::size_t shared_bytes = 0;
  unsigned barriers = 0;
};

// What an SM has. Made once for a GPU, asked for every block.
class SmRoom {
 public:
  struct Residents {
    BlockShare share;
    unsigned blocks = 0;
  };

  // not_found, as occupancy(); invalid_argument (a carveout that is more than there is).
  static Result<SmRoom> of(ComputeCapability gpu, std::optional<std::size_t> carveout_bytes = {});

  // invalid_argument: no SM holds even one such block, with the limits that forbid it.
  Result<BlockShare> share_of(const BlockDemand& block) const;
  // Exact for one kernel. Of several, each has its warps in whole rounds over the register files of the SM's parts,
  // which may count one round too many.
  bool holds(std::span<const Residents> residents) const;

  unsigned warps() const { return warps_; }

 private:
  ComputeCapability gpu_;
  unsigned warps_ = 0;
  unsigned blocks_ = 0;
  unsigned registers_ = 0;
  unsigned partitions_ = 1;
  unsigned barriers_ = 0;
  std::size_t shared_bytes_ = 0;
};

// The least shared memory that an SM can be set to offer and that has so many bytes; all that there is where it has
// less. not_found, as occupancy().
Result<std::size_t> carveout_with(ComputeCapability gpu, std::size_t bytes);

// Those with one block of each at least, with which the SM has no room for another block of the second; by the first.
// Each smaller ratio has room to grow. As occupancy() and SmRoom; empty where the two never fit together.
Result<std::vector<BlockRatio>> feasible_ratios(ComputeCapability gpu, const BlockDemand& first,
                                                const BlockDemand& second);

}  // namespace wattune::model
