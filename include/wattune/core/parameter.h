// Parameter and Constraint: the two things a search space is declared with, as plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune {

// A tuning parameter with the values it may take, in the order the user gave them. Values are distinct.
struct Parameter {
  std::string name;
  std::vector<Value> values;
  std::optional<Value> default_value;  // part of the default configuration; one of values
  SourcePosition position;             // where the user declared it

  friend bool operator==(const Parameter& a, const Parameter& b) { return a.name == b.name && a.values == b.values; }
};

// A condition that every valid configuration meets, in Kernel Tuner's string syntax (docs/formats/expressions.md).
struct Constraint {
  std::string expression;
  SourcePosition position;  // of the expression's first character
};

}  // namespace wattune
