#include "wattune/core/element_type.h"

#include <array>
#include <utility>

namespace wattune {

namespace {

struct TypeTraits {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeTraits, 12> kTypes{{{ElementType::int8, "int8", 1},
                                             {ElementType::uint8, "uint8", 1},
                                             {ElementType::int16, "int16", 2},
                                             {ElementType::uint16, "uint16", 2},
                                             {ElementType::int32, "int32", 4},
                                             {ElementType::uint32, "uint32", 4},
                                             {ElementType::int64, "int64", 8},
                                             {ElementType::uint64, "uint64", 8},
                                             {ElementType::float16, "float16", 2},
                                             {ElementType::bfloat16, "bfloat16", 2},
                                             {ElementType::float32, "float32", 4},
                                             {ElementType::float64, "float64", 8}}};

constexpr std::array<std::pair<std::string_view, ElementType>, 13> kAliases{{{"char", ElementType::int8},
                                                                             {"uchar", ElementType::uint8},
                                                                             {"bool", ElementType::uint8},
                                                                             {"short", ElementType::int16},
                                                                             {"ushort", ElementType::uint16},
                                                                             {"int", ElementType::int32},
                                                                             {"uint", ElementType::uint32},
                                                                             {"unsigned", ElementType::uint32},
                                                                             {"long", ElementType::int64},
                                                                             {"ulong", ElementType::uint64},
                                                                             {"half", ElementType::float16},
                                                                             {"float", ElementType::float32},
                                                                             {"double", ElementType::float64}}};

const TypeTraits& traits(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t size_in_bytes(ElementType type) { return traits(type).bytes; }

std::string_view to_string(ElementType type) { return traits(type).name; }

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (const TypeTraits& entry : kTypes)
    if (entry.name == name) return entry.type;
  for (const auto& [alias, type] : kAliases)
    if (alias == name) return type;
  return std::nullopt;
}

}  // namespace wattune
