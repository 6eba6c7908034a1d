// Selects an instance of a template by an instruction's type.
//
//   return for_integer(type, [](auto zero) { return lanewise<add<decltype(zero)>>; });
#pragma once

#include <cstdint>

#include "simulate/ptx/operation.h"
#include "simulate/ptx/type.h"

namespace wattune::inline v0_1::simulate::ptx {

template <class Choose>
Handler for_integer(Type type, Choose choose) {
  switch (type) {
    case Type::b16:
    case Type::u16: return choose(std::uint16_t{});
    case Type::b32:
    case Type::u32: return choose(std::uint32_t{});
    case Type::b64:
    case Type::u64: return choose(std::uint64_t{});
    case Type::s16: return choose(std::int16_t{});
    case Type::s32: return choose(std::int32_t{});
    case Type::s64: return choose(std::int64_t{});
    default: return nullptr;
  }
}

// Selects by the number of bits alone.
template <class Choose>
Handler for_bits(Type type, Choose choose) {
  switch (bytes_of(type)) {
    case 2: return choose(std::uint16_t{});
    case 4: return choose(std::uint32_t{});
    case 8: return choose(std::uint64_t{});
    default: return nullptr;
  }
}

}  // namespace wattune::simulate::ptx
