// Search: one search as a state machine that the caller drives step by step. It says what to evaluate next, takes the
// result, and says when and why to stop. Then it says which configurations run in turns, and which one won. tune() is
// the offline tuning loop: it drives a Search with the evaluators of a Crew.
//
// A Search owns no device, no thread and no clock. The caller passes the time, by any clock that goes forward, and may
// leave it out if no rule needs it. An application may drive it with launches of its own
// (examples/cpp/drive_the_search.cc). One thread calls it. When tell() returns, the Trial is in the sink; only then can
// its device get the next configuration.
//
//   Search search(space, *strategy, {"my GPU"}, sink, observer, {.stop = {.evaluations = 100}});
//   search.start();
//   while (const auto configuration = search.next()) WATTUNE_TRY(search.tell(evaluate(*configuration)));
//   WATTUNE_ASSIGN(const TuningResult result, search.result());
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/evaluator.h"
#include "wattune/tune/tuning.h"

namespace wattune::inline v0_1::tune {

class Tally;
class FinalStage;

// Returns the interval in which the objective of a correct Trial lies, as far as its samples say.
using IntervalOf = std::function<measure::ObjectiveInterval(const Trial&)>;
// Returns the interval of the time if that is the objective. Any other objective is taken as exact.
WATTUNE_EXPORT measure::ObjectiveInterval objective_interval(const Trial& trial);

// A search on one space by one strategy.
class WATTUNE_EXPORT Search {
 public:
  // Makes a search. `devices` names the devices that evaluate, at least one, numbered from 0. All objects that are
  // passed by reference must outlive the search. Precondition: options.stop.validate().
  Search(const space::SearchSpace& space, search::Strategy& strategy, const std::vector<std::string>& devices,
         TrialSink& sink, TuningObserver& observer, const TuningOptions& options);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search();

  // Starts the search, before any other call. Goes on from the Trials of earlier runs, if any: those that count are
  // told to the strategy.
  void start(const std::vector<Trial>& resumed = {}, Nanoseconds now = {});
  // Returns the best observation that this device made in earlier runs, or, with a single device, the best of all.
  const std::optional<Observation>& best_before(std::size_t device) const { return best_before_[device]; }

  // Returns the first device that is idle and not lost; nullopt if there is none.
  std::optional<std::size_t> idle() const;
  // Returns what the device is to evaluate; nullopt if the search is over, or if the strategy waits for evaluations in
  // flight. Precondition: the device is idle.
  std::optional<Configuration> next(Nanoseconds now = {}, std::size_t device = 0);
  // Gives the device the first waiting proposal for which `suits` returns true. The device's present configuration
  // becomes the next proposal. Returns nullopt if no proposal suits. Precondition: the device is not idle.
  std::optional<Configuration> exchange(const std::function<bool(const Configuration&)>& suits, std::size_t device = 0);
  // Returns the configurations among which next() may choose, so that they can be compiled; foresee() then tells what
  // compiling showed. Returns nothing if the strategy does not use compile features, or has chosen already.
  const std::vector<Configuration>& prospects(Nanoseconds now = {});
  void foresee(const Configuration& configuration, const search::CompileFeatures& features);
  // Returns how many of the prospects the strategy needs to know before next() chooses.
  std::size_t least_foreseen() const { return strategy_.least_foreseen(prospects_.size()); }
  // Returns the configurations in flight and those that will probably follow, the next first, so that they can be
  // compiled meanwhile.
  std::vector<Configuration> expected() const;
  // Sets TuningOptions::ahead from now on.
  void set_ahead(std::size_t ahead) { ahead_ = ahead; }
  // Returns work that the strategy should do while an evaluation is in flight, before any other call, on any thread.
  // Returns an empty function if there is none.
  std::function<void()> pending_work() { return strategy_.pending_work(); }
  // True if an evaluation is in flight.
  bool waiting() const { return !in_flight_.empty(); }

  // Takes the observation of the device's configuration. Fails with errors of the sink, which end the search.
  // Precondition: the device is not idle.
  Result<void> tell(Observation observation, Nanoseconds now = {}, std::size_t device = 0);
  // Takes an error that no configuration caused. If one of several devices is lost (device_lost), it leaves the search
  // and its configuration is recorded as failed. Any other error ends the search as soon as tell() has taken the
  // evaluations in flight. Fails with errors of the sink.
  Result<void> fail(const Error& error, Nanoseconds now = {}, std::size_t device = 0);
  // Notes how busy the device is, for events and the result.
  void note(std::size_t device, const Pipeline& pipeline);

  // Returns the contestants of the final, which run in turns on the device that idle() names: the finalists, then the
  // default configuration. It is called when nothing is in flight and next() returns nullopt. Returns nothing if the
  // result needs no final. After fail() with a lost device it returns the same contestants again.
  std::vector<Configuration> next_contest(const IntervalOf& interval = objective_interval,
                                          Nanoseconds turn_overhead = {});
  // Takes the result of the contest, which is empty if it was cancelled. If none of the finalists is correct,
  // next_contest() returns others. Fails with errors of the sink.
  Result<void> tell(Contest contest, std::size_t device = 0);

