#include "wattune/dynamic/managed.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/interface/part.h"

namespace wattune::inline v0_1::dynamic {

Result<ManagedMemory> ManagedMemory::make(backend::Device& device, std::size_t bytes) {
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> buffer, device.create_buffer(bytes));
  return ManagedMemory(device, std::move(buffer));
}

void ManagedMemory::forget(const backend::Stream& stream) {
  const Result<backend::StreamState> state = stream.state();
  if (state && *state == backend::StreamState::idle)
    std::erase_if(used_, [&](const Used& used) { return used.stream == stream.serial(); });
}

Result<backend::Buffer*> ManagedMemory::range(backend::Stream& stream, std::size_t offset, std::size_t bytes) {
  if (!used_.empty()) forget(stream);
  if (offset == 0 && bytes == buffer_->bytes()) return buffer_.get();
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> part, backend::part_of(*buffer_, offset, bytes));
  used_.push_back({stream.serial(), std::move(part)});
  return used_.back().buffer.get();
}

Result<void> ManagedMemory::upload(backend::Stream& stream, std::span<const std::byte> data, std::size_t offset) {
  WATTUNE_ASSIGN(backend::Buffer* const to, range(stream, offset, data.size()));
  return stream.write(*to, data);
}

Result<void> ManagedMemory::download(backend::Stream& stream, std::span<std::byte> data, std::size_t offset) {
  WATTUNE_ASSIGN(const backend::Buffer* const from, range(stream, offset, data.size()));
  return stream.read(*from, data);
}

Result<void> ManagedMemory::clear(backend::Stream& stream, std::byte value) { return stream.fill(*buffer_, value); }

Result<void> ManagedMemory::copy_from(backend::Stream& stream, const ManagedMemory& from) {
  if (from.bytes() != bytes())
    return Error(ErrorCode::mismatch, fmt::format("memory of {} bytes is copied to {}", from.bytes(), bytes()))
        .hint("resize() it first");
  return stream.copy(from, *buffer_);
}

Result<void> ManagedMemory::resize(backend::Stream& stream, std::size_t bytes) {
  if (bytes == buffer_->bytes()) return {};
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> made, device_->create_buffer(bytes));
  if (const std::size_t kept = std::min(bytes, buffer_->bytes()); kept > 0) {
    WATTUNE_ASSIGN(const backend::Buffer* const part, range(stream, 0, kept));
    WATTUNE_TRY(stream.copy(*part, *made));
  }
  used_.push_back({stream.serial(), std::exchange(buffer_, std::move(made))});
  return {};
}

}  // namespace wattune::dynamic
