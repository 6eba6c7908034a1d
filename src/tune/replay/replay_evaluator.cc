#include <ctime>

#include "wattune/tune/replay.h"

namespace wattune::inline v0_1::tune {

namespace {

constexpr Nanoseconds kOneEvaluation = nanoseconds_from_seconds(1);

// Returns the processor time of this thread.
Nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return nanoseconds_from_seconds(static_cast<double>(time.tv_sec)) + Nanoseconds(static_cast<double>(time.tv_nsec));
}

class ReplayEvaluator : public Evaluator {
 public:
  ReplayEvaluator(const Recording& recording, ReplayClock clock)
      : recording_(recording), clock_(clock), left_at_(processor_time()) {}

  Result<Observation> evaluate(const Configuration& configuration) override {
    if (clock_ == ReplayClock::recorded_and_search) now_ += processor_time() - left_at_;
    const Observation* recorded = recording_.find(configuration.id());
    if (clock_ == ReplayClock::evaluations)
      now_ += kOneEvaluation;
    else
      now_ += recorded != nullptr ? cost_of(*recorded) : recording_.typical_cost();
    Observation observation = recorded != nullptr ? *recorded : not_recorded();
    if (clock_ == ReplayClock::recorded_and_search) left_at_ = processor_time();
    return observation;
  }

  std::vector<std::optional<search::CompileFeatures>> foresee(const std::vector<Configuration>& configurations,
                                                              std::size_t) override {
    std::vector<std::optional<search::CompileFeatures>> foreseen;
    for (const Configuration& each : configurations) foreseen.push_back(foreseen_of(recording_.find(each.id())));
    return foreseen;
  }

  Nanoseconds now() const override { return now_; }

 private:
  // Returns the figures that a compiler would have reported before the configuration ran.
  static std::optional<search::CompileFeatures> foreseen_of(const Observation* recorded) {
    if (recorded == nullptr) return std::nullopt;
    const bool runs = recorded->status != Status::compile && recorded->status != Status::constraints;
    return search::CompileFeatures{.runs = runs, .metrics = recorded->metrics};
  }

  static Observation not_recorded() {
    Observation observation;
    observation.status = Status::not_recorded;
    observation.message = "the recording has no such configuration";
    return observation;
  }

  const Recording& recording_;
  const ReplayClock clock_;
  Nanoseconds now_;
  Nanoseconds left_at_;  // processor time of the thread at the end of the last evaluation
};

}  // namespace

std::unique_ptr<Evaluator> make_replay_evaluator(const Recording& recording, ReplayClock clock) {
  return std::make_unique<ReplayEvaluator>(recording, clock);
}

DeviceInfo replay_device(const DeviceInfo& recorded, std::string selector) {
  DeviceInfo device = recorded;
  device.selector = std::move(selector);
  device.backend = "replay";
  device.kind = DeviceKind::simulated;
  // A journal is continued only with the same driver version. So a replay never continues the journal of a run on the
  // device, nor does such a run continue that of a replay.
  device.driver_version = "replayed";
  return device;
}

}  // namespace wattune::tune
