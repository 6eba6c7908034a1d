// Converts values to bytes and back, for the two ends of a worker's socket. Both run on one machine, so numbers keep
// their layout in memory.
//
// A struct is described once, by the list of its members, and can then be written and read:
//   template <> inline constexpr auto kFields<Macro> = std::tuple(&Macro::name, &Macro::value);
//
// Reading never trusts its input. Lengths are checked against the remaining bytes, and memory is allocated only for
// bytes that have come. After the first impossible value the Reader has failed and leaves all other values at their
// defaults.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend::worker {

template <typename T>
inline constexpr std::nullptr_t kFields = nullptr;

template <typename T>
concept Described = !
std::is_null_pointer_v<std::remove_const_t<decltype(kFields<T>)>>;
template <typename T>
concept Number = (std::is_arithmetic_v<T> || std::is_enum_v<T>) && !
std::is_same_v<T, bool>;

class Writer {
 public:
  std::span<const std::byte> bytes() const { return bytes_; }

  template <Number T>
  void put(const T& value) {
    append(&value, sizeof value);
  }
  void put(const bool& value) { put(static_cast<std::uint8_t>(value)); }
  template <typename Unit>
  void put(const Quantity<Unit>& value) {
    put(value.value());
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  void put(const std::filesystem::path& path) { put(path.string()); }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    for (const T& value : values) put(value);
  }
  template <typename T>
  void put(const std::map<std::string, T>& values) {
    put(std::uint64_t{values.size()});
    for (const auto& [key, value] : values) {
      put(key);
      put(value);
    }
  }
  template <typename T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename... T>
  void put(const std::variant<T...>& value) {
    put(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& alternative) { put(alternative); }, value);
  }
  template <Described T>
  void put(const T& value) {
    std::apply([&](auto... members) { (put(value.*members), ...); }, kFields<T>);
  }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  // True if all bytes were read and no value was impossible.
  bool complete() const { return !failed_ && rest_.empty(); }

  template <Number T>
  void get(T& value) {
    if (const auto bytes = take(sizeof value); !failed_) std::memcpy(&value, bytes.data(), sizeof value);
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) fail();
    value = byte == 1;
  }
  template <typename Unit>
  void get(Quantity<Unit>& value) {
    double number = 0.0;
    get(number);
    value = Quantity<Unit>(number);
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    const auto bytes = take(size);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void get(std::filesystem::path& path) {
    std::string text;
    get(text);
    path = text;
  }
  template <typename T>
  void get(std::vector<T>& values) {
    std::uint64_t size = 0;
    get(size);
    for (std::uint64_t i = 0; i < size && !failed_; ++i) get(values.emplace_back());
  }
  template <typename T>
  void get(std::map<std::string, T>& values) {
    std::uint64_t size = 0;
    get(size);
    for (std::uint64_t i = 0; i < size && !failed_; ++i) {
      std::string key;
      get(key);
      get(values[key]);
    }
  }
  template <typename T, std::size_t N>
  void get(std::array<T, N>& values) {
    for (T& value : values) get(value);
  }
  template <typename T>
  void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    if (present) get(value.emplace());
  }
  template <typename... T>
  void get(std::variant<T...>& value) {
    std::uint8_t index = 0;
    get(index);
    if (index >= sizeof...(T)) return fail();
    get_alternative(value, index, std::index_sequence_for<T...>());
  }
  template <Described T>
  void get(T& value) {
    std::apply([&](auto... members) { (get(value.*members), ...); }, kFields<T>);
  }

 private:
  void fail() { failed_ = true; }

  std::span<const std::byte> take(std::uint64_t size) {
    if (failed_ || size > rest_.size()) return fail(), std::span<const std::byte>();
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  template <typename Variant, std::size_t... I>
  void get_alternative(Variant& value, std::size_t index, std::index_sequence<I...>) {
    ((index == I ? get(value.template emplace<I>()) : void()), ...);
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace wattune::backend::worker
