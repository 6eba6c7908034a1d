// Search: one search as a machine that somebody else drives, step by step: what to evaluate next, what came back, when
// and why to stop; then who runs in turns, and who won.
//
// It owns no device, no thread and no clock: the time is told, by any clock that goes forward, and where no rule needs
// it, it may be left out. tune() drives it with evaluators, an application may with launches of its own
// (examples/cpp/drive_the_search.cc). One thread calls it. A Trial is in the sink when tell() returns, which is before
// its device can have been given the next one.
//
//   Search search(space, *strategy, {"my GPU"}, sink, observer, {.stop = {.evaluations = 100}});
//   search.start();
//   while (const auto configuration = search.next()) WATTUNE_TRY(search.tell(evaluate(*configuration)));
//   WATTUNE_ASSIGN(const TuningResult result, search.result());
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/measure/shoot_out.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/tuning.h"

namespace wattune::tune {

class Tally;
class FinalStage;

// Where the objective of a correct Trial lies, as far as its samples say.
using IntervalOf = std::function<measure::ObjectiveInterval(const Trial&)>;
// That of the time; another objective is taken for exact.
measure::ObjectiveInterval objective_interval(const Trial& trial);

class Search {
 public:
  // `devices` names those that evaluate, at least one; they are counted from 0. All that is passed by reference
  // outlives the search. Precondition: options.stop.validate().
  Search(const space::SearchSpace& space, search::Strategy& strategy, const std::vector<std::string>& devices,
         TrialSink& sink, TuningObserver& observer, const TuningOptions& options);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search();

  // Comes first: goes on from the Trials of earlier runs, if any, of which those that count are told to the strategy.
  void start(const std::vector<Trial>& resumed = {}, Nanoseconds now = {});
  // The best of those that this device measured, or, where there is one device, of all.
  const std::optional<Observation>& best_before(std::size_t device) const { return best_before_[device]; }

  // The first device that has nothing to do and was not lost.
  std::optional<std::size_t> idle() const;
  // What it is to evaluate. None: the search is over, or the strategy waits for what is in flight. Precondition: it is
  // idle.
  std::optional<Configuration> next(Nanoseconds now = {}, std::size_t device = 0);
  // Gives the device the first of what follows that `suits`, in the place of what it was given, which then follows
  // next. None: nothing does. Precondition: it is not idle.
  std::optional<Configuration> exchange(const std::function<bool(const Configuration&)>& suits, std::size_t device = 0);
  // What next() may choose among, for somebody to compile; foresee() tells what it showed. Empty: the strategy makes no
  // use of that, or has chosen.
  const std::vector<Configuration>& prospects(Nanoseconds now = {});
  void foresee(const Configuration& configuration, const search::CompileFeatures& features);
  // What is in flight and what will probably follow, the next first, so that it can be compiled meanwhile.
  std::vector<Configuration> expected() const;
  // As TuningOptions::ahead, from here on.
  void set_ahead(std::size_t ahead) { ahead_ = ahead; }
  // What the strategy had better do while something is in flight, before any other call; on any thread. Empty: nothing.
  std::function<void()> pending_work() { return strategy_.pending_work(); }
  // Whether something is in flight.
  bool waiting() const { return !in_flight_.empty(); }

  // What the device's configuration showed. Errors of the sink, which end the search. Precondition: it is not idle.
  Result<void> tell(Observation observation, Nanoseconds now = {}, std::size_t device = 0);
  // What no configuration is to blame for. One of several devices that is lost (device_lost) leaves the search, and the
  // configuration that it was at is recorded as failed; all else ends it, once what is in flight was told of. Errors of
  // the sink.
  Result<void> fail(const Error& error, Nanoseconds now = {}, std::size_t device = 0);
  // How busy the device is, for events and the result.
  void note(std::size_t device, const Pipeline& pipeline);

  // The final, when nothing is in flight and next() has nothing more: whom to run in turns on the device that idle()
  // names, the finalists before the default configuration. Empty: the answer is known. Told of a lost device by fail(),
  // it calls the same ones again.
  std::vector<Configuration> next_contest(const IntervalOf& interval = objective_interval,
                                          Nanoseconds turn_overhead = {});
  // What they showed; empty: the contest was cancelled. If none of the finalists is correct, there are others.
  Result<void> tell(Contest contest, std::size_t device = 0);

  const search::Progress& progress() const;
  // As far as it is known.
  const TuningResult& so_far() const;
  // What ended the search early, or its result.
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
  std::unordered_set<ConfigurationId, search::IdHash> known_;  // told, or in flight
  std::vector<Configuration> proposals_;                       // to be evaluated, the next first
  std::vector<Configuration> prospects_;                       // to be chosen among
  std::vector<Value> last_costly_;                             // of the last that was handed out
  std::vector<Evaluation> in_flight_;
  std::vector<std::optional<Observation>> best_before_;  // of each device
  std::unique_ptr<Tally> tally_;
  std::unique_ptr<FinalStage> final_;
  std::optional<Error> error_;  // ended the search
};

}  // namespace wattune::tune
