#include "search/models/prior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wattune::inline v0_1::search {

namespace {

constexpr std::size_t kPriorRows = 2000;  // rows that the forest learns: the best ones, and evenly spread others
constexpr std::size_t kPriorTrees = 30;
constexpr std::size_t kOfferedPerRun = 200;         // best configurations of each run that are offered for measuring
constexpr std::size_t kWeighingMeasurements = 400;  // runs are weighed by at least so many latest measurements
constexpr std::size_t kFewestToJudge = 40;          // fewest rows of a run for judging whether it is more than noise
constexpr std::size_t kJudgingTrees = 10;           // trees of the forest that judges a run
constexpr double kExpected = 0.5;                   // rank correlation that is expected of a run that is not noise
constexpr double kFullTrustCorrelation = 0.5;  // rank correlation of a run's halves, above which it is trusted fully

std::vector<double> ranks_of(std::span<const double> numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(numbers[i], i); });
  std::vector<double> ranks(numbers.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
    for (std::size_t k = begin; k < end; ++k) ranks[order[k]] = 0.5 * static_cast<double>(begin + end - 1);
  }
  return ranks;
}

// Returns how well one half of a run's responses (every second one) predicts the order of the other half. A run that is
// mostly noise says nothing about other devices.
double sense_of(std::span<const std::uint16_t> rows, std::size_t width, std::span<const double> responses,
                Random& random) {
  std::vector<std::uint16_t> learned_rows;
  std::vector<double> learned;
  for (std::size_t i = 0; i < responses.size(); i += 2) {
    const auto row = rows.subspan(i * width, width);
    learned_rows.insert(learned_rows.end(), row.begin(), row.end());
    learned.push_back(responses[i]);
  }
  Forest forest;
  forest.fit(learned_rows, width, learned, kJudgingTrees, random);
  std::vector<double> predicted;
  std::vector<double> others;
  for (std::size_t i = 1; i < responses.size(); i += 2) {
    predicted.push_back(forest.predict(rows.subspan(i * width, width)).mean);
    others.push_back(responses[i]);
  }
  return rank_correlation(predicted, others);
}

template <typename T>
void keep_latest(std::vector<T>& values) {
  values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(kWeighingMeasurements));
}

}  // namespace

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> of_a = ranks_of(a);
  const std::vector<double> of_b = ranks_of(b);
  const double middle = 0.5 * (static_cast<double>(a.size()) - 1.0);
  double both = 0.0;
  double squares_of_a = 0.0;
  double squares_of_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (of_a[i] - middle) * (of_b[i] - middle);
    squares_of_a += (of_a[i] - middle) * (of_a[i] - middle);
    squares_of_b += (of_b[i] - middle) * (of_b[i] - middle);
  }
  return squares_of_a > 0.0 && squares_of_b > 0.0 ? both / std::sqrt(squares_of_a * squares_of_b) : 0.0;
}

Prior::Prior(const space::SearchSpace& space, const std::vector<std::vector<PriorObjective>>& runs, Random& random)
    : space_(space) {
  std::vector<ConfigurationId> ids;
  for (const std::vector<PriorObjective>& objectives : runs) {
    std::optional<Run> run = read(objectives, random);
    if (!run) continue;
    std::vector<Known> best(std::min(kOfferedPerRun, run->known.size()));
    std::ranges::partial_sort_copy(run->known, best, {}, &Known::value, &Known::value);
    for (const Known& each : best) ids.push_back(each.id);
    runs_.push_back(*std::move(run));
  }
  collect(std::move(ids));
  weigh();
}

// Reads a run. If the run holds a configuration several times, the mean of its responses counts.
std::optional<Prior::Run> Prior::read(const std::vector<PriorObjective>& objectives, Random& random) const {
  std::vector<Known> all;
  for (const PriorObjective& each : objectives) {
    if (each.objective > 0.0 && std::isfinite(each.objective)) all.push_back({each.id, std::log(each.objective)});
  }
  std::ranges::stable_sort(all, {}, &Known::id);
  Run run;
  double total = 0.0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    double sum = 0.0;
    for (; end < all.size() && all[end].id == all[begin].id; ++end) sum += all[end].value;
    run.known.push_back({all[begin].id, sum / static_cast<double>(end - begin)});
    total += run.known.back().value;
  }
  const auto n = static_cast<double>(run.known.size());
  for (Known& each : run.known) {
    each.value -= total / n;
    run.variance += each.value * each.value / n;
  }
  constexpr double kRounding = 1e-18;
  if (!(run.variance > kRounding)) return std::nullopt;
  std::vector<Known> best_first = run.known;
  std::ranges::stable_sort(best_first, {}, &Known::value);
  fit(run, best_first, random);
  return run;
}

