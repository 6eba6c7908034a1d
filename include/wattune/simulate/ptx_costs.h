// PtxCosts: what instructions that ran ask of a multiprocessor and of its memory.
//
// Counted by a PtxRun where its options say so, of warps: an instruction counts once for all threads that run it. PTX
// is counted, not what ptxas makes of it: moves, conversions of addresses and loads of parameters, of which it mostly
// makes nothing, do not count; what it makes several instructions of (divisions, 64-bit integers) counts once. A value.
//
//   const double fp32 = costs.pipes[static_cast<std::size_t>(Pipe::fp32)];
#pragma once

#include <array>
#include <cstdint>

#include "wattune/simulate/gpu_model.h"

namespace wattune::simulate {

struct PtxCosts {
  std::uint64_t issued = 0;  // instructions that take an issue slot
  // Those that each pipe executes. Of `memory`: cycles, of which an access to global memory takes one for each four
  // sectors, any other one.
  std::array<std::uint64_t, kPipes> pipes = {};
  // Sectors of global memory that an access of a warp touches, summed over accesses: bytes that are moved where no
  // cache answers. Atomics read and write.
  std::uint64_t sectors_read = 0;
  std::uint64_t sectors_written = 0;
  std::uint64_t accesses = 0;         // instructions of warps that access global or shared memory
  std::uint64_t shared_accesses = 0;  // those to shared memory; bank conflicts do not count
  std::uint64_t barriers = 0;

  bool operator==(const PtxCosts&) const = default;
};

}  // namespace wattune::simulate
