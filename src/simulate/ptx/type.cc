#include "simulate/ptx/type.h"

#include <algorithm>
#include <array>

namespace wattune::simulate::ptx {

namespace {

enum class Family : std::uint8_t { bits, unsigned_integer, signed_integer, floating };

struct TypeRow {
  std::string_view name;
  unsigned bytes;
  Family family;
};

// In the order of Type.
constexpr std::array<TypeRow, 21> kTypes = {{
    {"", 0, Family::bits},
    {"pred", 0, Family::bits},
    {"b8", 1, Family::bits},
    {"b16", 2, Family::bits},
    {"b32", 4, Family::bits},
    {"b64", 8, Family::bits},
    {"u8", 1, Family::unsigned_integer},
    {"u16", 2, Family::unsigned_integer},
    {"u32", 4, Family::unsigned_integer},
    {"u64", 8, Family::unsigned_integer},
    {"s8", 1, Family::signed_integer},
    {"s16", 2, Family::signed_integer},
    {"s32", 4, Family::signed_integer},
    {"s64", 8, Family::signed_integer},
    {"f16", 2, Family::floating},
    {"f16x2", 4, Family::floating},
    {"bf16", 2, Family::floating},
    {"bf16x2", 4, Family::floating},
    {"tf32", 4, Family::floating},
    {"f32", 4, Family::floating},
    {"f64", 8, Family::floating},
}};

const TypeRow& row_of(Type type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeRow::name);
  if (name.empty() || found == kTypes.end()) return std::nullopt;
  return static_cast<Type>(found - kTypes.begin());
}

unsigned bytes_of(Type type) { return row_of(type).bytes; }

bool is_float(Type type) { return row_of(type).family == Family::floating; }

bool is_signed(Type type) { return row_of(type).family == Family::signed_integer; }

}  // namespace wattune::simulate::ptx
