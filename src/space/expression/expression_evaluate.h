// Walks the syntax tree of an expression and computes its value.
#pragma once

#include <cstdint>
#include <functional>

#include "space/expression/expression_tree.h"

namespace wattune::inline v0_1::space {

// A function that returns the value of the name with this index, or nullptr if the name has no value.
using NameValue = std::function<const Value*(std::uint32_t name)>;

// A fault, and the node in which it arose first; the node is nullptr if there is no fault.
struct Failure {
  Fault fault = Fault::none;
  const Expression::Node* node = nullptr;

  explicit operator bool() const { return fault != Fault::none; }
};

// Evaluates the tree. A string result refers to a literal of the tree or to a value that `name_value` returned.
Failure evaluate(const Expression::Node& node, const NameValue& name_value, Scalar& result);

}  // namespace wattune::space
