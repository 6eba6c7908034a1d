#include "search/models/nearest.h"

#include <algorithm>

namespace wattune::inline v0_1::search {

void NearestNeighbours::add(const space::ValueIndices& indices, const Outcome& outcome) {
  const std::size_t slot = added_++ % kMostRememberedOutcomes;
  for (std::size_t p = 0; p < columns_.size(); ++p) columns_[p][slot] = indices[p];
  costs_[slot] = cost(outcome);
  if (outcome) worst_ = std::max(worst_, *outcome);
}

// Returns the distances to a block of the remembered configurations, and the least of them.
NearestNeighbours::Block NearestNeighbours::distances(const space::ValueIndices& indices, std::size_t begin) const {
  Block block;
  for (std::size_t p = 0; p < columns_.size(); ++p) {
    const std::uint16_t* column = columns_[p].data() + begin;
    const std::uint16_t place = indices[p];
    for (std::size_t i = 0; i < kBlock; ++i)
      block.distances[i] = static_cast<std::int16_t>(block.distances[i] + (column[i] != place));
  }
  for (std::size_t i = 0; i < kBlock; ++i) block.least = std::min(block.least, block.distances[i]);
  return block;
}

double NearestNeighbours::predict(const space::ValueIndices& indices, std::size_t k) const {
  const std::size_t size = std::min(added_, kMostRememberedOutcomes);
  std::vector<std::pair<std::int16_t, double>> near;  // pairs of distance and cost, by ascending distance; k at most
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    const Block block = distances(indices, begin);
    if (near.size() == k && block.least > near.back().first) continue;
    for (std::size_t i = 0; i < std::min(kBlock, size - begin); ++i) {
      // Most configurations are too far and are skipped without reading their costs.
      if (near.size() == k && block.distances[i] > near.back().first) continue;
      const std::pair candidate(block.distances[i], costs_[begin + i]);
      if (near.size() == k && candidate >= near.back()) continue;
      if (near.size() == k) near.pop_back();
      near.insert(std::ranges::upper_bound(near, candidate), candidate);
    }
  }
  double sum = 0.0;
  for (const auto& [distance, cost] : near) sum += std::min(cost, worst_);
  return sum / static_cast<double>(std::max<std::size_t>(1, near.size()));
}

}  // namespace wattune::search
