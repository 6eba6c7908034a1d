// Wide is the integer type with twice as many bits, which holds every product.
#pragma once

#include <cstdint>

namespace wattune::inline v0_1::simulate::ptx {

template <class T>
struct WideOf;
template <>
struct WideOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct WideOf<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct WideOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct WideOf<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct WideOf<std::uint64_t> {
  using type = unsigned __int128;
};
template <>
struct WideOf<std::int64_t> {
  using type = __int128;
};
template <class T>
using Wide = typename WideOf<T>::type;

}  // namespace wattune::simulate::ptx
