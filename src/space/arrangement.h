// Arrangement: rewrites constraints for one order of the variables, so that their parts close early.
//
// What a prefix of the variables leaves to the rest of a constraint is the values of its closed subexpressions, so the
// fewer and the earlier, the better prefixes merge. Written `a*7 + (b + c)*d`, nothing merges before c; as a chain
// in the order of assignment, ((a*7 + b*d) + ...), every partial sum is one number. Sums and products of integers
// whose partial results cannot leave 62 bits in any association become such chains; sums modulo a constant are
// reduced at every step; the two sides of a comparison become one sum against a constant. Reals keep the order
// in which they were written, because it decides their rounding.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "space/constraint_graph.h"
#include "space/domains.h"
#include "space/range.h"

namespace wattune::space {

class Arrangement {
 public:
  // level_of[v] is when variable v is assigned; those with a single value left become constants.
  Arrangement(const ConstraintGraph& source, const Domains& domains, std::span<const std::uint32_t> level_of,
              ConstraintGraph& target);

  // The node of the target that is worth the same as `id` of the source under every assignment.
  NodeId arrange(NodeId id);

  // The level that closes a node of the target; -1 for constants.
  int closing_level(NodeId id);

 private:
  struct Term {
    NodeId node;  // of the source
    std::int64_t factor;
  };
  struct Sum {
    std::vector<Term> terms;
    std::int64_t constant = 0;
    double magnitude = 0;  // no partial sum in any order exceeds it
  };
  struct Part {
    NodeId node;  // of the target
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
  std::vector<Range> ranges_;  // of the nodes of the source, over all assignments
  std::span<const std::uint32_t> level_of_;
  ConstraintGraph& target_;
  std::vector<NodeId> arranged_;  // by node of the source; kNotArranged where not yet
  std::vector<int> levels_;       // by node of the target
};

}  // namespace wattune::space
