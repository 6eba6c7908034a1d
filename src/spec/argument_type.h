// Types of kernel arguments, as texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::spec {

struct ComponentType {
  ElementType type = ElementType::float32;
  unsigned width = 1;
};

// As OpenCL C spells them: float, float4, uint, half2, uchar16; also bfloat16, int32, uint32, int64, uint64, float32,
// float64.
// int8 and float16 are the vectors that they are in OpenCL C.
std::optional<ComponentType> parse_c_type(std::string_view name);
// As T1 spells them: float, float16 (sixteen floats), half2, int8 (eight bits), int32, uint64, bool.
std::optional<ComponentType> parse_t1_type(std::string_view name);

// What parse_c_type() accepts, without widths: for suggestions.
std::vector<std::string> c_type_names();
std::vector<std::string> t1_type_names();

}  // namespace wattune::spec
