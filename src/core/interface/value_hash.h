// A hash of Values, alone or in a list, for hashed containers. It agrees with their ==, for which True, 1 and 1.0 are
// equal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "wattune/core/value.h"

namespace wattune::inline v0_1 {

struct ValueHash {
  std::size_t operator()(const Value& value) const {
    if (value.is_number()) return std::hash<double>()(value.as_real());
    return std::hash<std::string>()(value.as_string());
  }
  std::size_t operator()(const std::vector<Value>& values) const {
    std::size_t hash = 0;
    for (const Value& value : values) hash = hash * kMultiplier + (*this)(value);
    return hash;
  }

 private:
  static constexpr std::size_t kMultiplier = 0x9E3779B97F4A7C15;
};

}  // namespace wattune
