#include "dynamic/tuning/starting_candidates.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "dynamic/tuning/key_search.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Number of random configurations that are tried if the known configurations, the guesses and the default all fail.
constexpr std::size_t kSampledCandidates = 16;

void add_hope(auto& starting_candidates, const space::SearchSpace& space, ConfigurationId id) {
  if (std::ranges::count(starting_candidates, id, &Configuration::id) == 0)
    starting_candidates.push_back(space.configuration(id));
}

// Distance of keys beyond which the application's guesses come before the best configuration of the nearest key. Sizes
// at this distance differ by 25 % in total.
const double kFar = std::log(1.25);

// Returns the guesses. Returns none if the function throws, since the key can begin without guesses.
std::vector<NamedValues> guessed(const Problem& problem, const Guess& guess) {
  try {
    return guess ? guess(problem.spec.problem_size) : std::vector<NamedValues>();
  } catch (...) {
    return {};
  }
}

// Returns the default configuration with the values that the application guesses.
Result<Configuration> with_defaults(const Problem& problem, const NamedValues& guess) {
  const Configuration otherwise = problem.space.configuration(problem.space.default_configuration());
  const auto names = std::make_shared<const std::vector<std::string>>(otherwise.names());
  std::vector<Value> values = otherwise.values();
  for (const auto& [name, value] : guess)
    if (const auto found = std::ranges::find(*names, name); found != names->end())
      values[static_cast<std::size_t>(found - names->begin())] = value;
  return nearest_in(problem.space, Configuration(otherwise.id(), names, std::move(values)));
}

std::vector<Configuration> promising_for(const Problem& problem, const std::vector<NearestEntry>& known,
                                         const Guess& guess) {
  std::vector<Configuration> promising;
  const auto add = [&](const Result<Configuration>& one) {
    if (one) add_hope(promising, problem.space, one->id());
  };
  for (const NearestEntry& each : known)
    if (each.distance <= kFar) add(nearest_in(problem.space, each.entry.configuration));
  for (const NamedValues& each : guessed(problem, guess)) add(with_defaults(problem, each));
  for (const NearestEntry& each : known) add(nearest_in(problem.space, each.entry.configuration));
  add_hope(promising, problem.space, problem.space.default_configuration());
  return promising;
}

const WisdomEntry* of_the_key(const std::vector<NearestEntry>& known) {
  const bool is_there = !known.empty() && known.front().distance == 0.0 && known.front().same_device;
  return is_there ? &known.front().entry : nullptr;
}

bool is_tuned(const WisdomEntry* entry) { return entry != nullptr && entry->tuned; }

std::uint64_t time_of_what_was_cut_short(const WisdomEntry* entry) {
  if (entry == nullptr || entry->tuned) return 0;
  return static_cast<std::uint64_t>(entry->measured_at.time_since_epoch().count());
}

}  // namespace

StartingCandidates::StartingCandidates(const Problem& problem, const std::vector<NearestEntry>& known,
                                       const KernelOptions& options)
    : is_known_(is_tuned(of_the_key(known))),
      cut_short_(time_of_what_was_cut_short(of_the_key(known))),
      promising_(promising_for(problem, known, options.guess)),
      left_(promising_.begin(), promising_.end()) {
  Random random(options.policy.seed);
  for (const ConfigurationId id : problem.space.sample_stratified(kSampledCandidates, random))
    add_hope(left_, problem.space, id);
}

std::vector<Configuration> StartingCandidates::likeliest(std::size_t most) const {
  std::vector<Configuration> likeliest;
  for (const Configuration& each : left_) {
    if (likeliest.size() == most) break;
    if (likeliest.empty() || std::ranges::count(promising_, each) > 0) likeliest.push_back(each);
  }
  return likeliest;
}

std::optional<Configuration> StartingCandidates::take() {
  if (left_.empty()) return std::nullopt;
  Configuration first = std::move(left_.front());
  left_.pop_front();
  return first;
}

}  // namespace wattune::dynamic
