#include "space/diagram/value_sets.h"

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::space {

ValueSets::ValueSets(std::size_t width) : width_(width), bits_((width + 63) / 64), sets_(bits_.size()), pairs_(2) {
  for (std::size_t value = 0; value < width; ++value) bits_[value / 64] |= std::uint64_t{1} << (value % 64);
  sets_.insert(bits_.data());
}

std::uint32_t ValueSets::insert_row(const std::uint32_t* row) {
  std::ranges::fill(bits_, 0);
  for (std::size_t value = 0; value < width_; ++value) {
    if (row[value] != ConstraintDiagram::kDead) bits_[value / 64] |= std::uint64_t{1} << (value % 64);
  }
  return sets_.insert(bits_.data()).first;
}

std::uint32_t ValueSets::intersection(std::uint32_t a, std::uint32_t b) {
  if (a == b || b == kAll) return a;
  if (a == kAll) return b;
  const std::array<std::uint32_t, 2> pair = {std::min(a, b), std::max(a, b)};
  const auto [number, is_new] = pairs_.insert(pair.data());
  if (is_new) results_.push_back(intersect(a, b));
  return results_[number];
}

std::uint32_t ValueSets::intersect(std::uint32_t a, std::uint32_t b) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < bits_.size(); ++i) any |= bits_[i] = sets_[a][i] & sets_[b][i];
  return any == 0 ? kNone : sets_.insert(bits_.data()).first;
}

}  // namespace wattune::space
