// Races configurations against the incumbent: most are so much slower that one launch shows it.
#include "measure/interface/gate.h"
#include "measure/sampling.h"

namespace wattune::inline v0_1::measure {

namespace {

constexpr std::size_t kLessonEvery = 32;   // one in this many configurations becomes a lesson, which is not rejected
constexpr std::size_t kLessonSamples = 3;  // number of samples of a lesson that the gate would have rejected
constexpr Nanoseconds kShortLaunch = nanoseconds_from_ms(0.1);
constexpr Nanoseconds kColdStart = nanoseconds_from_ms(0.5);  // longest extra time of a first launch on any device

// The samples of one configuration: a first launch, the warm-up, one sample at the gate, then the others.
class GatedSampling : public Sampling {
 public:
  // Takes the options of the race. With `lesson`, the configuration is measured completely, even if its launches show
  // that it is slow.
  GatedSampling(const SamplingOptions& options, Gate& gate, const std::optional<Statistics>& incumbent, bool lesson)
      : Sampling({1}), options_(options), gate_(gate), incumbent_(incumbent), lesson_(lesson) {}

 private:
  enum class Stage { first_launch, warm_up, gate, slow_lesson, samples };

  Wanted next(Nanoseconds busy) override {
    switch (stage_) {
      case Stage::first_launch: return after_first_launch(busy);
      case Stage::warm_up: return warm_up_->take(busy), until_warm();
      case Stage::gate: return after_gate();
      case Stage::slow_lesson: return learn();
      case Stage::samples: return until_they_suffice();
    }
    return {};
  }

  // Takes the first launch. Its time becomes a sample only if the configuration is not measured any further.
  Wanted after_first_launch(Nanoseconds busy) {
    first_ = samples().front().time;
    if (is_hopeless(first_ - kColdStart) || (!lesson_ && first_ > gate_.first_limit(*incumbent_))) return {};
    drop_samples();
    warm_up_.emplace(options_, busy);
    return until_warm();
  }

  Wanted until_warm() {
    const std::size_t runs = warm_up_->wants();
    stage_ = runs > 0 ? Stage::warm_up : Stage::gate;
    return runs > 0 ? Wanted{.runs = runs, .warm_up = true} : Wanted{.runs = samples_at_gate()};
  }

  std::size_t samples_at_gate() const {
    const Nanoseconds others = static_cast<double>(options_.min_samples - 1) * first_;
    return others < options_.wait_cost ? options_.min_samples : 1;
  }

  Wanted after_gate() {
    const bool slow = incumbent_ && gate_.ready() && samples().front().time > gate_.warm_limit(*incumbent_);
    if (is_hopeless(samples().front().time) || (slow && !lesson_)) return {};
    stage_ = slow ? Stage::slow_lesson : Stage::samples;
    return slow ? Wanted{.runs = kLessonSamples} : until_they_suffice();
  }

  bool is_hopeless(Nanoseconds time) const {
    return incumbent_ && options_.slower_factor && time > *options_.slower_factor * incumbent_->interval_high;
  }

  Wanted until_they_suffice() {
    const std::size_t runs = samples_wanted(samples(), options_, incumbent_);
    return runs == 0 && lesson_ ? learn() : Wanted{.runs = runs};
  }

  // Adds this configuration to the gate's lessons. Its further samples did not depend on its first two launches.
  Wanted learn() {
    if (samples().size() < 2) return {};
    const std::vector<Sample> rest(samples().begin() + 1, samples().end());
    gate_.learn(first_, samples().front().time, summarize(rest).median);
    return {};
  }

  const SamplingOptions& options_;
  Gate& gate_;
  const std::optional<Statistics> incumbent_;
  const bool lesson_;
  Stage stage_ = Stage::first_launch;
  Nanoseconds first_;
  std::optional<WarmUp> warm_up_;  // set once the first launch has been taken
};

class Gated : public MeasurePolicy {
 public:
  explicit Gated(const SamplingOptions& options) : options_(options) {}

  std::unique_ptr<Sampling> begin(const std::optional<Statistics>& incumbent, Nanoseconds /*busy*/) override {
    const bool lesson = !incumbent || !gate_.ready() || ++measured_ % kLessonEvery == 0;
    return std::make_unique<GatedSampling>(options_, gate_, incumbent, lesson);
  }

  bool races() const override { return true; }
  // Returns the number of runs in the first batch. Short kernels run twice, so that one wait shows more than the first
  // launch.
  std::size_t first_runs(Nanoseconds each) const override {
    const bool may_be_all = static_cast<double>(options_.min_samples) * each < options_.wait_cost;
    return may_be_all ? 1 + options_.min_samples : each < kShortLaunch ? 2 : 1;
  }
  Identity identity() const override { return policy_identity("gated", options_); }

 private:
  const SamplingOptions options_;
  Gate gate_;
  std::size_t measured_ = 0;
};

}  // namespace

std::unique_ptr<MeasurePolicy> make_gated(const SamplingOptions& options) { return std::make_unique<Gated>(options); }

}  // namespace wattune::measure
