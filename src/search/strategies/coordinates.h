// Coordinates: configurations as points with real coordinates, for algorithms that work on real numbers.
//
// The coordinate of a parameter is a position in its list of values, counted from 0. A point between the values, or one
// that breaks constraints, is projected onto the space (SearchSpace::project), so that no invalid configuration is ever
// proposed.
#pragma once

#include <vector>

#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::search {

using Coordinates = std::vector<double>;

inline Coordinates coordinates(const space::SearchSpace& space, ConfigurationId id) {
  space::ValueIndices indices;
  space.unrank(id, indices);
  return Coordinates(indices.begin(), indices.end());
}

// Returns the largest coordinate of each parameter.
inline Coordinates extents(const space::SearchSpace& space) {
  Coordinates result;
  for (const Parameter& parameter : space.parameters()) {
    result.push_back(static_cast<double>(parameter.values.size() - 1));
  }
  return result;
}

// Returns the squared distance of two points. Precondition: they have the same number of coordinates.
inline double squared_distance(const Coordinates& a, const Coordinates& b) {
  double squares = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c) squares += (a[c] - b[c]) * (a[c] - b[c]);
  return squares;
}

}  // namespace wattune::search
