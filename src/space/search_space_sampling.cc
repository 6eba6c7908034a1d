// Drawing configurations, and the one to start from.
#include <algorithm>

#include "space/search_space_data.h"

namespace wattune::space {

namespace {

// After that many draws without a valid configuration, sampling a relaxed diagram settles for the one it knows.
constexpr int kMaxDraws = 10'000'000;
// Draws in one slice of a stratified sample before it is left out, in a relaxed diagram.
constexpr int kDrawsPerSlice = 200;

ConfigurationId draw(Random& random, Uint128 bound) {
  return bound >> 64 == 0 ? random.below(static_cast<std::uint64_t>(bound)) : random.below128(bound);
}

// Finds the default. A board that nobody sets runs at its highest clocks, as far as its limit lets it, in whichever
// order they are listed.
std::vector<Value>::const_iterator standard_value(const Parameter& parameter) {
  const std::vector<Value>& values = parameter.values;
  if (parameter.default_value) return std::ranges::find(values, *parameter.default_value);
  if (!is_set_on_board(parameter.role)) return values.begin();
  return std::ranges::max_element(values, {},
                                  [](const Value& value) { return value.is_number() ? value.as_real() : 0.0; });
}

}  // namespace

ConfigurationId SearchSpace::sample(Random& random) const {
  for (int i = 0; i < kMaxDraws; ++i) {
    const ConfigurationId id = draw(random, count());
    if (valid(id)) return id;
  }
  return data_->witness;
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
    for (int i = 0; i < kDrawsPerSlice; ++i) {
      const ConfigurationId id = begin + draw(random, size);
      if (!valid(id)) continue;
      ids.push_back(id);
      break;
    }
    begin += size;
  }
  return ids;
}

ConfigurationId SearchSpace::default_configuration() const {
  ValueIndices indices;
  for (const Parameter& parameter : parameters()) {
    indices.push_back(static_cast<std::uint16_t>(standard_value(parameter) - parameter.values.begin()));
  }
  return valid_near(data_->diagram.nearest(indices));
}

ConfigurationId SearchSpace::project(std::span<const double> point) const {
  return valid_near(data_->diagram.project(point));
}

ConfigurationId SearchSpace::valid_near(ConfigurationId id) const {
  if (valid(id)) return id;
  const std::vector<ConfigurationId> near = neighbours(id, Neighbourhood::hamming);
  return near.empty() ? data_->witness : near.front();
}

}  // namespace wattune::space
