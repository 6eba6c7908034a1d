#include "wattune/tune/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "tune/loop/final_stage.h"
#include "tune/loop/tally.h"

namespace wattune::inline v0_1::tune {

namespace {

search::StopReason cancelled() { return {search::StopCause::cancelled, "cancelled"}; }

// Returns the observation of a configuration whose device was lost while it ran. The configuration is not tried again,
// because it might cost another device, or the same one when the run is resumed.
Observation lost_with(const DeviceShare& device) {
  Observation observation;
  observation.status = Status::runtime;
  observation.message = fmt::format("{} was lost: {}", device.device, device.lost->to_string());
  return observation;
}

std::vector<Value> values_of(const Configuration& configuration, const std::vector<std::string>& names) {
  std::vector<Value> values;
  for (const std::string& name : names) values.push_back(*configuration.find(name));
  return values;
}

bool ran_in(const Final& final, const Trial& one) {
  const auto same = [&](const Trial& trial) { return trial.configuration.id() == one.configuration.id(); };
  return std::ranges::any_of(final.trials, same);
}

// Returns the longest time with which a finalist may win. It is 0 if the best contender has not run in the final, so
// that no finalist wins yet. A contender that takes the place of a finalist that was too slow has not run yet.
Nanoseconds longest_time(const Final& final, const Contenders& contenders) {
  const Trial* const best = contenders.best();
  return best == nullptr || ran_in(final, *best) ? contenders.longest_time() : Nanoseconds();
}

}  // namespace

measure::ObjectiveInterval objective_interval(const Trial& trial) {
  const Statistics& statistics = *trial.observation.statistics;
  if (const std::optional<double> value = trial.observation.objective_value) return {*value, *value, *value};
  return {statistics.median.value(), statistics.interval_low.value(), statistics.interval_high.value()};
}

Search::Search(const space::SearchSpace& space, search::Strategy& strategy, const std::vector<std::string>& devices,
               TrialSink& sink, TuningObserver& observer, const TuningOptions& options)
    : space_(space),
      strategy_(strategy),
      sink_(sink),
      observer_(observer),
      options_(options),
      ahead_(options.ahead),
      best_before_(devices.size()),
      tally_(std::make_unique<Tally>(devices, space.count(), space.default_configuration(), options.slowdown)),
      final_(std::make_unique<FinalStage>(options.shoot_out, *tally_)) {}

Search::~Search() = default;

void Search::start(const std::vector<Trial>& resumed, Nanoseconds now) {
  started_ = now - options_.spent;
  for (const Trial* const trial : counting(resumed)) {
    known_.insert(trial->configuration.id());
    tally_->add(*trial, true);
    strategy_.tell(trial->configuration.id(), trial->observation);
    keep_if_best(*trial);
  }
  observer_.on_start(progress(), so_far().resumed);
}

void Search::keep_if_best(const Trial& trial) {
  if (!trial.observation.has_objective()) return;
  const auto objective_of = [](const Observation& each) { return each.search_figures().objective; };
  for (std::size_t i = 0; i < best_before_.size(); ++i) {
    if (several() && trial.device != so_far().devices[i].device) continue;
    std::optional<Observation>& best = best_before_[i];
    if (!best || objective_of(trial.observation) < objective_of(*best)) best = trial.observation;
  }
}

std::optional<std::size_t> Search::idle() const {
  for (std::size_t i = 0; i < so_far().devices.size(); ++i)
    if (!so_far().devices[i].lost && std::ranges::count(in_flight_, i, &Evaluation::device) == 0) return i;
  return std::nullopt;
}

std::optional<Configuration> Search::next(Nanoseconds now, std::size_t device) {
  if (error_ || over(now)) return std::nullopt;
  ask_ahead();
  if (over(now)) return std::nullopt;
  if (proposals_.empty()) {
    if (progress().evaluations + progress().skipped >= space_.count())
      tally_->result.stop_reason = {search::StopCause::whole_space, "every configuration was evaluated"};
    else
      tally_->result.stop_reason = {search::StopCause::no_proposal, "the strategy has nothing left to propose"};
    return std::nullopt;
  }
  Configuration next = std::move(proposals_.front());
  proposals_.erase(proposals_.begin());
  last_costly_ = values_of(next, options_.costly);
  if (!known_.insert(next.id()).second) {
    error_ = Error(ErrorCode::internal,
                   fmt::format("the strategy proposed configuration {} twice", wattune::to_string(next.id())));
    return std::nullopt;
  }
  in_flight_.push_back({device, next});
  return next;
}

std::optional<Configuration> Search::exchange(const std::function<bool(const Configuration&)>& suits,
                                              std::size_t device) {
  const auto found = std::ranges::find_if(proposals_, suits);
  if (found == proposals_.end()) return std::nullopt;
  Configuration& given = std::ranges::find(in_flight_, device, &Evaluation::device)->configuration;
  known_.erase(given.id());
  known_.insert(found->id());
  std::swap(given, *found);
  std::rotate(proposals_.begin(), found, found + 1);
  last_costly_ = values_of(given, options_.costly);
  return given;
}

bool Search::over(Nanoseconds now) {
  tally_->progress.elapsed = now - started_;
  std::optional<search::StopReason> reason = options_.stop.reason_to_stop(progress());
  if (options_.cancelled()) reason = cancelled();
  if (reason) tally_->result.stop_reason = reason;
  return reason.has_value();
}

// Requests proposals from the strategy in advance, but not more than the run may still evaluate by the stop rule.
void Search::ask_ahead() {
  const std::uint64_t least = std::max<std::uint64_t>(1, ahead_);
  std::uint64_t wanted = std::max<std::uint64_t>(least, options_.batch);
  if (const auto left = options_.stop.evaluations_left(progress()))
    wanted = std::min(wanted, *left - in_flight_.size());
  if (std::min(wanted, least) <= proposals_.size()) return;
  strategy_.see(progress());
  // The strategy is asked for one proposal at a time, so that cancelling takes effect soon.
  while (proposals_.size() < wanted && !options_.cancelled()) {
    const std::vector<ConfigurationId> ids = strategy_.ask(1);
    if (ids.empty()) break;
    proposals_.push_back(space_.configuration(ids.front()));
  }
  group_proposals();
}

void Search::group_proposals() {
  if (options_.costly.empty()) return;
  std::vector<std::vector<Value>> groups{last_costly_};
  std::vector<std::pair<std::size_t, Configuration>> sorted;
  for (Configuration& each : proposals_) {
    const std::vector<Value> values = values_of(each, options_.costly);
    const auto group = static_cast<std::size_t>(std::ranges::find(groups, values) - groups.begin());
    if (group == groups.size()) groups.push_back(values);
    sorted.emplace_back(group, std::move(each));
  }
  std::ranges::stable_sort(sorted, {}, &std::pair<std::size_t, Configuration>::first);
  proposals_.clear();
  for (auto& [group, each] : sorted) proposals_.push_back(std::move(each));
}

const std::vector<Configuration>& Search::prospects(Nanoseconds now) {
  prospects_.clear();
  if (error_ || over(now) || !proposals_.empty()) return prospects_;
  for (const ConfigurationId id : strategy_.prospects()) prospects_.push_back(space_.configuration(id));
  return prospects_;
}

void Search::foresee(const Configuration& configuration, const search::CompileFeatures& features) {
  strategy_.foresee(configuration.id(), features);
}

std::vector<Configuration> Search::expected() const {
  const std::size_t ahead = std::min(proposals_.size(), std::max<std::size_t>(1, ahead_));
  std::vector<Configuration> expected;
  expected.reserve(in_flight_.size() + ahead);
  for (const Evaluation& each : in_flight_) expected.push_back(each.configuration);
  expected.insert(expected.end(), proposals_.begin(), proposals_.begin() + static_cast<std::ptrdiff_t>(ahead));
  expected.insert(expected.end(), prospects_.begin(), prospects_.end());
  return expected;
}

Result<void> Search::tell(Observation observation, Nanoseconds now, std::size_t device) {
  return add(trial_of(*take_in_flight(device), std::move(observation), device), device, now);
}

Result<void> Search::fail(const Error& error, Nanoseconds now, std::size_t device) {
  std::optional<Configuration> configuration = take_in_flight(device);
  const auto is_left = [](const DeviceShare& each) { return !each.lost; };
  const bool lost = error.code() == ErrorCode::device_lost;
  std::vector<DeviceShare>& devices = tally_->result.devices;
  if (lost) devices[device].lost = error;
  if (lost && std::ranges::any_of(devices, is_left))
    observer_.on_device_lost(devices[device].device, error);
  else if (!error_)
    error_ = error;
  if (!lost || !configuration) return {};
  return add(trial_of(*std::move(configuration), lost_with(devices[device]), device), device, now);
}

std::optional<Configuration> Search::take_in_flight(std::size_t device) {
  const auto found = std::ranges::find(in_flight_, device, &Evaluation::device);
  if (found == in_flight_.end()) return std::nullopt;
  Configuration configuration = std::move(found->configuration);
  in_flight_.erase(found);
  return configuration;
}

Trial Search::trial_of(Configuration configuration, Observation observation, std::size_t device) const {
  return {.configuration = std::move(configuration),
          .observation = std::move(observation),
          .finished_at = std::chrono::system_clock::now(),
          .device = several() ? so_far().devices[device].device : std::string()};
}

Result<void> Search::add(const Trial& trial, std::size_t device, Nanoseconds now) {
  WATTUNE_TRY(write(trial));
  if (trial.observation.status != Status::constraints) ++tally_->result.devices[device].evaluated;
  const bool improved = tally_->add(trial, false);
  strategy_.tell(trial.configuration.id(), trial.observation);
  tally_->progress.elapsed = now - started_;
  const TuningResult& result = so_far();
  observer_.on_trial({trial, progress(), result.best ? &*result.best : nullptr, improved, result.pipeline});
  return {};
}

// Writes the Trial to the sink. If that fails, the search ends.
Result<void> Search::write(const Trial& trial) {
  Result<void> written = sink_.add(trial);
  if (!written) error_ = written.error();
  return written;
}

void Search::note(std::size_t device, const Pipeline& pipeline) { tally_->note(device, pipeline); }

std::vector<Configuration> Search::next_contest(const IntervalOf& interval, Nanoseconds turn_overhead) {
  if (error_) return {};
  const std::vector<Trial>& contestants = final_->contestants();
  const bool called = final_->call(interval, turn_overhead, options_.cancelled());
  if (called && contestants.size() > 1) observer_.on_final(contestants.size());
  std::vector<Configuration> configurations;
  for (const Trial& each : contestants) configurations.push_back(each.configuration);
  return configurations;
}

Result<void> Search::tell(Contest contest, std::size_t device) {
  if (contest.observations.empty()) {
    final_->give_up();
    if (options_.cancelled())
      tally_->result.stop_reason = cancelled();
    else if (options_.stop.time && tally_->result.stop_reason)
      tally_->result.stop_reason->text += ", which left no time to compare the best in turns";
    return {};
  }
  Final final{.trials = {}, .rounds = std::move(contest.rounds)};
  for (std::size_t i = 0; i < contest.observations.size(); ++i) {
    const Trial& searched = final_->contestants()[i];
    Trial& trial =
        final.trials.emplace_back(trial_of(searched.configuration, std::move(contest.observations[i]), device));
    trial.finished_at = final.trials.front().finished_at;  // by this time, readers recognise the Trials of one final
    if (trial.observation.ok()) trial.observation.in_search = searched.observation.search_figures();
  }
  for (const Trial& trial : final.trials)
    if (trial.observation.ok()) tally_->contenders.measured_again(trial);
  final.longest_time = longest_time(final, tally_->contenders);
  final_->judge(final);
  for (const Trial& trial : final.trials) {
    WATTUNE_TRY(write(trial));
    tally_->add_of_final(trial);
  }
  return {};
}

const search::Progress& Search::progress() const { return tally_->progress; }

const TuningResult& Search::so_far() const { return tally_->result; }

Result<TuningResult> Search::result(Nanoseconds now) const {
  if (error_) return *error_;
  TuningResult result = so_far();
  result.elapsed = now - started_;
  return result;
}

}  // namespace wattune::tune
