// Numbered sets of values of one variable, whose intersections are remembered.
#pragma once

#include <cstdint>
#include <vector>

#include "space/diagram/constraint_diagram.h"
#include "space/diagram/key_set.h"

namespace wattune::inline v0_1::space {

class ValueSets {
 public:
  static constexpr std::uint32_t kAll = 0;
  static constexpr std::uint32_t kNone = ConstraintDiagram::kDead;

  explicit ValueSets(std::size_t width);

  // Returns the set of the values that one row of a group's last layer allows.
  std::uint32_t insert_row(const std::uint32_t* row);
  // Returns the intersection of two sets; kNone if it is empty.
  std::uint32_t intersection(std::uint32_t a, std::uint32_t b);
  bool contains(std::uint32_t set, std::size_t value) const {
    return (sets_[set][value / 64] >> (value % 64) & 1) != 0;
  }

 private:
  std::uint32_t intersect(std::uint32_t a, std::uint32_t b);

  std::size_t width_;
  std::vector<std::uint64_t> bits_;  // the set under construction
  KeySet<std::uint64_t> sets_;
  KeySet<std::uint32_t> pairs_;         // numbers of the pairs of sets whose intersection is known
  std::vector<std::uint32_t> results_;  // the intersections, by number of the pair
};

}  // namespace wattune::space
