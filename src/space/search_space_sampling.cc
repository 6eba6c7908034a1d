// Draws configurations, and finds the default one.
#include <algorithm>
#include <cmath>

#include "space/search_space_data.h"

namespace wattune::inline v0_1::space {

namespace {

// Largest number of draws in a relaxed diagram for which drawing is worthwhile. Among so many draws, at least one is
// almost certainly valid.
constexpr int kMaxDraws = 3'000;
// The largest number of draws in one slice of a stratified sample.
constexpr int kDrawsPerSlice = 200;
// Number of random changes that are tried to find a neighbour of a configuration, if the valid configurations are not
// known exactly. It counts for each value of all parameters. If no change gives a valid configuration, the result is
// that there is no neighbour.
constexpr std::size_t kDrawsPerValue = 2;

ConfigurationId draw(Random& random, Uint128 bound) {
  return bound >> 64 == 0 ? random.below(static_cast<std::uint64_t>(bound)) : random.below128(bound);
}

// Finds the parameter's default. For clocks and power limits without a default, it is the highest value, wherever that
// is listed. A board whose clocks nobody sets runs at that value.
std::vector<Value>::const_iterator standard_value(const Parameter& parameter) {
  const std::vector<Value>& values = parameter.values;
  if (parameter.default_value) return std::ranges::find(values, *parameter.default_value);
  if (!is_set_on_board(parameter.role)) return values.begin();
  return std::ranges::max_element(values, {},
                                  [](const Value& value) { return value.is_number() ? value.as_real() : 0.0; });
}

// Sorts edges by the distance of their values from the point's coordinate. If two distances are equal, the lower value
// comes first.
PathSearch::Order nearest_to(const Diagram& diagram, std::span<const double> point) {
  return [&diagram, point](std::size_t level, std::vector<EdgeId>& edges) {
    const double wanted = point[diagram.parameter(level)];
    std::ranges::stable_sort(edges, {}, [&](EdgeId edge) { return std::abs(diagram.value(edge) - wanted); });
  };
}

}  // namespace

ConfigurationId SearchSpace::sample(Random& random) const {
  ConfigurationId id = draw(random, count());
  for (int i = 1; i < kMaxDraws && data_->draws_pay && !valid(id); ++i) id = draw(random, count());
  if (data_->draws_pay && valid(id)) return id;
  return data_->moved(data_->found_near(id, random), random);
}

std::vector<ConfigurationId> SearchSpace::sample_stratified(std::size_t n, Random& random) const {
  std::vector<ConfigurationId> ids;
  if (n == 0) return ids;
  n = static_cast<std::size_t>(std::min<Uint128>(n, count()));
  const Uint128 quotient = count() / n;
  const Uint128 remainder = count() % n;
  Uint128 begin = 0;
  for (std::size_t slice = 0; slice < n; ++slice) {
    const Uint128 size = quotient + (slice < remainder ? 1 : 0);
    ConfigurationId id = begin + draw(random, size);
    for (int i = 1; i < kDrawsPerSlice && data_->draws_pay && !valid(id); ++i) id = begin + draw(random, size);
    ids.push_back(valid(id) ? id : data_->found_near(id, random));
    begin += size;
  }
  if (exact()) return ids;
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

ConfigurationId SearchSpace::default_configuration() const {
  ValueIndices indices;
  for (const Parameter& parameter : parameters()) {
    indices.push_back(static_cast<std::uint16_t>(standard_value(parameter) - parameter.values.begin()));
  }
  const ConfigurationId id = data_->diagram.nearest(indices);
  if (valid(id)) return id;
  const std::vector<ConfigurationId> near = neighbours(id, Neighbourhood::hamming);
  if (!near.empty()) return near.front();
  Random random(1);
  return data_->found_near(id, random);
}

ConfigurationId SearchSpace::project(std::span<const double> point) const {
  const ConfigurationId id = data_->diagram.project(point);
  if (valid(id)) return id;
  return data_->first(nearest_to(data_->diagram, point)).value_or(data_->witness);
}

std::optional<ConfigurationId> SearchSpace::random_neighbour(ConfigurationId id, Random& random) const {
  if (exact()) {
    const std::vector<ConfigurationId> ids = neighbours(id, Neighbourhood::hamming);
    return ids.empty() ? std::nullopt : std::optional(ids[random.below(ids.size())]);
  }
  TestedConfiguration here(*data_->tested, data_->indices_of(id));
  for (std::size_t i = 0; i < kDrawsPerValue * data_->occurring_before.back(); ++i)
    if (const auto change = data_->draw_change(here, random)) return change->id;
  return std::nullopt;
}

}  // namespace wattune::space
