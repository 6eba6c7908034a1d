// A finished decision diagram with the number of configurations on its edges, in flat arrays.
//
// It has one level per parameter that has a choice; parameters with a single value left are kept separately. Nodes are
// numbered from the root (0) down, level by level. The last node is the end, which has no edges. Every edge knows how
// many configurations of its node lie before it. An id is the sum of these counts along its path, and finding the path
// of an id is one search per level. An edge takes 14 bytes, or 22 if the space has 2^64 configurations or more.
// Immutable after assemble(); safe to share between threads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "space/diagram/constraint_program.h"
#include "space/diagram/layered_diagram.h"
#include "wattune/core/uint128.h"

namespace wattune::inline v0_1::space {

using EdgeId = std::uint32_t;

class Diagram {
 public:
  // Joins the diagrams of independent components into one: the end of one is the root of the next. Precondition: no
  // component is empty. Fails with out_of_range if there are 2^128 configurations or more.
  static Result<Diagram> assemble(const std::vector<LayeredDiagram>& components, const Domains& domains);

  Uint128 count() const { return count_; }
  std::size_t levels() const { return parameters_.size(); }
  std::uint32_t parameter(std::size_t level) const { return parameters_[level]; }
  std::size_t nodes() const { return first_edge_.size() - 1; }  // including the end
  std::size_t edges() const { return values_.size(); }
  std::size_t bytes() const;
  // Appends bytes that differ if the diagrams differ.
  void serialise(std::string& bytes) const;
  // Returns for each parameter without a choice the position of its value; nullopt for other parameters.
  const std::vector<std::optional<std::uint16_t>>& fixed() const { return fixed_; }

  static constexpr std::uint32_t root() { return 0; }
  EdgeId first_edge(std::uint32_t node) const { return first_edge_[node]; }
  EdgeId end_edge(std::uint32_t node) const { return first_edge_[node + 1]; }
  std::uint16_t value(EdgeId edge) const { return values_[edge]; }  // position in the parameter's list, ascending
  std::uint32_t child(EdgeId edge) const { return children_[edge]; }
  Uint128 before(EdgeId edge) const {
    return high_.empty() ? before_[edge] : (Uint128{high_[edge]} << 64) | before_[edge];
  }
  // Returns the edge of the node for this value; nullopt if there is none.
  std::optional<EdgeId> find_edge(std::uint32_t node, std::uint16_t value) const;

  // Finds the configuration of an id. `indices` gets one entry per parameter. Precondition: id < count().
  void unrank(Uint128 id, ValueIndices& indices) const;
  // Returns the id of a configuration; nullopt if the diagram does not hold it.
  std::optional<Uint128> find(const ValueIndices& indices) const;

  // Returns the number of configurations below every node, including the end.
  std::vector<Uint128> node_counts() const;
  // Returns, for each of the `values` values of a parameter, the number of configurations that have it.
  std::vector<Uint128> count_per_value(std::uint32_t parameter, std::size_t values) const;
  // Returns the configuration that differs from `indices` in the fewest parameters, and the one with the lowest id if
  // there are several.
  Uint128 nearest(const ValueIndices& indices) const;
  // Returns the id of the configuration that is found from the root down, by taking at each level the value nearest to
  // the point's coordinate (SearchSpace::project).
  Uint128 project(std::span<const double> point) const;

 private:
  void append(const LayeredDiagram& component, const Domains& domains, std::uint32_t& next_node);
  Result<void> count_configurations();
  double log10_count() const;
  template <bool kWide>
  void walk(Uint128 id, ValueIndices& indices) const;

  std::vector<std::uint32_t> parameters_;            // parameter of each level
  std::vector<std::optional<std::uint16_t>> fixed_;  // fixed value of each parameter; nullopt if it has a choice
  ValueIndices start_;                               // fixed values at the places of their parameters, 0 elsewhere
  std::vector<EdgeId> first_edge_;                   // first edge of each node, including the end
  std::vector<std::uint16_t> values_;                // value of each edge
  std::vector<std::uint32_t> children_;              // node to which each edge leads
  std::vector<std::uint64_t> before_;                // low half of the number of configurations before an edge
  std::vector<std::uint64_t> high_;                  // high half of that number for each edge; empty if all are 0
  Uint128 count_ = 0;
};

}  // namespace wattune::space
