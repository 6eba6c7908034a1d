#include "wattune/tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>

namespace wattune::inline v0_1::tune {

namespace {

// Time that the final may take after the time of the search is over.
constexpr Nanoseconds kTimeOfFinal = nanoseconds_from_seconds(1.5);
constexpr double kContestants = 3.0;  // of the shortest final: two finalists and the default configuration
constexpr double kLeastRounds = 7.0;  // fewest rounds by which so many contestants can be told apart with 95 %
constexpr double kTurnsOfLeastFinal = kContestants * kLeastRounds;

// A run whose time is shared between the search and its final.
struct SharedTime {
  TuningOptions search;          // options of the run, with the part of the time that the search has
  Nanoseconds of_final;          // 0 if the final needs no time of its own, or gets none
  bool is_too_short = false;     // true if there is no final, since it would take over half of the time
  Nanoseconds of_least_final{};  // time of the shortest final, if one needs time of its own
  bool has_no_window = false;    // true if not even one window of energy fits
};

// Divides the time of a run between the search and the final. A final by energy measures a window of seconds in each
// turn. So such a final gets up to half of the time, which is enough for two finalists and the default configuration.
// `turn` is Evaluator::turn_overhead().
SharedTime share_time(const TuningOptions& options, Nanoseconds turn) {
  SharedTime shared{.search = options, .of_final = {}};
  if (!options.stop.time || !(turn > Nanoseconds()) || options.shoot_out.finalists == 0) return shared;
  shared.of_least_final = kTurnsOfLeastFinal * turn;
  shared.is_too_short = 2.0 * shared.of_least_final > *options.stop.time;
  shared.has_no_window = turn >= *options.stop.time;
  measure::ShootOutOptions& final = shared.search.shoot_out;
  if (shared.is_too_short) {
    final.finalists = 0;
    return shared;
  }
  const double rounds = std::floor(*options.stop.time / (2.0 * kContestants * turn));
  final.block = std::min(final.block, static_cast<std::size_t>(rounds));
  final.max_blocks = 1;
  final.max_time = 2.0 * static_cast<double>(final.block) * turn;
  shared.of_final = kContestants * static_cast<double>(final.block) * turn;
  *shared.search.stop.time -= shared.of_final;
  return shared;
}

Nanoseconds longest_turn_overhead(const Crew& crew) {
  Nanoseconds longest;
  for (std::size_t i = 0; i < crew.size(); ++i) longest = std::max(longest, crew.evaluator(i).turn_overhead());
  return longest;
}

std::vector<std::string> devices_of(const Crew& crew) {
  std::vector<std::string> devices;
  for (std::size_t i = 0; i < crew.size(); ++i) devices.push_back(crew.evaluator(i).device());
  return devices;
}

// Drives a search with a crew.
class Driver {
 public:
  // Makes a driver of a run with these options. The search has its part of the time, as given by `time`.
  Driver(Search& search, Crew& crew, const TuningOptions& options, const SharedTime& time)
      : search_(search), crew_(crew), options_(options), time_(time) {}

  Result<TuningResult> run(const std::vector<Trial>& resumed) {
    for (std::size_t i = 0; i < crew_.size(); ++i) {
      const std::optional<Pipeline> pipeline = crew_.evaluator(i).pipeline();
      has_device_ |= pipeline.has_value();
      note(i, pipeline);
    }
    started_ = now();
    search_.start(resumed, started_);
    for (std::size_t i = 0; i < crew_.size(); ++i)
      if (const auto& best = search_.best_before(i)) crew_.evaluator(i).know_best(*best);
    for (employ(); search_.waiting(); employ()) WATTUNE_TRY(finish(wait()));
    WATTUNE_TRY(hold_final());
    WATTUNE_ASSIGN(TuningResult result, search_.result(now()));
    if (result.stop_reason) explain_time(*result.stop_reason);
    return result;
  }

 private:
  // True if the final has used the time that it may take after the end of the search's time.
  bool is_over() const { return now() - started_ + options_.spent >= *options_.stop.time + kTimeOfFinal; }

