// FeatureColumns: the compiler's figures for configurations (registers, memory, code size), as numbers that models can
// learn from.
//
// Registers, spilled memory, local memory, the size of the code and occupancy are known before a kernel runs, and much
// of the kernel's time depends on them. Each amount becomes its logarithm's share of a wide range, so that doubling an
// amount is the same distance everywhere. A figure that a backend does not report is put into the middle of the range.
// A configuration that was not compiled takes the figures of the nearest compiled one.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/strategies/coordinates.h"
#include "wattune/core/observation.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

class FeatureColumns {
 public:
  static constexpr std::size_t kCount = 5;
  using Columns = std::array<double, kCount>;  // a column for each figure, from 0 to 1

  // Learns a configuration's figures; if they are told twice, the first figures count. `point` is the configuration's
  // point in the encoding; it serves to find the nearest configuration.
  void learn(ConfigurationId id, std::span<const Metric> metrics, Coordinates point);
  bool knows(ConfigurationId id) const { return places_.contains(id); }
  Columns of(ConfigurationId id, const Coordinates& point) const;
  // True if the configuration has run out of registers: its work-items use more private memory than those of the
  // configuration that uses the least. Precondition: knows(id).
  bool spills(ConfigurationId id) const { return known_[places_.at(id)].private_bytes > least_private_bytes_; }

 private:
  struct Known {
    Coordinates point;
    Columns columns;
    double private_bytes = 0.0;
  };
  const Known& nearest(const Coordinates& point) const;

  std::vector<Known> known_;
  std::unordered_map<ConfigurationId, std::size_t, IdHash> places_;  // positions in known_
  double least_private_bytes_ = std::numeric_limits<double>::infinity();
};

}  // namespace wattune::search
