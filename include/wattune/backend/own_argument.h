// OwnArgument: an argument that an application gives to a kernel. It is memory of the application, or a value.
//
// It is a plain value that refers to memory of the application, and allocates nothing. Any thread may use it.
//
//   (*scale)(stream, x, n);  // a tunable kernel; x is a float* from cudaMalloc or PyTorch, or a cl_mem; n is an int
//   session->submit({.kernel = 0}, {{"x", x}, {"n", n}});  // a work that runs beside others
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "wattune/backend/attach.h"
#include "wattune/core/argument.h"
#include "wattune/core/export.h"

namespace wattune::inline v0_1::backend {

// Memory, or a scalar or struct of at most kMostValueBytes by value.
class WATTUNE_EXPORT OwnArgument {
 public:
  // The largest number of bytes of an argument that is passed by value.
  static constexpr std::size_t kMostValueBytes = 32;

  // Takes device memory. A nullptr is passed as a null pointer; void* fits an argument of any type.
  template <typename T>
  OwnArgument(T* memory) : memory_(reinterpret_cast<std::uintptr_t>(memory)), is_memory_(true) {
    if constexpr (!std::is_void_v<T>) type_ = element_type_of<std::remove_cv_t<T>>();
  }
  OwnArgument(_cl_mem* memory) : memory_(reinterpret_cast<std::uintptr_t>(memory)), is_memory_(true) {}
  OwnArgument(std::nullptr_t) : is_memory_(true) {}
  // Takes memory that the library manages (managed.h), or an adopted buffer.
  OwnArgument(const Buffer& buffer) : buffer_(&buffer), is_memory_(true) {}
  template <typename T>
    requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && sizeof(T) <= kMostValueBytes)
  OwnArgument(const T& scalar) : size_(sizeof scalar), type_(element_type_of<T>()) {
    std::memcpy(bytes_.data(), &scalar, sizeof scalar);
  }

  // Makes a scalar or struct of its bytes. Precondition: at most kMostValueBytes of them.
  static OwnArgument of_bytes(std::span<const std::byte> bytes) {
    OwnArgument made(nullptr);
    made.is_memory_ = false;
    made.size_ = bytes.size();
    std::memcpy(made.bytes_.data(), bytes.data(), bytes.size());
    return made;
  }

  bool is_memory() const { return is_memory_; }
  std::uint64_t memory() const { return memory_; }  // CUdeviceptr or cl_mem; 0 if there is a buffer()
  const Buffer* buffer() const { return buffer_; }  // nullptr if the memory is the application's
  std::span<const std::byte> bytes() const { return std::span(bytes_).first(size_); }
  // Returns the first eight bytes of a scalar, filled up with zeros; 0 for memory.
  std::uint64_t word() const {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data(), sizeof word);
    return word;
  }
  // Returns a number that is equal for arguments of the same kind (memory or value), size (of a scalar) and type.
  std::uint32_t shape() const { return shape_of(is_memory_, size_, type_); }
  static std::uint32_t shape_of(bool is_memory, std::size_t bytes, std::optional<ElementType> type) {
    const auto kind = static_cast<std::uint32_t>(type ? static_cast<int>(*type) + 1 : 0);
    return static_cast<std::uint32_t>(bytes) << 16 | kind << 8 | static_cast<std::uint32_t>(is_memory);
  }
  // Returns the type of the scalar, or of the elements that the pointer points to. nullopt if C++ does not tell it
  // (void*, cl_mem, structs).
  std::optional<ElementType> type() const { return type_; }

 private:
  template <typename T>
  static constexpr std::optional<ElementType> element_type_of();

  std::uint64_t memory_ = 0;
  const Buffer* buffer_ = nullptr;
  std::array<std::byte, kMostValueBytes> bytes_{};
  std::size_t size_ = 0;
  std::optional<ElementType> type_;
  bool is_memory_ = false;
};

template <typename T>
constexpr std::optional<ElementType> OwnArgument::element_type_of() {
  if constexpr (std::is_same_v<T, float>) return ElementType::float32;
  if constexpr (std::is_same_v<T, double>) return ElementType::float64;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return is_signed ? ElementType::int8 : ElementType::uint8;
    if constexpr (sizeof(T) == 2) return is_signed ? ElementType::int16 : ElementType::uint16;
    if constexpr (sizeof(T) == 4) return is_signed ? ElementType::int32 : ElementType::uint32;
    if constexpr (sizeof(T) == 8) return is_signed ? ElementType::int64 : ElementType::uint64;
  }
  return std::nullopt;
}

}  // namespace wattune::backend