void Prior::fit(Run& run, const std::vector<Known>& best_first, Random& random) const {
  std::vector<std::uint16_t> places;
  std::vector<double> responses;
  const std::size_t half = std::min(kPriorRows / 2, best_first.size());
  const std::size_t step = std::max<std::size_t>(1, (best_first.size() - half) / (kPriorRows / 2));
  space::ValueIndices indices;
  for (std::size_t i = 0; i < best_first.size(); i += i < half ? 1 : step) {
    space_.unrank(best_first[i].id, indices);
    places.insert(places.end(), indices.begin(), indices.end());
    responses.push_back(best_first[i].value);
  }
  const std::size_t width = space_.parameters().size();
  run.forest.fit(places, width, responses, kPriorTrees, random);
  const double sense =
      responses.size() < kFewestToJudge ? kFullTrustCorrelation : sense_of(places, width, responses, random);
  run.belief = kExpected * std::clamp(sense / kFullTrustCorrelation, 0.0, 1.0);
}

double Prior::opinion(const Run& run, ConfigurationId id) const {
  const auto found = std::ranges::lower_bound(run.known, id, {}, &Known::id);
  if (found != run.known.end() && found->id == id) return found->value;
  space::ValueIndices indices;
  space_.unrank(id, indices);
  return run.forest.predict(indices).mean;
}

Prior::Opinions Prior::opinions(ConfigurationId id) const {
  Opinions all;
  for (const Run& run : runs_) all.push_back(opinion(run, id));
  return all;
}

bool Prior::believed() const {
  return std::ranges::any_of(runs_, [](const Run& run) { return run.weight > 0.0; });
}

double Prior::mean(const Opinions& opinions) const {
  double sum = 0.0;
  double weights = 0.0;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    sum += runs_[r].weight * opinions[r];
    weights += runs_[r].weight;
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

double Prior::predict(ConfigurationId id) const {
  Opinions of_those_that_count(runs_.size());
  for (std::size_t r = 0; r < runs_.size(); ++r)
    if (runs_[r].weight > 0.0) of_those_that_count[r] = opinion(runs_[r], id);
  return mean(of_those_that_count);
}

void Prior::learn(const Opinions& opinions, double response) {
  responses_.push_back(response);
  const bool full = responses_.size() >= 2 * kWeighingMeasurements;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    runs_[r].opinions.push_back(opinions[r]);
    if (full) keep_latest(runs_[r].opinions);
  }
  if (full) keep_latest(responses_);
}

// Weighs the runs. If a run is unrelated to n measurements, their rank correlation has a standard deviation of about 1
// / sqrt(n).
void Prior::weigh() {
  constexpr double kLargestSquaredCorrelation = 0.999;  // bound on a squared correlation, so that no weight is infinite
  const auto n = static_cast<double>(responses_.size());
  for (Run& run : runs_) {
    const double measured = rank_correlation(run.opinions, responses_);
    const double correlation = (n * measured + kSlopeObservations * run.belief) / (n + kSlopeObservations);
    const double explained = std::min(correlation * correlation, kLargestSquaredCorrelation);
    const bool counts = correlation > std::sqrt(n) / (n + kSlopeObservations);
    run.weight = counts ? std::pow(explained / (1.0 - explained), 2.0) : 0.0;
  }
  order_best();
}

void Prior::collect(std::vector<ConfigurationId> ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // clang 15 cannot use ranges of 128-bit numbers here
  for (const ConfigurationId id : ids) promising_.push_back({id, opinions(id)});
}

void Prior::order_best() {
  best_.clear();
  if (!believed()) return;
  std::vector<Known> ordered;
  for (const Promising& each : promising_) ordered.push_back({each.id, mean(each.opinions)});
  std::ranges::stable_sort(ordered, {}, &Known::value);
  for (const Known& each : ordered) best_.push_back(each.id);
}

double Prior::slope(std::span<const Pair> pairs) const {
  if (pairs.empty()) return 1.0;
  double variance = 0.0;
  double weights = 0.0;
  for (const Run& run : runs_) {
    variance += run.weight * run.variance;
    weights += run.weight;
  }
  if (!(weights > 0.0)) return 0.0;
  Pair mean;
  for (const Pair& pair : pairs) {
    mean.prior += pair.prior / static_cast<double>(pairs.size());
    mean.response += pair.response / static_cast<double>(pairs.size());
  }
  double both = kSlopeObservations * variance / weights;
  double own = both;
  for (const Pair& pair : pairs) {
    both += (pair.prior - mean.prior) * (pair.response - mean.response);
    own += (pair.prior - mean.prior) * (pair.prior - mean.prior);
  }
  return own > 0.0 ? std::max(0.0, both / own) : 1.0;
}

}  // namespace wattune::search
