// FeatureColumns: what the compiler said of configurations, as numbers that models can learn from.
//
// Registers, memory for what does not fit into them, local memory, the size of the code and occupancy are known before
// a kernel runs, and decide much of its time. Amounts become shares of a wide range of their logarithms, so that twice
// as much is as far everywhere. What a backend does not tell lies in the middle, equally far from all. A configuration
// that nobody compiled is taken for the nearest one that somebody did.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/coordinates.h"
#include "wattune/core/observation.h"
#include "wattune/search/strategy.h"

namespace wattune::search {

class FeatureColumns {
 public:
  static constexpr std::size_t kCount = 5;
  using Columns = std::array<double, kCount>;  // from 0 to 1

  // The first that is said of a configuration counts. `point` is where it lies for nearest ones.
  void learn(ConfigurationId id, std::span<const Metric> metrics, Coordinates point);
  bool knows(ConfigurationId id) const { return places_.contains(id); }
  Columns of(ConfigurationId id, const Coordinates& point) const;
  // Whether its work-items keep more in memory than those of the configuration that keeps least there: registers have
  // run out. Precondition: knows(id).
  bool spills(ConfigurationId id) const { return known_[places_.at(id)].private_bytes > least_private_bytes_; }

 private:
  struct Known {
    Coordinates point;
    Columns columns;
    double private_bytes = 0.0;
  };
  const Known& nearest(const Coordinates& point) const;

  std::vector<Known> known_;
  std::unordered_map<ConfigurationId, std::size_t, IdHash> places_;  // in known_
  double least_private_bytes_ = std::numeric_limits<double>::infinity();
};

}  // namespace wattune::search
