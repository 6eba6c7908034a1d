// ManagedMemory and Vector: device memory that the library allocates and frees, for calls of tunable kernels.
//
// Both serve applications that have no device memory of their own. The destructor frees the memory; the device must
// outlive it, and all commands that use the memory must have ended before. Commands go into a stream of the
// application's (backend::adopt_stream()) or of the library's. Calls return at once. Host memory must live until the
// stream has executed them. One thread at a time may use an object.
//
// The library offers no host memory that kernels access (zero copy). An application that has such memory passes it like
// any other memory: pinned and mapped memory, or an OpenCL buffer made of it.
//
//   WATTUNE_ASSIGN(auto x, dynamic::Vector<float>::make(*device, n));
//   WATTUNE_TRY(x.upload(*stream, values));
//   WATTUNE_TRY((*scale)(*stream, x, n));
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/export.h"

namespace wattune::inline v0_1::dynamic {

// Device memory of a number of bytes.
class WATTUNE_EXPORT ManagedMemory {
 public:
  // Allocates memory with undefined contents. Fails as Device::create_buffer() does.
  static Result<ManagedMemory> make(backend::Device& device, std::size_t bytes);

  std::size_t bytes() const { return buffer_->bytes(); }
  // Converts to an argument of calls.
  operator const backend::Buffer&() const { return *buffer_; }

  // Copies host data into the range that begins at byte `offset`. Fails with out_of_range if the range ends behind the
  // memory.
  Result<void> upload(backend::Stream& stream, std::span<const std::byte> data, std::size_t offset = 0);
  // Copies the range that begins at byte `offset` to the host. Fails as upload() does.
  Result<void> download(backend::Stream& stream, std::span<std::byte> data, std::size_t offset = 0);
  // Sets every byte to `value`. Fails with errors of the stream, as all functions here.
  Result<void> clear(backend::Stream& stream, std::byte value = {});
  // Copies all of another memory of the same size. Fails with mismatch if the sizes differ.
  Result<void> copy_from(backend::Stream& stream, const ManagedMemory& from);
  // Changes the size and keeps the contents of the part that stays. New bytes are undefined.
  Result<void> resize(backend::Stream& stream, std::size_t bytes);
  void swap(ManagedMemory& other) noexcept { std::swap(*this, other); }

 private:
  // A buffer, kept alive until a stream has executed the commands that use it.
  struct Used {
    std::uint64_t stream;
    std::unique_ptr<backend::Buffer> buffer;
  };

  ManagedMemory(backend::Device& device, std::unique_ptr<backend::Buffer> buffer)
      : device_(&device), buffer_(std::move(buffer)) {}
  Result<backend::Buffer*> range(backend::Stream& stream, std::size_t offset, std::size_t bytes);
  void forget(const backend::Stream& stream);

  backend::Device* device_;
  std::unique_ptr<backend::Buffer> buffer_;
  std::vector<Used> used_;
};

// Device memory as a vector of elements. Sizes and offsets count elements; the functions are those of ManagedMemory.
template <typename T>
class WATTUNE_EXPORT Vector {
 public:
  static Result<Vector> make(backend::Device& device, std::size_t size) {
    WATTUNE_ASSIGN(ManagedMemory memory, ManagedMemory::make(device, size * sizeof(T)));
    return Vector(std::move(memory));
  }

  std::size_t size() const { return memory_.bytes() / sizeof(T); }
  operator const backend::Buffer&() const { return memory_; }

  Result<void> upload(backend::Stream& stream, std::span<const T> values, std::size_t from = 0) {
    return memory_.upload(stream, std::as_bytes(values), from * sizeof(T));
  }
  Result<void> download(backend::Stream& stream, std::span<T> values, std::size_t from = 0) {
    return memory_.download(stream, std::as_writable_bytes(values), from * sizeof(T));
  }
  Result<void> clear(backend::Stream& stream) { return memory_.clear(stream); }
  Result<void> copy_from(backend::Stream& stream, const Vector& from) {
    return memory_.copy_from(stream, from.memory_);
  }
  Result<void> resize(backend::Stream& stream, std::size_t size) { return memory_.resize(stream, size * sizeof(T)); }
  void swap(Vector& other) noexcept { memory_.swap(other.memory_); }

 private:
  explicit Vector(ManagedMemory memory) : memory_(std::move(memory)) {}

  ManagedMemory memory_;
};

}  // namespace wattune::dynamic
