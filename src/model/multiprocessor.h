// Multiprocessor: what a streaming multiprocessor of a compute capability holds, and in which units it gives it away.
#pragma once

#include <cstddef>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/model/occupancy.h"

namespace wattune::model {

struct Multiprocessor {
  ComputeCapability gpu;
  unsigned warps = 0;
  unsigned blocks = 0;
  unsigned registers = 0;
  unsigned registers_per_block = 0;
  unsigned registers_per_thread = 0;
  unsigned register_unit = 0;       // what a warp gets is a multiple of it
  unsigned partitions = 0;          // each has its share of the registers and warps of its own
  unsigned partitions_checked = 0;  // a block that does not fit an SM of so many may not run at all
  std::size_t shared_unit = 0;
  std::size_t shared_bytes_per_block = 0;
  std::size_t shared_bytes_reserved = 0;  // of each block, by the driver
  std::vector<std::size_t> carveouts;     // bytes that blocks may share, ascending; the last is all there is
  unsigned barriers = 0;                  // 0: they bound nothing
};

// One of a table that is made once, since whoever submits a kernel waits for it. Never nullptr. not_found, naming those
// that there are.
Result<const Multiprocessor*> multiprocessor(ComputeCapability gpu);

}  // namespace wattune::model
