// PtxCosts counts how much executed PTX instructions use a multiprocessor and its memory.
//
// A PtxRun fills it if its options ask for costs. An instruction counts once per warp, for all threads that run it. The
// counts are of PTX, not of the code that ptxas makes of it. Moves, conversions of addresses and loads of parameters do
// not count, since ptxas mostly removes them. Divisions and 64-bit integer operations, which ptxas expands, count once.
// It is a value.
//
//   const double fp32 = costs.pipes[static_cast<std::size_t>(Pipe::fp32)];
#pragma once

#include <array>
#include <cstdint>

#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::simulate {

struct PtxCosts {
  std::uint64_t issued = 0;  // instructions that take an issue slot
  // Instructions that each pipe executes. For `memory` these are cycles: an access to global memory takes one cycle per
  // four sectors, and any other access takes one.
  std::array<std::uint64_t, kPipes> pipes = {};
  // Sectors of global memory that an access of a warp touches, summed over all accesses. The sum is the traffic without
  // any cache. Atomics count as a read and a write.
  std::uint64_t sectors_read = 0;
  std::uint64_t sectors_written = 0;
  std::uint64_t accesses = 0;         // warp instructions that access global or shared memory
  std::uint64_t shared_accesses = 0;  // accesses to shared memory; bank conflicts do not count
  std::uint64_t barriers = 0;

  bool operator==(const PtxCosts&) const = default;
};

}  // namespace wattune::simulate
