// FitnessFlow: the graph of the steps that make a kernel faster, and where a walk along them ends.
#pragma once

#include <cstdint>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::report {

class FitnessFlow {
 public:
  // A node for each Trial; all are correct and of different configurations, with values of `parameters`.
  FitnessFlow(const std::vector<const Trial*>& nodes, const std::vector<Parameter>& parameters);

  // No neighbour is faster.
  bool is_minimum(std::size_t node) const { return minimum_[node]; }
  // Returns how many neighbours of nodes are nodes, summed over all.
  std::size_t neighbours() const { return neighbours_; }
  // The PageRank of every node: a walker follows a random edge with probability 0.85 and else jumps anywhere; where no
  // edge leaves, it always jumps (Page, Brin et al. 1999). Sums to 1.
  std::vector<double> page_rank() const;

 private:
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<bool> minimum_;
  std::size_t neighbours_ = 0;
};

}  // namespace wattune::report
