// Finds paths of a relaxed diagram that satisfy the terms which the diagram does not enforce.
//
// The search is depth first, one value at a time. Interval arithmetic on the terms that are still open shows dead ends
// early. Work is counted in steps (evaluations of nodes and edges looked at), never in time, so that every machine
// finds the same paths within the same bound. Diagram and terms must outlive the object. It runs one search at a time.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "space/diagram/diagram.h"
#include "space/diagram/tested_terms.h"

namespace wattune::inline v0_1::space {

class PathSearch {
 public:
  // A function that sorts the edges of a node of this level into the order in which they are tried.
  using Order = std::function<void(std::size_t level, std::vector<EdgeId>& edges)>;
  enum class End { found, none, out_of_steps };

  PathSearch(const Diagram& diagram, const TestedTerms& terms);

  // Finds the first path in this order of edges whose id is at least `from`. Subtracts the steps that it took from
  // `steps`.
  End find(const Order& order, std::size_t& steps, Uint128 from = 0);
  // Returns the id of the path that was found.
  Uint128 id() const { return id_; }

 private:
  struct Frame {
    std::vector<EdgeId> edges;
    std::size_t next = 0;
    Uint128 above = 0;  // number that the edges above this level add to the id
    bool assigned = false;
    std::vector<Range> before;  // ranges of the parameter and of its readers before the assignment
  };

  void open(std::size_t l, std::uint32_t node, Uint128 above, const Order& order, Uint128 from);
  bool assign(std::size_t l, std::uint16_t place);
  void undo(std::size_t l);

  const Diagram& diagram_;
  const TestedTerms& terms_;
  std::vector<Cell> cells_;
  std::vector<Range> ranges_;
  std::vector<Frame> frames_;  // a frame for each level
  Uint128 id_ = 0;
};

}  // namespace wattune::space
