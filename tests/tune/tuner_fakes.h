// Fakes of the objects with which a tuner works: a strategy, an evaluator, a sink and an observer that a test controls
// and inspects.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {

// Returns an observation of this time with an interval of 1 % around it and 20 samples.
inline Observation measured(double time) {
  Observation observation;
  observation.samples.assign(20, {Nanoseconds(time)});
  observation.statistics = Statistics{.median = Nanoseconds(time),
                                      .interval_low = Nanoseconds(0.995 * time),
                                      .interval_high = Nanoseconds(1.005 * time)};
  return observation;
}

// Proposes the ids of a list, and remembers what it is told.
class ListStrategy : public search::Strategy {
 public:
  ListStrategy(const space::SearchSpace& space, std::vector<ConfigurationId> ids)
      : Strategy(space, {}), ids_(ids.rbegin(), ids.rend()) {}

  std::vector<std::pair<ConfigurationId, std::optional<double>>> learned;

 protected:
  std::optional<ConfigurationId> do_propose() override {
    while (!ids_.empty() && visited(ids_.back())) ids_.pop_back();
    if (ids_.empty()) return std::nullopt;
    return ids_.back();
  }
  void do_learn(ConfigurationId id, std::optional<double> objective) override { learned.emplace_back(id, objective); }

 private:
  std::vector<ConfigurationId> ids_;
};

class FunctionEvaluator : public Evaluator {
 public:
  explicit FunctionEvaluator(std::function<Result<Observation>(const Configuration&)> function)
      : function_(std::move(function)) {}
  void expect(const std::vector<Configuration>& configurations) override {
    expected.emplace_back();
    for (const Configuration& configuration : configurations) expected.back().push_back(configuration.id());
  }
  Result<Observation> evaluate(const Configuration& configuration) override { return function_(configuration); }
  bool holds_contests() const override { return final || cancel_in_final != nullptr; }
  Nanoseconds turn_overhead() const override { return beside_runs; }
  Result<Contest> hold_contest(const std::vector<Configuration>& configurations,
                               const measure::ShootOutOptions&) override {
    Contest contest;
    if (cancel_in_final != nullptr) *cancel_in_final = true;
    if (!final) return contest;
    contestants.push_back({});
    for (const Configuration& configuration : configurations) {
      contestants.back().push_back(configuration.id());
      contest.observations.push_back(final(configuration));
      const Observation& observation = contest.observations.back();
      contest.rounds.emplace_back();
      if (!observation.ok()) continue;
      for (const Sample& sample : observation.samples)
        contest.rounds.back().push_back({sample, observation.objective(), {}});
    }
    return contest;
  }

  void know_best(const Observation& best) override { known_best = best; }

  std::optional<Observation> known_best;
  std::function<Observation(const Configuration&)> final;  // what a contest shows; empty if it holds none
  std::vector<std::vector<ConfigurationId>> contestants;   // of each contest, the default last if it is no finalist
  Nanoseconds beside_runs;                                 // time of a turn beside its runs
  std::atomic<bool>* cancel_in_final = nullptr;            // set by hold_contest()
  std::vector<std::vector<ConfigurationId>> expected;      // before each evaluation

 private:
  std::function<Result<Observation>(const Configuration&)> function_;
};

class LimitedSink : public TrialSink {
 public:
  Result<void> add(const Trial& trial) override {
    if (trials.size() == room) return Error(ErrorCode::io_error, "disk full");
    trials.push_back(trial);
    return {};
  }
  std::vector<Trial> trials;
  std::size_t room = 1000;
};

class Recorder : public TuningObserver {
 public:
  void on_start(const search::Progress& progress, std::size_t resumed) override {
    started_with = progress;
    resumed_trials = resumed;
  }
  void on_trial(const TuningEvent& event) override {
    improved.push_back(event.improved);
    best.push_back(event.best == nullptr ? -1 : event.best->observation.objective());
    evaluations.push_back(event.progress.evaluations);
    since_improvement.push_back(event.progress.since_improvement);
  }
  void on_final(std::size_t contestants) override { finals.push_back(contestants); }

  search::Progress started_with;
  std::size_t resumed_trials = 0;
  std::vector<bool> improved;
  std::vector<double> best;
  std::vector<std::uint64_t> evaluations;
  std::vector<std::uint64_t> since_improvement;
  std::vector<std::size_t> finals;
};

}  // namespace wattune::tune
