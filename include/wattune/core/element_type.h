// The type of the elements of an argument.
//
//   size_in_bytes(ElementType::float32)   // 4
//   parse_element_type("double")          // ElementType::float64
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace wattune {

enum class ElementType {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};

std::size_t size_in_bytes(ElementType type);
std::string_view to_string(ElementType type);  // "float32"
std::string_view c_name(ElementType type);     // the name in OpenCL C and in specs: "float", "ulong"
// Parses both names above, and "bool" and "unsigned". Returns nullopt for anything else.
std::optional<ElementType> parse_element_type(std::string_view name);

}  // namespace wattune
