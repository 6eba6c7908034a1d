#include "wattune/tune/search.h"

#include <functional>
#include <future>

namespace wattune::inline v0_1::tune {

namespace {

// Time that the final may take after the time of the search is over.
constexpr Nanoseconds kTimeOfFinal = nanoseconds_from_seconds(1.5);

std::vector<std::string> devices_of(const Crew& crew) {
  std::vector<std::string> devices;
  for (std::size_t i = 0; i < crew.size(); ++i) devices.push_back(crew.evaluator(i).device());
  return devices;
}

// Drives a search with a crew.
class Driver {
 public:
  Driver(Search& search, Crew& crew, const TuningOptions& options) : search_(search), crew_(crew), options_(options) {}

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
    return search_.result(now());
  }

 private:
  // True if the final has used its time after that of the search.
  bool is_over() const { return now() - started_ + options_.spent >= *options_.stop.time + kTimeOfFinal; }

  // Returns the time of the first evaluator, even if its device is lost.
  Nanoseconds now() const { return crew_.evaluator(0).now(); }

  void note(std::size_t member, const std::optional<Pipeline>& pipeline) {
    if (pipeline) search_.note(member, *pipeline);
  }

  // Gives every idle member something to do, as long as there is something.
  void employ() {
    while (const auto member = search_.idle()) {
      foresee(crew_.evaluator(*member));
      const std::optional<Configuration> next = search_.next(now(), *member);
      if (!next) return;
      crew_.evaluator(*member).expect(search_.expected());
      crew_.start(*member, *next);
    }
  }

  // Tells the search what the compiler says of the configurations among which the strategy is about to choose.
  void foresee(Evaluator& evaluator) {
    const std::vector<Configuration>& prospects = search_.prospects(now());
    if (prospects.empty()) return;
    evaluator.expect(search_.expected());
    const auto foreseen = evaluator.foresee(prospects);
    for (std::size_t i = 0; i < foreseen.size(); ++i)
      if (foreseen[i]) search_.foresee(prospects[i], *foreseen[i]);
  }

  // Waits for a member. The strategy learns meanwhile, while a device is busy. Without devices nothing is gained, and
  // replays stay as they are.
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

  // Holds the final on the first device that is left.
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
    measure::ShootOutOptions shoot_out = options_.shoot_out;
    shoot_out.cancel = options_.cancel;
    // Where energy decides, a block takes longer than the final's time.
    const bool quick = !(evaluator.turn_overhead() > Nanoseconds());
    if (options_.stop.time && quick) shoot_out.over = [this] { return is_over(); };
    Result<Contest> contest = evaluator.hold_contest(contestants, shoot_out);
    note(member, evaluator.pipeline());
    if (!contest) return search_.fail(contest.error(), now(), member);
    return search_.tell(*std::move(contest), member);
  }

  Search& search_;
  Crew& crew_;
  const TuningOptions& options_;
  Nanoseconds started_;
  bool has_device_ = false;
};

}  // namespace

Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy, Crew& crew, TrialSink& sink,
                          TuningObserver& observer, const std::vector<Trial>& resumed, const TuningOptions& options) {
  WATTUNE_TRY(options.stop.validate());
  Search search(space, strategy, devices_of(crew), sink, observer, options);
  return Driver(search, crew, options).run(resumed);
}

Result<TuningResult> tune(const space::SearchSpace& space, search::Strategy& strategy,
                          std::span<Evaluator* const> evaluators, TrialSink& sink, TuningObserver& observer,
                          const std::vector<Trial>& resumed, const TuningOptions& options) {
  const std::unique_ptr<Crew> threads = make_threads(evaluators);
  return tune(space, strategy, *threads, sink, observer, resumed, options);
}

}  // namespace wattune::tune
