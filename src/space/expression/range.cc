#include "space/expression/range.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::space {

namespace {

constexpr double kExactIntegers = 0x1p53;

const Range kMaybe = Range::of(0, 1, true);

Range truth(bool value) { return Range::of(value ? 1 : 0, value ? 1 : 0, true); }

// Returns the range itself. Returns unknown() if the range is infinite or NaN, or if doubles cannot represent it
// exactly.
Range checked(Range range) {
  const double limit = range.integral ? kExactIntegers : std::numeric_limits<double>::max();
  const bool inside = range.lo >= -limit && range.hi <= limit;  // false if a bound is NaN
  return inside ? range : Range::unknown();
}

// Returns the range of a function that is monotone in each argument. The extremes of such a function lie at the corners
// of the arguments' ranges.
template <typename F>
Range corners(const Range& a, const Range& b, bool integral, F f) {
  const auto [lo, hi] = std::minmax({f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)});
  return checked(Range::of(lo, hi, integral));
}

double floor_quotient(double a, double b) {
  std::int64_t result = 0;
  static_cast<void>(floor_divide(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), result));
  return static_cast<double>(result);
}

Range modulo_range(const Range& a, const Range& b) {
  if (b.lo <= 0) return Range::unknown();
  if (a.lo >= 0 && a.hi < b.lo) return a;
  return Range::of(0, a.lo >= 0 ? std::min(a.hi, b.hi - 1) : b.hi - 1, true);
}

Range power_range(const Range& a, const Range& b) {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  if (a.lo < 1 || b.lo < 0) return Range::unknown();
  const auto of = [](double base, double exponent, std::int64_t& result) {
    return power(static_cast<std::int64_t>(base), static_cast<std::int64_t>(exponent), result);
  };
  if (of(a.lo, b.lo, lo) != Fault::none || of(a.hi, b.hi, hi) != Fault::none) return Range::unknown();
  return checked(Range::of(static_cast<double>(lo), static_cast<double>(hi), true));
}

Range binary_range(BinaryOperator op, const Range& a, const Range& b) {
  const bool integral = a.integral && b.integral;
  const bool divisor_nonzero = b.lo > 0 || b.hi < 0;
  switch (op) {
    case BinaryOperator::add: return checked(Range::of(a.lo + b.lo, a.hi + b.hi, integral));
    case BinaryOperator::subtract: return checked(Range::of(a.lo - b.hi, a.hi - b.lo, integral));
    case BinaryOperator::multiply: return corners(a, b, integral, [](double x, double y) { return x * y; });
    case BinaryOperator::divide:
      if (!divisor_nonzero) return Range::unknown();
      return corners(a, b, false, [](double x, double y) { return x / y; });
    case BinaryOperator::floor_divide:
      return integral && divisor_nonzero ? corners(a, b, true, floor_quotient) : Range::unknown();
    case BinaryOperator::modulo: return integral ? modulo_range(a, b) : Range::unknown();
    case BinaryOperator::power: return integral ? power_range(a, b) : Range::unknown();
  }
  return Range::unknown();
}

Range comparison_range(Comparison op, const Range& a, const Range& b) {
  const auto decide = [](bool always, bool never) { return always ? truth(true) : never ? truth(false) : kMaybe; };
  const bool same = a.is_point() && b.is_point() && a.lo == b.lo;
  const bool apart = a.hi < b.lo || b.hi < a.lo;
  switch (op) {
    case Comparison::equal: return decide(same, apart);
    case Comparison::not_equal: return decide(apart, same);
    case Comparison::less: return decide(a.hi < b.lo, a.lo >= b.hi);
    case Comparison::less_equal: return decide(a.hi <= b.lo, a.lo > b.hi);
    case Comparison::greater: return decide(a.lo > b.hi, a.hi <= b.lo);
    case Comparison::greater_equal: return decide(a.lo >= b.hi, a.hi < b.lo);
    default: return Range::unknown();
  }
}

// Returns the range of `and` or `or`. The result of such an operation is the first operand that decides, or else the
// last operand.
Range logical_range(bool decisive, std::span<const NodeId> operands, std::span<const Range> ranges) {
  Range result = Range::of(0, 0, true);
  bool first = true;
  bool may_fail = false;
  const auto include = [&](const Range& range) {
    result = first ? range : hull(result, range);
    first = false;
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Range& range = ranges[operands[i]];
    may_fail |= range.may_fail;
    const bool decides = decisive ? range.certainly_true() : range.certainly_false();
    const bool passes = decisive ? range.certainly_false() : range.certainly_true();
    if (decides || i + 1 == operands.size()) {
      include(range);
      break;
    }
    if (!passes) include(decisive ? range : truth(false));
  }
  result.may_fail = may_fail;
  return result;
}

