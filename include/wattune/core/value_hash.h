// ValueHash: Values in hashed containers. It agrees with their ==, for which True, 1 and 1.0 are equal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "wattune/core/value.h"

namespace wattune {

struct ValueHash {
  std::size_t operator()(const Value& value) const {
    if (value.is_number()) return std::hash<double>()(value.as_real());
    return std::hash<std::string>()(value.as_string());
  }
};

}  // namespace wattune