  // Adds to the reason how the time of the run was divided, if part of it was for the final. Also adds why there was no
  // final if the time was too short.
  void explain_time(search::StopReason& reason) const {
    if (time_.has_no_window)
      reason.text +=
          fmt::format("; a window of energy takes {:.3g} s after its warm-up, and a final {:.3g} s or more",
                      to_seconds(time_.of_least_final) / kTurnsOfLeastFinal, to_seconds(time_.of_least_final));
    else if (time_.is_too_short)
      reason.text += fmt::format("; no final, which takes {:.3g} s or more where energy decides",
                                 to_seconds(time_.of_least_final));
    else if (time_.of_final > Nanoseconds() && reason.cause == search::StopCause::time)
      reason.text += fmt::format("; {:.3g} of the {:.4g} s were kept for the final", to_seconds(time_.of_final),
                                 to_seconds(*options_.stop.time));
  }

  // Returns the time of the first evaluator's clock, even if its device is lost.
  Nanoseconds now() const { return crew_.evaluator(0).now(); }

  void note(std::size_t member, const std::optional<Pipeline>& pipeline) {
    if (pipeline) search_.note(member, *pipeline);
  }

  // Gives every idle member a configuration to evaluate, as long as there is one.
  void employ() {
    while (const auto member = search_.idle()) {
      foresee(crew_.evaluator(*member));
      const std::optional<Configuration> next = search_.next(now(), *member);
      if (!next) return;
      crew_.evaluator(*member).expect(search_.expected());
      crew_.start(*member, *next);
    }
  }

  // Passes the compiler's figures to the search. They are those of the configurations among which the strategy will
  // choose next.
  void foresee(Evaluator& evaluator) {
    const std::vector<Configuration>& prospects = search_.prospects(now());
    if (prospects.empty()) return;
    evaluator.expect(search_.expected());
    const auto foreseen = evaluator.foresee(prospects, search_.least_foreseen());
    for (std::size_t i = 0; i < foreseen.size(); ++i)
      if (foreseen[i]) search_.foresee(prospects[i], *foreseen[i]);
  }

  // Waits until a member ends its work. If there are devices, the strategy learns while they are busy. A replay has no
  // devices, so learning ahead would gain nothing.
  Crew::Finished wait() {
    const std::function<void()> work = has_device_ ? search_.pending_work() : nullptr;
    if (!work) return crew_.wait();
    std::future<void> learning = std::async(std::launch::async, work);
    Crew::Finished finished = crew_.wait();
    learning.get();
    return finished;
  }

  Result<void> finish(Crew::Finished finished) {
    note(finished.member, finished.pipeline);
    if (!finished.observation) return search_.fail(finished.observation.error(), now(), finished.member);
    return search_.tell(*std::move(finished.observation), now(), finished.member);
  }

  // Holds the final on the first device that is not lost.
  Result<void> hold_final() {
    while (const auto member = search_.idle()) {
      Evaluator& evaluator = crew_.evaluator(*member);
      if (!evaluator.holds_contests()) return {};
      const std::vector<Configuration> contestants = search_.next_contest(
          [&](const Trial& trial) { return crew_.evaluator(0).objective_interval(trial); }, evaluator.turn_overhead());
      if (contestants.empty()) return {};
      WATTUNE_TRY(hold_contest(evaluator, *member, contestants));
    }
    return {};
  }

  Result<void> hold_contest(Evaluator& evaluator, std::size_t member, const std::vector<Configuration>& contestants) {
    measure::ShootOutOptions shoot_out = time_.search.shoot_out;
    shoot_out.cancel = options_.cancel;
    if (options_.stop.time) shoot_out.over = [this] { return is_over(); };
    Result<Contest> contest = evaluator.hold_contest(contestants, shoot_out);
    note(member, evaluator.pipeline());
    if (!contest) return search_.fail(contest.error(), now(), member);
    return search_.tell(*std::move(contest), member);
  }

  Search& search_;
  Crew& crew_;
  const TuningOptions& options_;
  const SharedTime& time_;
  Nanoseconds started_;
  bool has_device_ = false;
};

}  // namespace

Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Crew& crew, TrialSink& sink,
                          TuningObserver& observer, const std::vector<Trial>& resumed, const TuningOptions& options) {
  WATTUNE_TRY(options.stop.validate());
  const SharedTime time = share_time(options, longest_turn_overhead(crew));
  Search search(space, strategy, devices_of(crew), sink, observer, time.search);
  return Driver(search, crew, options, time).run(resumed);
}

Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy,
                          std::span<Evaluator* const> evaluators, TrialSink& sink, TuningObserver& observer,
                          const std::vector<Trial>& resumed, const TuningOptions& options) {
  const std::unique_ptr<Crew> threads = make_threads(evaluators);
  return tune(space, strategy, *threads, sink, observer, resumed, options);
}

}  // namespace wattune::tune
