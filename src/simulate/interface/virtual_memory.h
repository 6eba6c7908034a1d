// VirtualMemory is the memory of a device that does not exist: buffers at addresses.
//
// Between buffers there are unused addresses, so an access past the end of a buffer is detected and described. A memory
// is a value: a copy is a snapshot of all contents. One thread at a time uses it, and none while a PtxRun on it is in
// advance().
//
//   VirtualMemory memory;
//   const std::uint64_t x = memory.allocate(4096, "x");
//   std::ranges::copy(bytes, memory.find(x, 4096));
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::simulate {

// A source of a buffer's initial contents. Pages are read from it when they are first touched.
class PageSource {
 public:
  virtual ~PageSource() = default;
  // Reads the bytes from this offset on; returns false if they cannot be read.
  virtual bool read(std::uint64_t offset, std::span<std::byte> into) = 0;
};

class VirtualMemory {
 public:
  static constexpr std::size_t kPageBytes = std::size_t{16} * 1024;

  VirtualMemory();

  // Allocates zeroed bytes and returns their address, which is divisible by 256. Messages use the name.
  std::uint64_t allocate(std::size_t bytes, std::string name = {});
  // Allocates bytes whose pages come from a source, so that a buffer may be larger than the host's memory. Copies share
  // the source.
  std::uint64_t allocate(std::size_t bytes, std::string name, std::shared_ptr<PageSource> source);
  // Returns how many pages were read from sources.
  std::uint64_t pages_read() const { return pages_read_; }
  // Releases a buffer. Fails with not_found if no buffer begins at the address.
  Result<void> release(std::uint64_t address);

  // Returns the bytes at this address, valid until their buffer is released. Returns nullptr if not all of them are in
  // one extent.
  std::byte* find(std::uint64_t address, std::size_t bytes);
  // Describes an address in words, such as "40 bytes behind the end of `x`, which has 4096".
  std::string describe(std::uint64_t address) const;

  // A buffer, or a page of one whose pages come from a source.
  struct Extent {
    std::uint64_t address = 0;
    std::span<std::byte> bytes;
  };
  // Returns the extent that holds this address, or the buffer that lies before it. Returns an empty extent if there is
  // neither, or if the page cannot be read.
  Extent extent(std::uint64_t address);

  // True if both have the same buffers at the same addresses with the same bytes, and have touched the same pages.
  bool operator==(const VirtualMemory& other) const = default;

 private:
  struct Buffer {
    std::string name;
    std::size_t size = 0;
    std::vector<std::byte> bytes = {};               // all bytes of the buffer; empty if there is a source
    std::shared_ptr<PageSource> source = {};         // the source of `pages`
    std::vector<std::vector<std::byte>> pages = {};  // pages of the buffer; each is empty until it is first touched

    bool operator==(const Buffer&) const = default;
  };

  std::uint64_t place(Buffer buffer);
  Extent page_of(std::uint64_t begin, Buffer& buffer, std::uint64_t offset);

  std::map<std::uint64_t, Buffer> buffers_;  // buffers by address
  std::uint64_t next_;                       // address of the next buffer
  std::uint64_t pages_read_ = 0;
};

}  // namespace wattune::simulate