  const search::Progress& progress() const;
  // Returns the result as far as it is known.
  const TuningResult& so_far() const;
  // Returns the final result, or the error that ended the search early.
  Result<TuningResult> result(Nanoseconds now = {}) const;

 private:
  struct Evaluation {
    std::size_t device = 0;
    Configuration configuration;
  };

  bool several() const { return so_far().devices.size() > 1; }
  void keep_if_best(const Trial& trial);
  bool over(Nanoseconds now);
  void ask_ahead();
  void group_proposals();
  std::optional<Configuration> take_in_flight(std::size_t device);
  Trial trial_of(Configuration configuration, Observation observation, std::size_t device) const;
  Result<void> add(const Trial& trial, std::size_t device, Nanoseconds now);
  Result<void> write(const Trial& trial);

  const space::SearchSpace& space_;
  search::Strategy& strategy_;
  TrialSink& sink_;
  TuningObserver& observer_;
  const TuningOptions options_;
  std::size_t ahead_;
  Nanoseconds started_;
  std::unordered_set<ConfigurationId, search::IdHash> known_;  // ids whose outcome was told, or that are in flight
  std::vector<Configuration> proposals_;                       // proposals that wait for evaluation, the next first
  std::vector<Configuration> prospects_;                       // candidates among which the strategy chooses
  std::vector<Value> last_costly_;  // values of `costly` in the last configuration handed out
  std::vector<Evaluation> in_flight_;
  std::vector<std::optional<Observation>> best_before_;  // the best observation of each device
  std::unique_ptr<Tally> tally_;
  std::unique_ptr<FinalStage> final_;
  std::optional<Error> error_;  // the error that ended the search
};

// The members that evaluate the configurations of a search, each one at a time. They are threads of this process, or
// processes on other hosts, for which an Evaluator stands here. tune() calls the crew from one thread, and uses the
// evaluator of a member only while that member is idle.
class WATTUNE_EXPORT Crew {
 public:
  // A member of the crew that has finished its evaluation.
  struct Finished {
    std::size_t member = 0;
    Result<Observation> observation;
    std::optional<Pipeline> pipeline;  // the member's figures when it finished
  };

  // Waits for the end of all evaluations in flight.
  virtual ~Crew() = default;

  virtual std::size_t size() const = 0;
  // Returns the member's evaluator, for every call except evaluate(). Precondition: the member is idle; now() may be
  // called at any time.
  virtual Evaluator& evaluator(std::size_t member) const = 0;
  // Starts the evaluation of a configuration. Precondition: the member is idle.
  virtual void start(std::size_t member, const Configuration& configuration) = 0;
  // Waits for the member that finishes first and returns its result. Precondition: an evaluation is in flight.
  virtual Finished wait() = 0;
};

// Makes a crew that runs each evaluator on a thread of its own. A single evaluator runs on the calling thread, so that
// a run on one device needs no further thread. The evaluators outlive the crew.
WATTUNE_EXPORT std::unique_ptr<Crew> make_threads(std::span<Evaluator* const> evaluators);

// Runs the offline tuning loop. Tells the strategy those `resumed` Trials that count, then asks it, evaluates, records
// and tells, until a stop rule holds. An Error of the evaluator (not a failed configuration) or of the sink ends the
// run; everything measured before is in the sink.
//
// Several evaluators, one for each of several equal devices, work at the same time on one search. An idle evaluator
// gets the next proposal, and Trials come in the order in which they end. The calling thread makes all calls, except
// evaluate() of several evaluators, each of which runs on a thread of its own. Other threads may only set `cancel`.
//
// With several evaluators, each races configurations against the best that it measured itself. The final runs on the
// first evaluator that is left. An evaluator whose device is lost leaves the run, and the loss of the last one is an
// Error. In either case the evaluator's configuration is recorded as a runtime failure. Precondition: at least one
// evaluator.
WATTUNE_EXPORT Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy,
                                         std::span<Evaluator* const> evaluators, TrialSink& sink,
                                         TuningObserver& observer, const std::vector<Trial>& resumed,
                                         const TuningOptions& options);

// Runs the offline tuning loop with a crew, whose evaluators may work elsewhere than on threads of this process. Errors
// are those of tune() with evaluators.
WATTUNE_EXPORT Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Crew& crew,
                                         TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed,
                                         const TuningOptions& options);

// Runs the offline tuning loop with one evaluator.
inline Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Evaluator& evaluator,
                                 TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed,
                                 const TuningOptions& options) {
  Evaluator* const alone[] = {&evaluator};
  return tune(space, strategy, alone, sink, observer, resumed, options);
}

}  // namespace wattune::tune