Range conditional_range(const Range& condition, const Range& yes, const Range& no) {
  if (condition.certainly_true()) return yes;
  if (condition.certainly_false()) return no;
  return condition.may_fail ? Range::unknown() : hull(yes, no);
}

Range call_range(Function function, std::span<const NodeId> operands, std::span<const Range> ranges) {
  Range result = ranges[operands[0]];
  switch (function) {
    case Function::minimum:
    case Function::maximum:
      for (NodeId operand : operands.subspan(1)) {
        const Range& next = ranges[operand];
        const auto pick = [&](double a, double b) {
          return function == Function::minimum ? std::min(a, b) : std::max(a, b);
        };
        result = Range::of(pick(result.lo, next.lo), pick(result.hi, next.hi), result.integral && next.integral);
      }
      return operands.size() > 1 ? result : Range::unknown();
    case Function::absolute: {
      const double far = std::max(std::abs(result.lo), std::abs(result.hi));
      const double near = result.lo <= 0 && result.hi >= 0 ? 0 : std::min(std::abs(result.lo), std::abs(result.hi));
      return Range::of(near, far, result.integral);
    }
    case Function::ceil: return checked(Range::of(std::ceil(result.lo), std::ceil(result.hi), true));
    case Function::floor: return checked(Range::of(std::floor(result.lo), std::floor(result.hi), true));
    case Function::to_int: return checked(Range::of(std::trunc(result.lo), std::trunc(result.hi), true));
    case Function::sqrt:
      return result.lo < 0 ? Range::unknown() : Range::of(std::sqrt(result.lo), std::sqrt(result.hi), false);
    default: return Range::unknown();
  }
}

Range in_list_range(std::span<const NodeId> operands, std::span<const Range> ranges) {
  bool never = true;
  for (NodeId element : operands.subspan(1)) {
    const Range equal = comparison_range(Comparison::equal, ranges[operands[0]], ranges[element]);
    if (equal.certainly_true()) return truth(true);
    never &= equal.certainly_false();
  }
  return never ? truth(false) : kMaybe;
}

Range unary_range(UnaryOperator op, const Range& a) {
  switch (op) {
    case UnaryOperator::plus: return a;
    case UnaryOperator::negate: return Range::of(-a.hi, -a.lo, a.integral);
    case UnaryOperator::logical_not:
      return a.certainly_true() ? truth(false) : a.certainly_false() ? truth(true) : kMaybe;
  }
  return Range::unknown();
}

}  // namespace

Range Range::of(const Cell& cell) {
  if (cell.state == Cell::State::blank) {
    Range range;
    range.blank = true;
    return range;
  }
  if (!cell.is_value() || cell.value.is_string()) return unknown();
  const double value = cell.value.as_real();
  return checked(of(value, value, cell.value.is_integral()));
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.integral && b.integral, a.may_fail || b.may_fail, false};
}

Range range_of(const ConstraintGraph& graph, NodeId id, std::span<const Range> ranges) {
  const GraphNode& node = graph[id];
  const std::span<const NodeId> operands = graph.operands(id);
  if (operands.empty()) return Range::unknown();  // the operation is a predicate without arguments
  bool may_fail = false;
  for (NodeId operand : operands) {
    if (ranges[operand].blank) return ranges[operand];
    may_fail |= ranges[operand].may_fail;
  }
  const Range& a = ranges[operands[0]];
  switch (node.operation) {
    case Operation::logical_and: return logical_range(false, operands, ranges);
    case Operation::logical_or: return logical_range(true, operands, ranges);
    case Operation::conditional: return conditional_range(a, ranges[operands[1]], ranges[operands[2]]);
    default: break;
  }
  if (may_fail) return Range::unknown();
  switch (node.operation) {
    case Operation::unary: return unary_range(node.unary(), a);
    case Operation::binary: return binary_range(node.binary(), a, ranges[operands[1]]);
    case Operation::comparison: return comparison_range(node.comparison(), a, ranges[operands[1]]);
    case Operation::call: return call_range(node.function(), operands, ranges);
    case Operation::in_list: return in_list_range(operands, ranges);
    default: return Range::unknown();
  }
}

}  // namespace wattune::space
