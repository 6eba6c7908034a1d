// FitnessFlow: a graph of the steps between neighbouring configurations that make a kernel faster. From it follows the
// probability that a random walk along these steps visits a configuration.
#pragma once

#include <cstdint>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

class FitnessFlow {
 public:
  // Makes a node for each Trial. Precondition: all Trials are correct, and their configurations are different, with
  // values from `parameters`.
  FitnessFlow(const std::vector<const Trial*>& nodes, const std::vector<Parameter>& parameters);

  // True if no neighbour of the node is faster.
  bool is_minimum(std::size_t node) const { return minimum_[node]; }
  // Returns the number of pairs of a node and a neighbouring node.
  std::size_t neighbours() const { return neighbours_; }
  // Returns the PageRank of every node (Page, Brin et al. 1999). With probability 0.85, a walker follows a random edge
  // of its node, and otherwise it jumps to any node. It always jumps from a node without edges. The sum of the ranks is
  // 1.
  std::vector<double> page_rank() const;

 private:
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<bool> minimum_;
  std::size_t neighbours_ = 0;
};

}  // namespace wattune::report
