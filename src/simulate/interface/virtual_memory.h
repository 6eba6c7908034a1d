// VirtualMemory is the memory of a device that does not exist: buffers at addresses.
//
// Addresses between buffers belong to none, so an access past an end is detected and named. A value: a copy is a
// snapshot of all contents. One thread at a time, and not while a PtxRun that uses it is in advance().
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

namespace wattune::inline v0_1::simulate {

class VirtualMemory {
 public:
  VirtualMemory();

  // Allocates zeroed bytes and returns their address, which is divisible by 256. Messages use the name.
  std::uint64_t allocate(std::size_t bytes, std::string name = {});
  // Fails with not_found if no buffer begins there.
  Result<void> release(std::uint64_t address);

  // Returns the bytes at this address, valid until their buffer is released. Returns nullptr if they are not all in one
  // buffer.
  std::byte* find(std::uint64_t address, std::size_t bytes);
  // Describes an address in words, such as "40 bytes behind the end of `x`, which has 4096".
  std::string describe(std::uint64_t address) const;

  // An entire buffer.
  struct Extent {
    std::uint64_t address = 0;
    std::span<std::byte> bytes;
  };
  // Returns the buffer that holds this address or lies before it; an empty one if there is no such buffer.
  Extent extent(std::uint64_t address);

  // True if both have the same buffers at the same addresses with the same bytes.
  bool operator==(const VirtualMemory& other) const = default;

 private:
  struct Buffer {
    std::string name;
    std::vector<std::byte> bytes;

    bool operator==(const Buffer&) const = default;
  };

  std::map<std::uint64_t, Buffer> buffers_;  // by address
  std::uint64_t next_;                       // address of the next buffer
};

}  // namespace wattune::simulate
