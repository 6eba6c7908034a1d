// The range of values that an expression can still have while some of its parameters are unassigned.
//
// The interval arithmetic is conservative. Every value under any assignment of the open parameters lies between lo and
// hi, and may_fail is false only if no assignment faults. Bounds are doubles. Integers beyond 2^53, strings and
// operations without a rule here are unknown(). Rounding is monotone, so bounds computed in doubles also bound the
// values that the expression computes in doubles.
#pragma once

#include <limits>
#include <span>

#include "space/diagram/constraint_graph.h"

namespace wattune::inline v0_1::space {

struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool integral = false;
  bool may_fail = true;
  bool blank = false;  // no longer needed, as in Cell

  static Range unknown() { return {}; }
  static Range of(double lo, double hi, bool integral) { return {lo, hi, integral, false, false}; }
  static Range of(const Cell& cell);

  bool is_point() const { return lo == hi && !may_fail; }
  bool certainly_true() const { return !may_fail && (lo > 0 || hi < 0); }
  bool certainly_false() const { return !may_fail && lo == 0 && hi == 0; }
};

// Returns the smallest range that holds both ranges.
Range hull(const Range& a, const Range& b);

// Returns the range of a node, given the ranges of its operands. Precondition: the node is neither a constant nor a
// variable.
Range range_of(const ConstraintGraph& graph, NodeId id, std::span<const Range> ranges);

}  // namespace wattune::space
