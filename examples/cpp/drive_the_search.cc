// Drives a search by hand, for an application that measures by itself. It asks for the next configuration, reports its
// result, and ends with the final. A formula with noise replaces the measurement, so that the example runs anywhere.
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "wattune/core/random.h"
#include "wattune/measure/policy.h"
#include "wattune/tune/search.h"

namespace {

using namespace wattune;

// Returns the time of one run, by a formula that is lowest at x = 70.
measure::Turn run(const Configuration& configuration, Random& random) {
  const double distance = configuration.find("x")->as_real() - 70.0;
  const Nanoseconds time((1000.0 + distance * distance) * (1.0 + 0.01 * random.uniform()));
  return {.sample = {time}, .objective = time.value(), .spent = time};
}

Observation summary_of(const std::vector<measure::Turn>& turns) {
  Observation observation;
  for (const measure::Turn& turn : turns) observation.samples.push_back(turn.sample);
  observation.statistics = measure::summarize(observation.samples);
  return observation;
}

// Runs every contestant once in each round, so that disturbances affect all of them.
tune::Contest run_in_turns(const std::vector<Configuration>& contestants, Random& random) {
  tune::Contest contest{.observations = {}, .rounds = measure::Rounds(contestants.size())};
  for (int round = 0; round < 12; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i) contest.rounds[i].push_back(run(contestants[i], random));
  for (const auto& turns : contest.rounds) contest.observations.push_back(summary_of(turns));
  return contest;
}

// A sink of Trials that only counts them. An application would keep them.
class Count : public TrialSink {
  Result<void> add(const Trial& trial) override {
    ++times[trial.configuration.id()];
    return {};
  }

 public:
  std::map<ConfigurationId, int> times;
};

Result<tune::TuningResult> search_by_hand(const space::SearchSpace& space, Count& sink) {
  WATTUNE_ASSIGN(const auto strategy, search::make_strategy("greedy_ils", space, {.seed = 3}));
  tune::TuningObserver nobody;
  tune::Search search(space, *strategy, {"my application"}, sink, nobody, {.stop = {.evaluations = 60}});
  Random random(7);
  search.start();
  while (const auto configuration = search.next()) {
    std::vector<measure::Turn> turns;
    for (int i = 0; i < 7; ++i) turns.push_back(run(*configuration, random));
    WATTUNE_TRY(search.tell(summary_of(turns)));
  }
  for (auto contestants = search.next_contest(); !contestants.empty(); contestants = search.next_contest())
    WATTUNE_TRY(search.tell(run_in_turns(contestants, random)));
  return search.result();
}

}  // namespace

int main() {
  std::vector<Value> values;
  for (int x = 0; x < 100; ++x) values.emplace_back(x);
  const auto space = space::SearchSpace::build({{.name = "x", .values = values}}, {}).value();
  Count sink;
  const tune::TuningResult result = search_by_hand(space, sink).value();
  const Trial& best = *result.best;
  std::printf("%s: %.0f ns, after %zu of 100 configurations (%s)\n", best.configuration.to_string().c_str(),
              best.observation.objective(), sink.times.size(), result.stop_reason->text.c_str());
  return std::fabs(best.configuration.find("x")->as_real() - 70.0) < 10.0 ? 0 : 1;
}
