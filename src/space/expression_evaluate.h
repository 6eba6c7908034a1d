// Walks the syntax tree of an expression and computes its value.
#pragma once

#include <cstdint>
#include <functional>

#include "space/expression_tree.h"

namespace wattune::space {

// The value of the name with this index, or nullptr when it has none.
using NameValue = std::function<const Value*(std::uint32_t name)>;

// The first fault met, and the node where; node is nullptr when all went well.
struct Failure {
  Fault fault = Fault::none;
  const Expression::Node* node = nullptr;

  explicit operator bool() const { return fault != Fault::none; }
};

// A string result refers to a literal of the tree or to a value that `name_value` gave.
Failure evaluate(const Expression::Node& node, const NameValue& name_value, Scalar& result);

}  // namespace wattune::space
