// Computes how many blocks of two kernels a streaming multiprocessor (SM) holds at the same time.
//
// This extends occupancy.h to blocks of several kernels. The kernels share either all shared memory that the SM can
// give to blocks, or a carveout that they agree on. All types are values, and any thread may call the functions.
//
//   const auto ratios = model::feasible_ratios(gpu, compute.block, copy.block);
//   // {1, 1}, {2, 1} ... each with as many blocks of the second kernel as still fit
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/result.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::model {

// Blocks of a pair on an SM (Kernelet's slice ratio).
struct WATTUNE_EXPORT BlockRatio {
  unsigned first = 0;
  unsigned second = 0;

  bool operator==(const BlockRatio&) const = default;
};

// The resources of an SM that one block of a kernel takes, in allocation units.
struct WATTUNE_EXPORT BlockShare {
  unsigned warps = 0;
  unsigned registers_per_warp = 0;
  std::size_t shared_bytes = 0;
  unsigned barriers = 0;
};

// The resources of an SM, which tell which blocks fit on it together. Make one object for a GPU, and use it for all
// blocks.
class WATTUNE_EXPORT SmRoom {
 public:
  // The blocks of one kernel that are resident on the SM.
  struct Residents {
    BlockShare share;
    unsigned blocks = 0;
  };

  // Makes the room of a GPU's SM. Fails with not_found as occupancy() does, and with invalid_argument if the carveout
  // is more than the SM has.
  static Result<SmRoom> of(ComputeCapability gpu, std::optional<std::size_t> carveout_bytes = {});

  // Returns the share of one block. Fails with invalid_argument, naming the limit, if no SM holds even one such block.
  Result<BlockShare> share_of(const BlockDemand& block) const;
  // True if these blocks fit together. The answer is exact for one kernel. For several, each kernel's warps are rounded
  // up over the register files of the SM's partitions, which may count one round too many.
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

// Returns the smallest carveout with at least this many bytes that an SM can be set to; the largest if the SM has less.
// Fails with not_found as occupancy() does.
WATTUNE_EXPORT Result<std::size_t> carveout_with(ComputeCapability gpu, std::size_t bytes);

// Returns the ratios with at least one block of each kernel that leave no room for one more block of the second kernel.
// They ascend by the blocks of the first kernel. The result is empty if no SM holds a block of each kernel at once.
// Fails as occupancy() and SmRoom do.
WATTUNE_EXPORT Result<std::vector<BlockRatio>> feasible_ratios(ComputeCapability gpu, const BlockDemand& first,
                                                               const BlockDemand& second);

}  // namespace wattune::model
