#include "space/diagram/arrangement.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::space {

namespace {

constexpr NodeId kNotArranged = ~NodeId{0};
constexpr double kLargestExactMagnitude = 0x1p62;

bool is_sum(const GraphNode& node) {
  return node.is(BinaryOperator::add) || node.is(BinaryOperator::subtract) ||
         (node.operation == Operation::unary && node.unary() == UnaryOperator::negate);
}

}  // namespace

Arrangement::Arrangement(const ConstraintGraph& source, const Domains& domains, std::span<const std::uint32_t> level_of,
                         ConstraintGraph& target)
    : source_(source),
      domains_(domains),
      ranges_(static_ranges(source, domains)),
      level_of_(level_of),
      target_(target),
      arranged_(source.size(), kNotArranged) {}

NodeId Arrangement::arrange(NodeId id) {
  if (arranged_[id] == kNotArranged) arranged_[id] = rewrite(id);
  return arranged_[id];
}

int Arrangement::closing_level(NodeId id) {
  for (auto next = static_cast<NodeId>(levels_.size()); next <= id; ++next) {
    const GraphNode& node = target_[next];
    int level = node.operation == Operation::variable ? static_cast<int>(level_of_[node.index]) : -1;
    for (NodeId operand : target_.operands(next)) level = std::max(level, levels_[operand]);
    levels_.push_back(level);
  }
  return levels_[id];
}

NodeId Arrangement::rewrite(NodeId id) {
  const GraphNode& node = source_[id];
  std::optional<NodeId> better;
  if (is_sum(node)) {
    better = arrange_sum(id, 0);
  } else if (node.is(BinaryOperator::multiply)) {
    better = arrange_product(id);
  } else if (node.is(BinaryOperator::modulo)) {
    const std::int64_t* modulus = source_.as_integer(source_.operands(id)[1]);
    if (modulus != nullptr && *modulus > 0) better = arrange_sum(source_.operands(id)[0], *modulus);
  } else if (node.operation == Operation::comparison) {
    better = arrange_comparison(id);
  }
  return better ? *better : rebuild(id);
}

NodeId Arrangement::rebuild(NodeId id) {
  const GraphNode& node = source_[id];
  if (node.operation == Operation::constant) return target_.constant(node.constant);
  if (node.operation == Operation::variable) {
    const std::vector<Cell>& cells = domains_.cells[node.index];
    return cells.size() == 1 ? target_.constant(cells.front()) : target_.variable(node.index);
  }
  std::vector<NodeId> operands;
  for (NodeId operand : source_.operands(id)) operands.push_back(arrange(operand));
  if (node.operation == Operation::predicate) return target_.predicate(node.index, operands);
  return target_.make(node.operation, node.detail, std::move(operands));
}

// True if the node is an integer under every assignment, and is small enough for exact arithmetic. A node that may
// fault has no known range, so the function returns false for it.
bool Arrangement::exact(NodeId id) const { return ranges_[id].integral && magnitude(id) < kLargestExactMagnitude; }

double Arrangement::magnitude(NodeId id) const {
  return std::max({1.0, std::abs(ranges_[id].lo), std::abs(ranges_[id].hi)});
}

void Arrangement::collect_sum(NodeId id, std::int64_t factor, Sum& sum) {
  const GraphNode& node = source_[id];
  const std::span<const NodeId> operands = source_.operands(id);
  const double weight = std::abs(static_cast<double>(factor)) * magnitude(id);
  if (const std::int64_t* value = source_.as_integer(id); value != nullptr && weight < kLargestExactMagnitude) {
    sum.constant += factor * *value;
    sum.magnitude += weight;
    return;
  }
  if (exact(id) && weight < kLargestExactMagnitude) {
    if (node.operation == Operation::unary && node.unary() == UnaryOperator::negate) {
      return collect_sum(operands[0], -factor, sum);
    }
    if (node.is(BinaryOperator::add) || node.is(BinaryOperator::subtract)) {
      collect_sum(operands[0], factor, sum);
      return collect_sum(operands[1], node.is(BinaryOperator::add) ? factor : -factor, sum);
    }
    if (node.is(BinaryOperator::multiply)) {
      for (int side : {0, 1}) {
        const std::int64_t* value = source_.as_integer(operands[side]);
        const double scaled = value == nullptr ? kLargestExactMagnitude
                                               : std::abs(static_cast<double>(factor) * static_cast<double>(*value));
        if (scaled < kLargestExactMagnitude) return collect_sum(operands[1 - side], factor * *value, sum);
      }
    }
  }
  sum.terms.push_back({id, factor});
  sum.magnitude += exact(id) ? weight : kLargestExactMagnitude;
}

