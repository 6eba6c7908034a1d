#include "dynamic/tuning/trusted_explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamic/loading/load_cost.h"
#include "dynamic/tuning/key_search.h"
#include "dynamic/tuning/trial_gain.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::dynamic {

namespace {

using search::StopRule;

// Cost of a candidate in addition to its slower calls. This cost is that of loading, unloading, and the gaps between
// timed calls (docs/results/dynamic.md).
constexpr Nanoseconds kFixedCandidateCost = nanoseconds_from_ms(1.0);

// A sink that drops all Trials. The wisdom keeps the best of them.
class NoSink : public TrialSink {
 public:
  Result<void> add(const Trial&) override { return {}; }
};

// Returns names for places, each of which holds one configuration at a time. For the class Search, these places are
// devices.
std::vector<std::string> names_of_places(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("place {}", i));
  return names;
}

std::size_t places_of(const TrustedOptions& options) { return std::max<std::size_t>(1, options.ahead); }

class TrustedExplorer : public Explorer {
 public:
  TrustedExplorer(std::shared_ptr<const Problem> problem, KeySearch search, const TrustedOptions& options)
      : problem_(std::move(problem)),
        strategy_(std::move(search.strategy)),
        now_(options.now),
        stop_(search.stop),
        search_(problem_->space, *strategy_, names_of_places(places_of(options)), sink_, observer_,
                {.stop = search.stop, .shoot_out = {.finalists = 0}}),
        places_(places_of(options)),
        trial_gain_(options.gains, search.least_time) {
    search_.start({}, now_());
    fill();
  }

  // Returns the candidates in the order of their proposals. Returns none while another step does not pay.
  std::vector<Candidate> wanted() override {
    fill();
    std::vector<Candidate> wanted;
    if (trial_gain_.of_one_more() <= cost_.value()) return wanted;
    for (const std::size_t place : order_) wanted.push_back({*places_[place], std::nullopt});
    return wanted;
  }

  void note_calls(Nanoseconds time) override { trial_gain_.note_calls(time); }

  void tell(const Configuration& configuration, const Observation& observation) override {
    const auto found =
        std::ranges::find_if(order_, [&](std::size_t place) { return *places_[place] == configuration; });
    if (found == order_.end()) return;
    const std::size_t place = *found;
    order_.erase(found);
    places_[place].reset();
    learn(observation);
    // telling cannot fail, since the sink accepts all Trials
    static_cast<void>(search_.tell(observation, now_(), place));
    fill();
  }

  bool over() const override { return order_.empty(); }
  std::uint64_t explored() const override { return search_.progress().evaluations; }
  std::uint64_t failed() const override {
    std::uint64_t failed = explored();
    const auto& by_status = search_.so_far().by_status;
    if (const auto correct = by_status.find(Status::correct); correct != by_status.end()) failed -= correct->second;
    return failed;
  }

  std::string state() const override {
    const std::optional<search::StopReason>& reason = search_.so_far().stop_reason;
    if (over()) return fmt::format("tuned: {}", reason ? reason->text : "ended");
    const std::optional<std::uint64_t> left = stop_.evaluations_left(search_.progress());
    return left ? fmt::format("trying, {} of {}", explored(), explored() + *left)
                : fmt::format("trying, {} so far", explored());
  }

 private:
  // Learns the cost of a candidate: its extra time compared with the best one, and kFixedCandidateCost.
  void learn(const Observation& observation) {
    trial_gain_.learn(observation);
    if (!observation.statistics || !trial_gain_.best()) return;
    cost_.learn(kFixedCandidateCost + std::max(Nanoseconds(), observation.statistics->median - *trial_gain_.best()));
  }
  void fill() {
    while (const std::optional<std::size_t> place = search_.idle()) {
      places_[*place] = search_.next(now_(), *place);
      if (!places_[*place]) return;
      order_.push_back(*place);
    }
  }

  const std::shared_ptr<const Problem> problem_;
  const std::unique_ptr<search::Strategy> strategy_;
  const std::function<Nanoseconds()> now_;
  const StopRule stop_;
  NoSink sink_;
  tune::TuningObserver observer_;
  tune::Search search_;
  std::vector<std::optional<Configuration>> places_;
  TrialGain trial_gain_;
  RecentMean cost_{kFixedCandidateCost};
  std::vector<std::size_t> order_;  // the taken places, in the order of their proposals
};

}  // namespace

Result<std::unique_ptr<Explorer>> make_trusted_explorer(std::shared_ptr<const Problem> problem,
                                                        const TuningPolicy& policy, const TrustedOptions& options) {
  WATTUNE_ASSIGN(KeySearch search, plan_key_search(*problem, policy, options.known));
  return std::unique_ptr<Explorer>(std::make_unique<TrustedExplorer>(std::move(problem), std::move(search), options));
}

}  // namespace wattune::dynamic
