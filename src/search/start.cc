#include "search/start.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wattune::search {

namespace {

// Nothing unless all values are positive integers, some of which are powers of two and some are not.
std::vector<double> places_of_powers(const std::vector<Value>& values) {
  std::vector<double> places;
  for (std::size_t place = 0; place < values.size(); ++place) {
    if (values[place].kind() != Value::Kind::integer || values[place].as_integer() <= 0) return {};
    if (std::has_single_bit(static_cast<std::uint64_t>(values[place].as_integer())))
      places.push_back(static_cast<double>(place));
  }
  if (places.size() == values.size()) places.clear();
  return places;
}

}  // namespace

Coordinates to_powers_of_two(const space::SearchSpace& space, Coordinates point) {
  for (std::size_t p = 0; p < point.size(); ++p) {
    const std::vector<double> places = places_of_powers(space.parameters()[p].values);
    if (places.empty()) continue;
    point[p] = *std::ranges::min_element(places, {}, [&](double place) { return std::abs(place - point[p]); });
  }
  return point;
}

Coordinates middle_of(const space::SearchSpace& space) {
  Coordinates middle = extents(space);
  for (double& place : middle) place *= 0.5;
  return middle;
}

}  // namespace wattune::search