std::vector<Arrangement::Part> Arrangement::sorted_parts(const Sum& sum) {
  std::vector<Part> parts;
  for (const Term& term : sum.terms) {
    const NodeId node = arrange(term.node);
    const auto same = std::ranges::find(parts, node, &Part::node);
    if (same == parts.end()) {
      parts.push_back({node, term.factor});
    } else {
      same->factor += term.factor;
    }
  }
  std::erase_if(parts, [](const Part& part) { return part.factor == 0; });
  std::ranges::stable_sort(parts, {}, [&](const Part& part) { return closing_level(part.node); });
  return parts;
}

NodeId Arrangement::chain(const std::vector<Part>& parts, std::int64_t constant, std::int64_t modulus) {
  NodeId total = target_.integer(constant);
  for (const Part& part : parts) {
    const NodeId scaled =
        part.factor == 1 ? part.node : target_.make(BinaryOperator::multiply, target_.integer(part.factor), part.node);
    const std::int64_t* value = target_.as_integer(total);
    total = value != nullptr && *value == 0 ? scaled : target_.make(BinaryOperator::add, total, scaled);
    if (modulus != 0) total = target_.make(BinaryOperator::modulo, total, target_.integer(modulus));
  }
  return total;
}

std::optional<NodeId> Arrangement::arrange_sum(NodeId id, std::int64_t modulus) {
  Sum sum;
  collect_sum(id, 1, sum);
  if (sum.terms.size() < 2 || sum.magnitude + static_cast<double>(modulus) >= kLargestExactMagnitude)
    return std::nullopt;
  if (modulus != 0) sum.constant = (sum.constant % modulus + modulus) % modulus;
  return chain(sorted_parts(sum), sum.constant, modulus);
}

void Arrangement::collect_product(NodeId id, std::vector<NodeId>& factors, std::int64_t& constant,
                                  double& product_magnitude) const {
  const double weight = magnitude(id);
  if (const std::int64_t* value = source_.as_integer(id);
      value != nullptr && std::abs(static_cast<double>(constant)) * weight < kLargestExactMagnitude) {
    constant *= *value;
    product_magnitude *= weight;
    return;
  }
  if (exact(id) && source_[id].is(BinaryOperator::multiply)) {
    for (NodeId operand : source_.operands(id)) collect_product(operand, factors, constant, product_magnitude);
    return;
  }
  factors.push_back(id);
  product_magnitude *= exact(id) ? weight : kLargestExactMagnitude;
}

std::optional<NodeId> Arrangement::arrange_product(NodeId id) {
  std::vector<NodeId> factors;
  std::int64_t constant = 1;
  double product_magnitude = 1;
  collect_product(id, factors, constant, product_magnitude);
  if (factors.size() < 2 || constant == 0 || product_magnitude >= kLargestExactMagnitude) return std::nullopt;
  for (NodeId& factor : factors) factor = arrange(factor);
  std::ranges::stable_sort(factors, {}, [&](NodeId factor) { return closing_level(factor); });
  NodeId total = target_.integer(constant);
  for (NodeId factor : factors) {
    const std::int64_t* value = target_.as_integer(total);
    total = value != nullptr && *value == 1 ? factor : target_.make(BinaryOperator::multiply, total, factor);
  }
  return total;
}

std::optional<NodeId> Arrangement::arrange_comparison(NodeId id) {
  const GraphNode& node = source_[id];
  const std::span<const NodeId> sides = source_.operands(id);
  if (node.comparison() == Comparison::in || node.comparison() == Comparison::not_in) return std::nullopt;
  Sum sum;
  collect_sum(sides[0], 1, sum);
  collect_sum(sides[1], -1, sum);
  if (sum.terms.size() < 2 || sum.magnitude >= kLargestExactMagnitude) return std::nullopt;
  return target_.make(node.comparison(), chain(sorted_parts(sum), 0, 0), target_.integer(-sum.constant));
}

}  // namespace wattune::space
