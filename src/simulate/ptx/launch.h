// Launch is the state that all blocks of a run share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulate/interface/ptx_run.h"
#include "simulate/ptx/code.h"

namespace wattune::inline v0_1::simulate::ptx {

using Index3 = std::array<std::uint32_t, 3>;

struct Launch {
  const Code& code;
  const Function& entry;
  std::string kernel;
  VirtualMemory& memory;
  std::vector<std::byte> parameters;
  Index3 grid;
  Index3 block;
  std::uint32_t shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t multiprocessors = 1;
  std::uint64_t most_instructions = 0;

  VirtualMemory::Extent last_used = {};  // the buffer of the last access, which probably has the next one too
  PtxCounts counts = {};
  std::optional<PtxCosts> costs = {};
  std::string printed = {};
  std::uint64_t heap_bytes = 0;     // number of bytes that kernels have received from malloc
  std::optional<Error> fault = {};  // an error that ends the run

  std::uint32_t threads_of_block() const { return block[0] * block[1] * block[2]; }
};

// Converts a linear index to one of three dimensions, x first.
inline Index3 index_at(std::uint64_t linear, const Index3& extent) {
  return {static_cast<std::uint32_t>(linear % extent[0]), static_cast<std::uint32_t>(linear / extent[0] % extent[1]),
          static_cast<std::uint32_t>(linear / extent[0] / extent[1])};
}

}  // namespace wattune::simulate::ptx
