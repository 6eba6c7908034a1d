#include "search/interface/slowdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace wattune::inline v0_1::search {

namespace {

class WithinSlowdown final : public Strategy {
 public:
  WithinSlowdown(double slowdown, const space::SearchSpace& space, MakeStrategy make, std::unique_ptr<Strategy> inner)
      : Strategy(space, {}), slowdown_(slowdown), make_(std::move(make)), inner_(std::move(inner)) {}

  std::string remark() const override { return inner_->remark(); }
  std::vector<ConfigurationId> prospects() override { return inner_->prospects(); }
  std::size_t least_foreseen(std::size_t prospects) const override { return inner_->least_foreseen(prospects); }
  std::function<void()> pending_work() override { return inner_->pending_work(); }

 private:
  struct Told {
    ConfigurationId id = 0;
    std::optional<double> objective;  // positive; nullopt if the configuration failed
    Nanoseconds time;
    std::vector<Metric> metrics;  // metrics, for strategies that read them
  };

  // Proposes the inner strategy's next id. Skips ids that wait for their outcomes, since an inner strategy that began
  // anew does not know of them.
  std::optional<ConfigurationId> do_propose() override {
    for (auto ids = inner_->ask(1); !ids.empty(); ids = inner_->ask(1))
      if (!visited(ids.front())) return ids.front();
    return std::nullopt;
  }

  void do_foresee(ConfigurationId id, const CompileFeatures& features) override { inner_->foresee(id, features); }

  void do_read(ConfigurationId, const Observation& observation) override {
    time_ = observation.statistics->median;
    metrics_ = observation.metrics;
  }

  void do_learn(ConfigurationId id, std::optional<double> objective) override {
    told_.push_back({id, objective, time_, std::move(metrics_)});
    metrics_.clear();
    const Told& latest = told_.back();
    if (!objective) return tell_inner(latest);
    if (!fastest_ || latest.time < told_[*fastest_].time) fastest_ = told_.size() - 1;
    const bool best_is_out = best_ && !is_allowed(told_[*best_]);
    if (best_is_out) best_.reset();
    for (std::size_t i = best_is_out ? 0 : told_.size() - 1; i < told_.size(); ++i) consider(i);
    if (!best_is_out || !begin_anew()) tell_inner(latest);
  }

  bool is_allowed(const Told& told) const {
    return told.objective && told.time <= told_[*fastest_].time * (1.0 + slowdown_);
  }

  void consider(std::size_t i) {
    if (is_allowed(told_[i]) && (!best_ || *told_[i].objective < *told_[*best_].objective)) best_ = i;
  }

  bool begin_anew() {
    auto fresh = make_();
    if (!fresh) return false;  // if creating one fails unexpectedly, the old strategy stays
    inner_ = *std::move(fresh);
    for (const Told& told : told_) tell_inner(told);
    return true;
  }

  void tell_inner(const Told& told) {
    Observation observation{.status = Status::runtime};
    if (told.objective) {
      observation.status = Status::correct;
      observation.statistics = Statistics{.median = told.time};
      observation.metrics = told.metrics;
      observation.objective_value = judged(told);
    }
    inner_->tell(told.id, observation);
  }

  double judged(const Told& told) const {
    if (is_allowed(told)) return *told.objective;
    const Told& fastest = told_[*fastest_];
    return *fastest.objective * (told.time / fastest.time) / (1.0 + slowdown_);
  }

  const double slowdown_;
  const MakeStrategy make_;
  std::unique_ptr<Strategy> inner_;
  std::vector<Told> told_;
  std::optional<std::size_t> fastest_;  // position of the fastest outcome in told_
  std::optional<std::size_t> best_;     // position of the best allowed outcome in told_
  Nanoseconds time_;                    // time of the configuration whose outcome is being told
  std::vector<Metric> metrics_;
};

}  // namespace

Result<std::unique_ptr<Strategy>> make_strategy_within(double slowdown, const space::SearchSpace& space,
                                                       MakeStrategy make) {
  if (!(slowdown >= 0.0) || !std::isfinite(slowdown))
    return Error(ErrorCode::invalid_argument, "a slowdown is 0 or more").about(fmt::format("{}", slowdown));
  WATTUNE_ASSIGN(auto inner, make());
  std::unique_ptr<Strategy> within =
      std::make_unique<WithinSlowdown>(slowdown, space, std::move(make), std::move(inner));
  return within;
}

}  // namespace wattune::search
