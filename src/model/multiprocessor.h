// Multiprocessor holds the resources of a streaming multiprocessor of a compute capability, and their allocation units.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::model {

struct Multiprocessor {
  ComputeCapability gpu;
  unsigned warps = 0;
  unsigned blocks = 0;
  unsigned registers = 0;
  unsigned registers_per_block = 0;
  unsigned registers_per_thread = 0;
  unsigned register_unit = 0;       // the number of a warp's registers is a multiple of this
  unsigned partitions = 0;          // number of partitions; each has its share of the registers and its own warps
  unsigned partitions_checked = 0;  // a block must fit an SM with so many partitions to run at all
  std::size_t shared_unit = 0;
  std::size_t shared_bytes_per_block = 0;
  std::size_t shared_bytes_reserved = 0;  // bytes per block that the driver reserves
  std::vector<std::size_t> carveouts;     // bytes that blocks may share, ascending; the last is all of the memory
  unsigned barriers = 0;                  // number of barriers; 0 if they do not limit the blocks
};

// Returns the multiprocessor of a compute capability, from a table that is made only once, because every submission of
// a kernel calls this function. Never returns nullptr. Fails with not_found, naming the known compute capabilities.
Result<const Multiprocessor*> multiprocessor(ComputeCapability gpu);

}  // namespace wattune::model
