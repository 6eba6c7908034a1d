// VirtualMemory: the memory of a device that does not exist, as buffers at addresses.
//
// Between buffers lie addresses that belong to none, so that what runs past an end is seen and named. A value: a copy
// is a snapshot of all that is in it. One thread at a time, and not while a PtxRun that uses it is in advance().
//
//   VirtualMemory memory;
//   const std::uint64_t x = memory.allocate(4096, "x");
//   std::ranges::copy(bytes, memory.find(x, 4096));
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::simulate {

class VirtualMemory {
 public:
  VirtualMemory();

  // The address of as many zeros, divisible by 256. Messages call them by the name.
  std::uint64_t allocate(std::size_t bytes, std::string name = {});
  // not_found: no buffer begins there.
  Result<void> release(std::uint64_t address);

  // Where these bytes are, until their buffer is released; nullptr: they are not all in one buffer.
  std::byte* find(std::uint64_t address, std::size_t bytes);
  // "40 bytes behind the end of `x`, which has 4096".
  std::string describe(std::uint64_t address) const;

  // A whole buffer.
  struct Extent {
    std::uint64_t address = 0;
    std::span<std::byte> bytes;
  };
  // The buffer that this address is in, or behind; an empty one before all buffers.
  Extent extent(std::uint64_t address);

  // The same buffers at the same addresses with the same bytes.
  bool operator==(const VirtualMemory& other) const = default;

 private:
  struct Buffer {
    std::string name;
    std::vector<std::byte> bytes;

    bool operator==(const Buffer&) const = default;
  };

  std::map<std::uint64_t, Buffer> buffers_;  // by address
  std::uint64_t next_;                       // of the next buffer
};

}  // namespace wattune::simulate
