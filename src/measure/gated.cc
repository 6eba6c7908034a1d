// The race: most configurations are so much slower than the incumbent that one launch tells.
#include "measure/gate.h"
#include "measure/sampling.h"

namespace wattune::measure {

namespace {

constexpr std::size_t kLessonEvery = 32;   // every so manyth configuration is let through, to learn from
constexpr std::size_t kLessonSamples = 3;  // beyond the first, of one that the gate would have rejected

class Gated : public MeasurePolicy {
 public:
  explicit Gated(const SamplingOptions& options) : options_(options) {}

  Result<std::vector<Sample>> measure(Runner& runner, const std::optional<Statistics>& incumbent) override {
    const bool lesson = !incumbent || !gate_.ready() || ++measured_ % kLessonEvery == 0;
    std::vector<Sample> first;
    WATTUNE_TRY(take(runner, 1, first));
    if (!lesson && first.front().time > gate_.first_limit(*incumbent)) return first;

    WATTUNE_TRY(warm_up(runner, options_.warm_up));
    std::vector<Sample> samples;
    WATTUNE_TRY(take(runner, 1, samples));
    const bool slow = incumbent && gate_.ready() && samples.front().time > gate_.warm_limit(*incumbent);
    if (slow && !lesson) return samples;

    if (slow)
      WATTUNE_TRY(take(runner, kLessonSamples, samples));
    else
      WATTUNE_TRY(sample(runner, options_, incumbent, samples));
    if (lesson) learn(first.front(), samples);
    return samples;
  }

  Identity identity() const override { return policy_identity("gated", options_); }

 private:
  // From one whose fate did not depend on its first two launches.
  void learn(const Sample& first, const std::vector<Sample>& samples) {
    if (samples.size() < 2) return;
    const std::vector<Sample> rest(samples.begin() + 1, samples.end());
    gate_.learn(first.time, samples.front().time, summarize(rest).median);
  }

  SamplingOptions options_;
  Gate gate_;
  std::size_t measured_ = 0;
};

}  // namespace

std::unique_ptr<MeasurePolicy> make_gated(const SamplingOptions& options) { return std::make_unique<Gated>(options); }

}  // namespace wattune::measure
