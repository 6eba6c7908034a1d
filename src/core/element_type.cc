#include "wattune/core/argument.h"

#include <array>
#include <utility>

namespace wattune::inline v0_1 {

namespace {

struct TypeTraits {
  ElementType type;
  std::string_view name;
  std::string_view c_name;
  std::size_t bytes;
};

constexpr std::array<TypeTraits, 12> kTypes{{{ElementType::int8, "int8", "char", 1},
                                             {ElementType::uint8, "uint8", "uchar", 1},
                                             {ElementType::int16, "int16", "short", 2},
                                             {ElementType::uint16, "uint16", "ushort", 2},
                                             {ElementType::int32, "int32", "int", 4},
                                             {ElementType::uint32, "uint32", "uint", 4},
                                             {ElementType::int64, "int64", "long", 8},
                                             {ElementType::uint64, "uint64", "ulong", 8},
                                             {ElementType::float16, "float16", "half", 2},
                                             {ElementType::bfloat16, "bfloat16", "bfloat16", 2},
                                             {ElementType::float32, "float32", "float", 4},
                                             {ElementType::float64, "float64", "double", 8}}};

constexpr std::array<std::pair<std::string_view, ElementType>, 2> kAliases{
    {{"bool", ElementType::uint8}, {"unsigned", ElementType::uint32}}};

const TypeTraits& traits(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t size_in_bytes(ElementType type) { return traits(type).bytes; }

std::string_view to_string(ElementType type) { return traits(type).name; }

std::string_view c_name(ElementType type) { return traits(type).c_name; }

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (const TypeTraits& entry : kTypes)
    if (entry.name == name || entry.c_name == name) return entry.type;
  for (const auto& [alias, type] : kAliases)
    if (alias == name) return type;
  return std::nullopt;
}

}  // namespace wattune
