// Rewrites constraints for one order of the variables, so that their subexpressions close early. A subexpression closes
// when the last variable that it reads is assigned.
//
// The rest of a constraint depends on the variables assigned so far only through the values of its closed
// subexpressions. A prefix is an assignment of the first variables. The fewer closed subexpressions there are and the
// earlier they close, the more prefixes merge into one state.
//
// In `a*7 + (b + c)*d`, no prefixes merge before c is assigned. A chain in the order of assignment, ((a*7 + b*d) +
// ...), has only one number for every partial sum.
//
// Sums and products of integers become such chains if their partial results cannot leave 62 bits in any association.
// Sums modulo a constant are reduced at every step. A comparison of two sides becomes a comparison of one sum with a
// constant. Reals keep the order in which they were written, because it decides their rounding.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "space/diagram/constraint_graph.h"
#include "space/diagram/domains.h"
#include "space/expression/range.h"

namespace wattune::inline v0_1::space {

class Arrangement {
 public:
  // Prepares to rewrite constraints of `source` into `target`. level_of[v] is the level at which variable v is
  // assigned. Variables with a single value left become constants.
  Arrangement(const ConstraintGraph& source, const Domains& domains, std::span<const std::uint32_t> level_of,
              ConstraintGraph& target);

  // Returns the node of the target that has the same value as `id` of the source under every assignment.
  NodeId arrange(NodeId id);

  // Returns the level that closes a node of the target; -1 for constants.
  int closing_level(NodeId id);

 private:
  struct Term {
    NodeId node;  // node of the source
    std::int64_t factor;
  };
  struct Sum {
    std::vector<Term> terms;
    std::int64_t constant = 0;
    double magnitude = 0;  // bound on the absolute value of every partial sum, in any order
  };
  struct Part {
    NodeId node;  // node of the target
    std::int64_t factor;
  };

  NodeId rewrite(NodeId id);
  NodeId rebuild(NodeId id);
  bool exact(NodeId id) const;
  double magnitude(NodeId id) const;
  void collect_sum(NodeId id, std::int64_t factor, Sum& sum);
  void collect_product(NodeId id, std::vector<NodeId>& factors, std::int64_t& constant, double& magnitude) const;
  std::optional<NodeId> arrange_sum(NodeId id, std::int64_t modulus);
  std::optional<NodeId> arrange_product(NodeId id);
  std::optional<NodeId> arrange_comparison(NodeId id);
  std::vector<Part> sorted_parts(const Sum& sum);
  NodeId chain(const std::vector<Part>& parts, std::int64_t constant, std::int64_t modulus);

  const ConstraintGraph& source_;
  const Domains& domains_;
  std::vector<Range> ranges_;  // range of each of the source's nodes, over all assignments
  std::span<const std::uint32_t> level_of_;
  ConstraintGraph& target_;
  std::vector<NodeId> arranged_;  // node of the target, by node of the source; kNotArranged if not yet arranged
  std::vector<int> levels_;       // closing level, by node of the target
};

}  // namespace wattune::space
