#include "search/methods/part.h"

#include <algorithm>
#include <numeric>

namespace wattune::inline v0_1::search {

namespace {

using space::SearchSpace;
using space::ValueIndices;

constexpr std::uint64_t kMostListedConfigurations = 1'000'000;

// Returns the position of a value among the kept ones. Returns nullopt if the value is not kept.
std::optional<std::uint16_t> place_among(const std::vector<std::uint16_t>& kept, std::uint16_t value) {
  const auto found = std::ranges::lower_bound(kept, value);
  if (found == kept.end() || *found != value) return std::nullopt;
  return static_cast<std::uint16_t>(found - kept.begin());
}

std::optional<ValueIndices> places_among(const KeptValues& kept, const ValueIndices& indices) {
  ValueIndices places;
  for (std::size_t p = 0; p < indices.size(); ++p) {
    const auto place = place_among(kept[p], indices[p]);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

std::vector<Parameter> narrowed(const std::vector<Parameter>& parameters, const KeptValues& kept) {
  std::vector<Parameter> result = parameters;
  for (std::size_t p = 0; p < result.size(); ++p) {
    std::vector<Value> values;
    for (const std::uint16_t value : kept[p]) values.push_back(parameters[p].values[value]);
    const auto& standard = parameters[p].default_value;
    if (standard && std::ranges::count(values, *standard) == 0) result[p].default_value.reset();
    result[p].values = std::move(values);
  }
  return result;
}

Result<SearchSpace> listed(const SearchSpace& whole, const KeptValues& kept) {
  std::vector<ValueIndices> configurations;
  ValueIndices indices;
  for (auto id = whole.next(0); id; id = whole.next(*id + 1)) {
    whole.unrank(*id, indices);
    if (auto places = places_among(kept, indices)) configurations.push_back(*std::move(places));
  }
  return SearchSpace::from_list(narrowed(whole.parameters(), kept), std::move(configurations));
}

}  // namespace

KeptValues all_values(const SearchSpace& whole) {
  KeptValues kept;
  for (const Parameter& parameter : whole.parameters()) {
    kept.emplace_back(parameter.values.size());
    std::iota(kept.back().begin(), kept.back().end(), std::uint16_t{0});
  }
  return kept;
}

Result<Part> Part::of(const SearchSpace& whole, KeptValues kept, const std::vector<Constraint>& constraints,
                      const std::vector<space::Predicate>& predicates) {
  Result<SearchSpace> part = whole.count() <= kMostListedConfigurations
                                 ? listed(whole, kept)
                                 : SearchSpace::build(narrowed(whole.parameters(), kept), constraints, predicates);
  if (!part) return std::move(part).error();
  return Part(whole, std::move(kept), *std::move(part));
}

std::optional<ConfigurationId> Part::to_whole(ConfigurationId id) const {
  ValueIndices indices;
  part_.unrank(id, indices);
  for (std::size_t p = 0; p < indices.size(); ++p) indices[p] = kept_[p][indices[p]];
  return whole_->contains(indices) ? std::optional(whole_->rank(indices)) : std::nullopt;
}

std::optional<ConfigurationId> Part::from_whole(ConfigurationId id) const {
  ValueIndices indices;
  whole_->unrank(id, indices);
  const auto places = places_among(kept_, indices);
  return places && part_.contains(*places) ? std::optional(part_.rank(*places)) : std::nullopt;
}

}  // namespace wattune::search
