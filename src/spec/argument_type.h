// Parses the types of kernel arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

struct ComponentType {
  ElementType type = ElementType::float32;
  unsigned width = 1;
};

// Parses a type as OpenCL C spells it: float, float4, uint, half2, uchar16. Also accepts bfloat16, int32, uint32,
// int64, uint64, float32 and float64. The names int8 and float16 stand for vectors, as in OpenCL C.
std::optional<ComponentType> parse_c_type(std::string_view name);
// Parses a type as T1 spells it: float, float16 (sixteen floats), half2, int8 (eight bits), int32, uint64, bool.
std::optional<ComponentType> parse_t1_type(std::string_view name);

// Lists the names that parse_c_type() accepts, without widths, for suggestions.
std::vector<std::string> c_type_names();
std::vector<std::string> t1_type_names();

}  // namespace wattune::spec
