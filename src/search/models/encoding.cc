#include "search/models/encoding.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wattune::inline v0_1::search {

namespace {

constexpr double kStepsPerOctave = 16.0;  // products closer than one of these steps count as equal
constexpr double kLargestStep = 65'535.0;
constexpr std::size_t kMostProducts = 100;  // most products of two parameters that are columns; beyond it none is

// Returns by how many octaves each value exceeds the smallest value. Returns an empty vector unless all values are
// positive numbers.
std::vector<double> octaves_of(const std::vector<Value>& values) {
  std::vector<double> octaves;
  for (const Value& value : values) {
    if (!value.is_number() || value.kind() == Value::Kind::boolean || value.as_real() <= 0.0) return {};
    octaves.push_back(std::log2(value.as_real()));
  }
  const double lowest = std::ranges::min(octaves);
  for (double& octave : octaves) octave -= lowest;
  return octaves;
}

// Returns a coordinate from 0 to 1 for each value. The coordinates are spaced by octaves if there are three values or
// more, else by positions.
std::vector<double> coordinates_of(std::vector<double> octaves, std::size_t values) {
  if (values < 3 || octaves.empty()) {
    octaves.clear();
    for (std::size_t place = 0; place < values; ++place) octaves.push_back(static_cast<double>(place));
  }
  const double extent = std::ranges::max(octaves);
  for (double& coordinate : octaves) coordinate /= extent > 0.0 ? extent : 1.0;
  return octaves;
}

// Returns how often two divides each value. Returns an empty vector unless all values are positive integers. Also
// returns an empty one if the exponent never falls from value to value, because the positions say the same.
std::vector<std::uint16_t> exponents_of_two(const std::vector<Value>& values) {
  std::vector<std::uint16_t> exponents;
  for (const Value& value : values) {
    if (value.kind() != Value::Kind::integer || value.as_integer() <= 0) return {};
    exponents.push_back(static_cast<std::uint16_t>(std::countr_zero(static_cast<std::uint64_t>(value.as_integer()))));
  }
  if (std::ranges::is_sorted(exponents)) exponents.clear();
  return exponents;
}

}  // namespace

Encoding::Encoding(const space::SearchSpace& space) : space_(space) {
  for (const Parameter& parameter : space.parameters()) {
    const std::size_t p = coordinates_.size();
    octaves_.push_back(octaves_of(parameter.values));
    coordinates_.push_back(coordinates_of(octaves_[p], parameter.values.size()));
    std::vector<std::uint16_t> exponents = exponents_of_two(parameter.values);
    if (!exponents.empty()) {
      const double largest = std::ranges::max(exponents);
      exponents_.push_back({.parameter = p, .of_value = std::move(exponents), .largest = largest});
    }
    for (std::size_t other = 0; other < p; ++other) {
      if (octaves_[p].size() > 1 && octaves_[other].size() > 1) products_.emplace_back(other, p);
    }
  }
  if (products_.size() > kMostProducts) products_.clear();
}

void Encoding::append_row(ConfigurationId id, std::vector<std::uint16_t>& rows) const {
  space::ValueIndices places;
  space_.unrank(id, places);
  rows.insert(rows.end(), places.begin(), places.end());
  for (const Exponents& exponents : exponents_) rows.push_back(exponents.of_value[places[exponents.parameter]]);
  for (const auto& [a, b] : products_) {
    const double octaves = octaves_[a][places[a]] + octaves_[b][places[b]];
    rows.push_back(static_cast<std::uint16_t>(std::min(kLargestStep, std::round(kStepsPerOctave * octaves))));
  }
}

Coordinates Encoding::point(ConfigurationId id) const {
  space::ValueIndices places;
  space_.unrank(id, places);
  Coordinates point;
  for (std::size_t p = 0; p < coordinates_.size(); ++p)
    if (coordinates_[p].size() > 1) point.push_back(coordinates_[p][places[p]]);
  for (const Exponents& exponents : exponents_) {
    point.push_back(0.5 * exponents.of_value[places[exponents.parameter]] / exponents.largest);
  }
  return point;
}

std::vector<bool> Encoding::flags() const {
  std::vector<bool> flags;
  for (const std::vector<double>& values : coordinates_)
    if (values.size() > 1) flags.push_back(values.size() == 2);
  flags.resize(flags.size() + exponents_.size(), false);
  return flags;
}

}  // namespace wattune::search
