#include "search/strategies/start.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wattune::inline v0_1::search {

namespace {

// Returns the positions of the powers of two among the values. Returns an empty vector unless all values are positive
// integers, some of them powers of two and some not.
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

// Counts how often each value occurs in some configurations.
class ValueCounts {
 public:
  explicit ValueCounts(const space::SearchSpace& space) : space_(space) {
    for (const Parameter& parameter : space.parameters()) counts_.emplace_back(parameter.values.size());
  }
  void add(ConfigurationId id) {
    space_.unrank(id, indices_);
    for (std::size_t p = 0; p < counts_.size(); ++p) ++counts_[p][indices_[p]];
  }
  // Returns the sum of the counts of a configuration's values.
  double of(ConfigurationId id) {
    space_.unrank(id, indices_);
    std::size_t sum = 0;
    for (std::size_t p = 0; p < counts_.size(); ++p) sum += counts_[p][indices_[p]];
    return static_cast<double>(sum);
  }

 private:
  const space::SearchSpace& space_;
  std::vector<std::vector<std::size_t>> counts_;
  space::ValueIndices indices_;
};

}  // namespace

PowersOfTwo::PowersOfTwo(const space::SearchSpace& space) {
  for (const Parameter& parameter : space.parameters()) places_.push_back(places_of_powers(parameter.values));
}

Coordinates PowersOfTwo::nearest(Coordinates point) const {
  for (std::size_t p = 0; p < point.size(); ++p) {
    if (places_[p].empty()) continue;
    point[p] = *std::ranges::min_element(places_[p], {}, [&](double place) { return std::abs(place - point[p]); });
  }
  return point;
}

std::size_t PowersOfTwo::missed(const Coordinates& configuration) const {
  std::size_t count = 0;
  for (std::size_t p = 0; p < places_.size(); ++p)
    if (!places_[p].empty() && !std::ranges::binary_search(places_[p], configuration[p])) ++count;
  return count;
}

std::vector<ConfigurationId> spread_over_values(const space::SearchSpace& space,
                                                const std::vector<ConfigurationId>& begun,
                                                std::vector<ConfigurationId> pool, std::size_t n) {
  ValueCounts so_far(space);
  ValueCounts drawn(space);
  for (const ConfigurationId id : begun) so_far.add(id);
  for (const ConfigurationId id : pool) drawn.add(id);
  const auto draws = static_cast<double>(pool.size());
  std::vector<ConfigurationId> chosen;
  while (chosen.size() < n && !pool.empty()) {
    const double share = static_cast<double>(begun.size() + chosen.size() + 1) / draws;
    const auto next =
        std::ranges::min_element(pool, {}, [&](ConfigurationId id) { return so_far.of(id) - share * drawn.of(id); });
    const ConfigurationId id = *next;
    pool.erase(next);
    if (std::ranges::count(begun, id) + std::ranges::count(chosen, id) > 0) continue;
    chosen.push_back(id);
    so_far.add(id);
  }
  return chosen;
}

PairCounts::PairCounts(const space::SearchSpace& space) : space_(space) {
  for (const Parameter& parameter : space.parameters()) largest_ = std::max<Key>(largest_, parameter.values.size());
}

std::vector<PairCounts::Key> PairCounts::pairs_of(ConfigurationId id) const {
  space::ValueIndices places;
  space_.unrank(id, places);
  std::vector<Key> pairs;
  for (Key p = 0; p < places.size(); ++p)
    for (Key q = 0; q < p; ++q)
      pairs.push_back(((p * places.size() + q) * largest_ + places[p]) * largest_ + places[q]);
  return pairs;
}

void PairCounts::add(ConfigurationId id) {
  for (const Key pair : pairs_of(id)) ++counts_[pair];
}

std::size_t PairCounts::of(ConfigurationId id) const {
  std::size_t sum = 0;
  for (const Key pair : pairs_of(id))
    if (const auto found = counts_.find(pair); found != counts_.end()) sum += found->second;
  return sum;
}

}  // namespace wattune::search
