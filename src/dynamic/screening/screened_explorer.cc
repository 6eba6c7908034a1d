#include "dynamic/screening/screened_explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace wattune::inline v0_1::dynamic {

namespace {

class ScreenedExplorer : public Explorer {
 public:
  explicit ScreenedExplorer(std::shared_ptr<KeyScreening> key) : key_(std::move(key)) {}
  ScreenedExplorer(const ScreenedExplorer&) = delete;
  ScreenedExplorer& operator=(const ScreenedExplorer&) = delete;
  ~ScreenedExplorer() override { key_->cancel(); }

  std::vector<Candidate> wanted() override {
    key_->note_call();
    std::vector<Candidate> wanted = key_->best_few();
    std::erase_if(wanted, [this](const Candidate& each) { return told_.contains(each.configuration.id()); });
    return wanted;
  }

  std::uint64_t news() override { return key_->news() + told_.size(); }
  void note_calls(Nanoseconds time) override {
    key_->note_call();
    key_->note_calls(time);
  }
  void expect_calls(Nanoseconds time) override { key_->expect_calls(time); }

  void tell(const Configuration& configuration, const Observation& observation) override {
    if (told_.empty() && observation.statistics) key_->note_time(observation.statistics->median);
    if (told_.insert(configuration.id()).second && observation.status != Status::correct) ++failed_in_place_;
  }

  bool over() const override { return key_->state().over && left() == 0; }
  bool is_complete() const override { return over() && key_->state().complete; }
  bool was_left() const override { return key_->state().left; }
  std::uint64_t explored() const override { return key_->state().explored; }
  std::uint64_t failed() const override { return key_->state().failed + failed_in_place_; }

  std::vector<FailedReport> failures() const override { return key_->failures(); }

  std::string state() const override {
    const KeyScreening::State screened = key_->state();
    if (!screened.over || left() == 0) return screened.words;
    return fmt::format("trying {} of {} that were screened", left(), screened.explored);
  }

 private:
  std::size_t left() const {
    const std::vector<Candidate> best = key_->best_few();
    return static_cast<std::size_t>(std::ranges::count_if(
        best, [this](const Candidate& each) { return !told_.contains(each.configuration.id()); }));
  }

  const std::shared_ptr<KeyScreening> key_;
  std::set<ConfigurationId> told_;
  std::uint64_t failed_in_place_ = 0;
};

}  // namespace

Result<std::unique_ptr<Explorer>> make_screened_explorer(
    std::shared_ptr<const Problem> problem, const TuningPolicy& policy, const std::vector<Configuration>& known,
    StallBudget& stall_budget, Screening& screening, KeyScreening::Found found, std::shared_ptr<SharedGains> gains) {
  WATTUNE_ASSIGN(KeySearch search, plan_key_search(*problem, policy, known));
  auto key = std::make_shared<KeyScreening>(std::move(problem), std::move(search), stall_budget, std::move(found),
                                            std::move(gains));
  screening.add(key);
  return std::unique_ptr<Explorer>(std::make_unique<ScreenedExplorer>(std::move(key)));
}

}  // namespace wattune::dynamic
