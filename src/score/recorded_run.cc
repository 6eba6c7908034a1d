#include "score/interface/recorded_run.h"

#include <optional>
#include <set>

namespace wattune::inline v0_1::score {

namespace {

using Id = std::optional<ConfigurationId>;

// A clock that gives the evaluations of a recorded run their times.
class RunClock {
 public:
  explicit RunClock(const ScoredSpace& space) : scored_(space) {}

  void evaluate(const Id& id, const Observation& told) {
    const bool new_one = id && tried_.insert(*id).second;
    if (scored_.clock != tune::ReplayClock::recorded_and_search && !new_one) return;
    const Observation* recorded = id ? scored_.recording.find(*id) : nullptr;
    elapsed_ += cost(told, recorded);
    ++run_.evaluations;
    if (id && recorded == nullptr) ++run_.not_recorded;
    if (recorded != nullptr && recorded->has_objective() && (!best_ || recorded->objective() < *best_))
      best_ = recorded->objective();
    if (best_) run_.points.push_back({elapsed(), *best_});
  }
  double elapsed() const { return to_seconds(elapsed_); }
  SearchRun take() { return std::move(run_); }

 private:
  Nanoseconds cost(const Observation& told, const Observation* recorded) const {
    switch (scored_.clock) {
      case tune::ReplayClock::recorded_and_search: return cost_of(told);
      case tune::ReplayClock::recorded:
        return recorded != nullptr ? cost_of(*recorded) : scored_.recording.typical_cost();
      case tune::ReplayClock::evaluations: break;
    }
    return nanoseconds_from_seconds(1);
  }

  const ScoredSpace& scored_;
  std::set<ConfigurationId> tried_;
  Nanoseconds elapsed_;
  std::optional<double> best_;
  SearchRun run_;
};

}  // namespace

Result<SearchRun> recorded_run(const ScoredSpace& space, const ResultSet& results) {
  WATTUNE_ASSIGN(const std::vector<Id> ids, tune::ids_in(space.space, results.trials));
  RunClock clock(space);
  for (std::size_t i = 0; i < ids.size() && clock.elapsed() < space.baseline.budget(); ++i)
    clock.evaluate(ids[i], results.trials[i].observation);
  if (space.clock == tune::ReplayClock::recorded_and_search && clock.elapsed() == 0.0)
    return Error(ErrorCode::invalid_argument, "the run holds no times").hint("choose the clock clean or evaluations");
  return clock.take();
}

}  // namespace wattune::score
