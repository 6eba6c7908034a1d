// The types that PTX instructions name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wattune::inline v0_1::simulate::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
};

std::optional<Type> type_named(std::string_view name);

// Returns the bytes of one value; 0 for predicates.
unsigned bytes_of(Type type);

bool is_float(Type type);
bool is_signed(Type type);

}  // namespace wattune::simulate::ptx
