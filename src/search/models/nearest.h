// NearestNeighbours: predicts a configuration's objective from the most similar ones that were measured.
//
// The prediction is the mean of the k nearest configurations, by the number of parameters that differ (Hamming
// distance). Among equally near ones, the better ones count. The latest kMostRememberedOutcomes outcomes are kept by
// parameter, in blocks of a fixed size, so that the compiler compares many at once. A prediction takes 1 us with 12
// parameters.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/strategies/algorithm.h"

namespace wattune::inline v0_1::search {

class NearestNeighbours {
 public:
  static constexpr std::size_t kMostRememberedOutcomes = 384;

  // Makes an empty model for configurations with `width` parameters.
  explicit NearestNeighbours(std::size_t width) : columns_(width) {}

  void add(const space::ValueIndices& indices, const Outcome& outcome);
  // Predicts the objective. Failures count as the worst objective so far. Returns 0 before the first add().
  double predict(const space::ValueIndices& indices, std::size_t k) const;

 private:
  static constexpr std::size_t kBlock = 64;

  struct Block {
    std::array<std::int16_t, kBlock> distances{};
    std::int16_t least = std::numeric_limits<std::int16_t>::max();
  };
  Block distances(const space::ValueIndices& indices, std::size_t begin) const;

  // Positions of the values of each remembered configuration, by parameter. New configurations overwrite the oldest.
  std::vector<std::array<std::uint16_t, kMostRememberedOutcomes>> columns_;
  std::array<double, kMostRememberedOutcomes> costs_{};
  std::size_t added_ = 0;
  double worst_ = 0.0;
};

}  // namespace wattune::search
