#include "simulate/ptx/type.h"

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::simulate::ptx {

namespace {

enum class TypeGroup : std::uint8_t { bits, unsigned_integer, signed_integer, floating };

struct TypeRow {
  std::string_view name;
  unsigned bytes;
  TypeGroup group;
};

// The properties of each type, in the order of Type.
constexpr std::array<TypeRow, 21> kTypes = {{
    {"", 0, TypeGroup::bits},
    {"pred", 0, TypeGroup::bits},
    {"b8", 1, TypeGroup::bits},
    {"b16", 2, TypeGroup::bits},
    {"b32", 4, TypeGroup::bits},
    {"b64", 8, TypeGroup::bits},
    {"u8", 1, TypeGroup::unsigned_integer},
    {"u16", 2, TypeGroup::unsigned_integer},
    {"u32", 4, TypeGroup::unsigned_integer},
    {"u64", 8, TypeGroup::unsigned_integer},
    {"s8", 1, TypeGroup::signed_integer},
    {"s16", 2, TypeGroup::signed_integer},
    {"s32", 4, TypeGroup::signed_integer},
    {"s64", 8, TypeGroup::signed_integer},
    {"f16", 2, TypeGroup::floating},
    {"f16x2", 4, TypeGroup::floating},
    {"bf16", 2, TypeGroup::floating},
    {"bf16x2", 4, TypeGroup::floating},
    {"tf32", 4, TypeGroup::floating},
    {"f32", 4, TypeGroup::floating},
    {"f64", 8, TypeGroup::floating},
}};

const TypeRow& row_of(Type type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeRow::name);
  if (name.empty() || found == kTypes.end()) return std::nullopt;
  return static_cast<Type>(found - kTypes.begin());
}

unsigned bytes_of(Type type) { return row_of(type).bytes; }

bool is_float(Type type) { return row_of(type).group == TypeGroup::floating; }

bool is_signed(Type type) { return row_of(type).group == TypeGroup::signed_integer; }

}  // namespace wattune::simulate::ptx
