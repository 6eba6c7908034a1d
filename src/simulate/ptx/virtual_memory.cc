#include "simulate/interface/virtual_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace wattune::inline v0_1::simulate {

namespace {

constexpr std::uint64_t kFirstAddress = 0x7f00'0000'0000;
constexpr std::uint64_t kBufferAlignment = 256;
// Gap between buffers in bytes. Most wrong indices reach less far than this gap.
constexpr std::uint64_t kGap = 64 * 1024;

}  // namespace

VirtualMemory::VirtualMemory() : next_(kFirstAddress) {}

std::uint64_t VirtualMemory::allocate(std::size_t bytes, std::string name) {
  return place({.name = std::move(name), .size = bytes, .bytes = std::vector<std::byte>(bytes)});
}

std::uint64_t VirtualMemory::allocate(std::size_t bytes, std::string name, std::shared_ptr<PageSource> source) {
  std::vector<std::vector<std::byte>> pages((bytes + kPageBytes - 1) / kPageBytes);
  return place({.name = std::move(name), .size = bytes, .source = std::move(source), .pages = std::move(pages)});
}

std::uint64_t VirtualMemory::place(Buffer buffer) {
  const std::uint64_t address = next_;
  next_ += (buffer.size + kGap + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  buffers_.emplace(address, std::move(buffer));
  return address;
}

Result<void> VirtualMemory::release(std::uint64_t address) {
  if (buffers_.erase(address) == 1) return {};
  return Error(ErrorCode::not_found, fmt::format("no buffer begins at {:#x}", address));
}

std::byte* VirtualMemory::find(std::uint64_t address, std::size_t bytes) {
  const Extent buffer = extent(address);
  const std::uint64_t offset = address - buffer.address;
  if (offset > buffer.bytes.size() || bytes > buffer.bytes.size() - offset) return nullptr;
  return buffer.bytes.data() + offset;
}

VirtualMemory::Extent VirtualMemory::extent(std::uint64_t address) {
  const auto after = buffers_.upper_bound(address);
  if (after == buffers_.begin()) return {};
  auto& [begin, buffer] = *std::prev(after);
  if (buffer.source == nullptr) return {begin, buffer.bytes};
  return page_of(begin, buffer, address - begin);
}

VirtualMemory::Extent VirtualMemory::page_of(std::uint64_t begin, Buffer& buffer, std::uint64_t offset) {
  if (offset >= buffer.size) return {begin, {}};
  const std::size_t first = offset / kPageBytes * kPageBytes;
  std::vector<std::byte>& page = buffer.pages[offset / kPageBytes];
  if (page.empty()) {
    std::vector<std::byte> bytes(std::min(kPageBytes, buffer.size - first));
    if (!buffer.source->read(first, bytes)) return {begin, {}};
    page = std::move(bytes);
    ++pages_read_;
  }
  return {begin + first, page};
}

std::string VirtualMemory::describe(std::uint64_t address) const {
  const auto after = buffers_.upper_bound(address);
  if (after == buffers_.begin()) return "before all buffers";
  const auto& [begin, buffer] = *std::prev(after);
  const std::string which = buffer.name.empty() ? fmt::format("the buffer at {:#x}", begin) : "`" + buffer.name + "`";
  const std::uint64_t offset = address - begin;
  if (offset >= buffer.size)
    return fmt::format("{} bytes behind the end of {}, which has {}", offset - buffer.size, which, buffer.size);
  return fmt::format("{} bytes before the end of {}", buffer.size - offset, which);
}

}  // namespace wattune::simulate
