// Draws valid configurations of a relaxed diagram, some of whose configurations are invalid. If too few of them are
// valid, it searches for valid ones instead.
#include <fmt/format.h>

#include <algorithm>

#include "space/search_space_data.h"

namespace wattune::inline v0_1::space {

namespace {

// Number of draws by which the share of valid configurations is estimated when the space is built. If at least
// kFewestValid of them are valid, drawing is quicker than a search.
constexpr int kTrialDraws = 2'000;
constexpr int kFewestValid = 20;
// Limits of a search for one configuration. They are the number of paths to the end whose steps the search may take,
// its least limit of steps, and the number of attempts.
constexpr std::size_t kPathsPerSearch = 8;
constexpr std::size_t kFewestSteps = 20'000;
constexpr int kAttempts = 2;
// Total steps of the search for a valid configuration when the space is built. These steps take some seconds. The
// search is repeated with more steps each time.
constexpr std::size_t kWitnessSteps = 50'000'000;
// Changes tried for each parameter after a search, because a search finds some configurations more easily than others.
constexpr std::size_t kChangesPerLevel = 2;

// Returns an order of edges in which those of the configuration's values come first. All other edges follow in random
// order.
PathSearch::Order like(const Diagram& diagram, const ValueIndices& indices, Random& random) {
  return [&](std::size_t level, std::vector<EdgeId>& edges) {
    for (std::size_t i = edges.size(); i > 1; --i) std::swap(edges[i - 1], edges[random.below(i)]);
    const std::uint16_t own = indices[diagram.parameter(level)];
    const auto found = std::ranges::find(edges, own, [&](EdgeId edge) { return diagram.value(edge); });
    if (found != edges.end()) std::swap(edges.front(), *found);
  };
}

}  // namespace

ValueIndices SearchSpace::Data::indices_of(Uint128 id) const {
  ValueIndices indices;
  diagram.unrank(id, indices);
  return indices;
}

std::size_t SearchSpace::Data::steps_of_path() const {
  std::size_t steps = tested->cost();
  for (const std::vector<std::uint16_t>& values : occurring) steps += values.size();
  return steps;
}

std::optional<Uint128> SearchSpace::Data::first(const PathSearch::Order& order) const {
  PathSearch search(diagram, *tested);
  std::size_t steps = std::max(kFewestSteps, kPathsPerSearch * steps_of_path());
  return search.find(order, steps) == PathSearch::End::found ? std::optional(search.id()) : std::nullopt;
}

Uint128 SearchSpace::Data::found_near(Uint128 id, Random& random) const {
  const ValueIndices wanted = indices_of(id);
  for (int attempt = 0; attempt < kAttempts; ++attempt)
    if (const std::optional<Uint128> found = first(like(diagram, wanted, random))) return *found;
  return witness;
}

Uint128 SearchSpace::Data::moved(Uint128 id, Random& random) const {
  TestedConfiguration here(*tested, indices_of(id));
  for (std::size_t i = 0; i < kChangesPerLevel * diagram.levels(); ++i) {
    if (const auto change = draw_change(here, random)) here.change(change->level, change->value);
  }
  return *diagram.find(here.indices());
}

std::optional<SearchSpace::Data::Change> SearchSpace::Data::draw_change(TestedConfiguration& here,
                                                                        Random& random) const {
  const std::uint64_t place = random.below(occurring_before.back());
  const auto after = std::ranges::upper_bound(occurring_before, place);
  const auto level = static_cast<std::size_t>(after - occurring_before.begin()) - 1;
  Change change{level, occurring[level][place - occurring_before[level]], 0};
  ValueIndices indices = here.indices();
  if (std::exchange(indices[diagram.parameter(level)], change.value) == change.value) return std::nullopt;
  const std::optional<Uint128> id = diagram.find(indices);
  if (!id || !here.allows(level, change.value)) return std::nullopt;
  change.id = *id;
  return change;
}

void SearchSpace::Data::keep_valid(const ValueIndices& indices, std::vector<ConfigurationId>& neighbours) const {
  if (!tested->hold(indices)) {
    std::erase_if(neighbours, [&](ConfigurationId id) { return !tested->hold(indices_of(id)); });
    return;
  }
  TestedConfiguration here(*tested, indices);
  std::erase_if(neighbours, [&](ConfigurationId id) {
    const ValueIndices other = indices_of(id);
    std::vector<std::size_t> changed;
    for (std::size_t l = 0; l < diagram.levels(); ++l)
      if (other[diagram.parameter(l)] != indices[diagram.parameter(l)]) changed.push_back(l);
    if (changed.size() > 1) return !tested->hold(other);
    return !here.allows(changed.front(), other[diagram.parameter(changed.front())]);
  });
}

// Finds a valid id, which is used when later searches find none. Does nothing if the diagram is exact, because then any
// id is valid.
Result<bool> SearchSpace::find_witness(const std::function<bool()>& cancelled) {
  if (exact()) return true;
  Random random(1);
  int hits = 0;
  for (int i = 0; i < kTrialDraws; ++i) {
    const ConfigurationId id = random.below128(count());
    if (!valid(id)) continue;
    if (hits++ == 0) data_->witness = id;
  }
  data_->draws_pay = hits >= kFewestValid;
  if (hits > 0) return true;
  PathSearch search(data_->diagram, *data_->tested);
  std::size_t most = kPathsPerSearch * data_->steps_of_path();
  for (std::size_t spent = 0; spent < kWitnessSteps; spent += most, most *= 2) {
    if (cancelled && cancelled()) return Error(ErrorCode::cancelled, "building the space was stopped");
    const ValueIndices wanted = data_->indices_of(random.below128(count()));
    std::size_t steps = most;
    const PathSearch::End end = search.find(like(data_->diagram, wanted, random), steps);
    if (end == PathSearch::End::none) return false;
    if (end != PathSearch::End::found) continue;
    data_->witness = search.id();
    return true;
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("no valid configuration was found in {} steps: {}", kWitnessSteps, report().fallback))
      .hint("loosen the constraints, or tune fewer parameters at once");
}

}  // namespace wattune::space
