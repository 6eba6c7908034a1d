#include "company/interface/company.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "company/company_parts.h"
#include "tune/interface/describe_run.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::company {

namespace {

constexpr const char* kRepetitions = "repetitions";  // name of a part of the identity

Error refuse_company(std::string what) { return Error(ErrorCode::invalid_argument, std::move(what)); }

using Parts = CompanySession::Parts;

// Tells the evaluator which configurations an earlier run has checked and timed alone.
void recall_alone(Parts& parts, const std::vector<Trial>& resumed) {
  for (const Trial* const trial : counting(resumed)) {
    if (!trial->observation.ok()) continue;
    for (std::size_t k = 0; k < parts.space.size(); ++k) {
      const auto alone =
          std::ranges::find(trial->observation.metrics, alone_metric(parts.space.member(k).name), &Metric::name);
      if (alone != trial->observation.metrics.end())
        parts.evaluator->know_alone(k, parts.space.own(k, trial->configuration).id(),
                                    nanoseconds_from_seconds(alone->value), trial->observation.verified);
    }
  }
}

Nanoseconds time_of_metric(const Observation& observation, const std::string& name) {
  const auto metric = std::ranges::find(observation.metrics, name, &Metric::name);
  return metric == observation.metrics.end() ? Nanoseconds() : nanoseconds_from_seconds(metric->value);
}

std::vector<MemberResult> results_of_members(Parts& parts, const Trial& best) {
  std::vector<MemberResult> results;
  for (std::size_t k = 0; k < parts.space.size(); ++k) {
    const std::string& name = parts.space.member(k).name;
    MemberResult& its = results.emplace_back();
    its.name = name;
    its.configuration = parts.space.own(k, best.configuration);
    its.resident_blocks = parts.space.resident_blocks(k, best.configuration);
    its.beside = time_of_metric(best.observation, time_metric(name));
    its.alone = time_of_metric(best.observation, alone_metric(name));
    const Soloist& soloist = parts.evaluator->soloists()[k];
    const std::optional<ConfigurationId> id = soloist.best();
    if (!id) continue;
    its.best_alone = parts.space.own_space(k).configuration(*id);
    its.best_alone_time = soloist.find(*id)->statistics->median;
  }
  return results;
}

// A sink that remembers the objective of each correct configuration and passes the trials on.
class Objectives final : public TrialSink {
 public:
  Objectives(TrialSink& sink, const std::vector<Trial>& resumed) : sink_(sink) {
    for (const Trial* const trial : counting(resumed)) keep(*trial);
  }

  Result<void> add(const Trial& trial) override {
    keep(trial);
    return sink_.add(trial);
  }
  // Returns the objective; nullopt if the configuration was not tried or is not correct.
  std::optional<double> find(ConfigurationId id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void keep(const Trial& trial) {
    const Observation& observation = trial.observation;
    if (observation.ok())
      known_[trial.configuration.id()] = observation.objective_value.value_or(observation.statistics->median.value());
  }

  TrialSink& sink_;
  std::map<ConfigurationId, double> known_;
};

// Returns the joint configuration in which the members have these configurations, at the best ratio of resident blocks
// that was tried. If no ratio was tried, the GPU places the blocks as usual.
AgainstChoice at_best_ratio(const Parts& parts, const std::vector<ConfigurationId>& own, const Objectives& objectives) {
  const std::vector<ConfigurationId> ratios = parts.space.ratios(parts.space.together(own));
  ConfigurationId best = ratios.front();
  std::size_t right = 0;
  for (const ConfigurationId id : ratios) {
    const std::optional<double> value = objectives.find(id);
    if (!value) continue;
    ++right;
    if (!objectives.find(best) || *value < *objectives.find(best)) best = id;
  }
  return {parts.space.space().configuration(best), right, {}, {}};
}

Nanoseconds one_after_the_other(const Parts& parts, const std::vector<MemberResult>& members) {
  Nanoseconds sum;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (!members[k].best_alone) return {};
    sum += static_cast<double>(parts.plan.repetitions[k]) * members[k].best_alone_time;
  }
  return sum;
}

// Compares the best joint configuration with the one in which each member has its best configuration alone, by running
// both in turns. Returns nullopt if the comparison was cancelled, or if a member has no correct configuration.
Result<std::optional<AgainstChoice>> against_best_alone(Parts& parts, const CompanyReport& report,
                                                        const Objectives& objectives,
                                                        const measure::ShootOutOptions& turns) {
  std::vector<ConfigurationId> ids;
  for (const MemberResult& member : report.members) {
    if (!member.best_alone) return std::optional<AgainstChoice>();
    ids.push_back(member.best_alone->id());
  }
  const Trial& best = *report.tuning.best;
  AgainstChoice choice = at_best_ratio(parts, ids, objectives);
  choice.observation = best.observation;
  if (choice.configuration.id() == best.configuration.id()) return std::optional(std::move(choice));
  WATTUNE_ASSIGN(tune::Contest contest,
                 parts.evaluator->hold_contest({best.configuration, choice.configuration}, turns));
  if (contest.observations.empty()) return std::optional<AgainstChoice>();
  choice.observation = std::move(contest.observations[1]);
  if (choice.observation.ok() && contest.observations[0].ok())
    choice.gain = measure::paired_gain(contest.rounds[0], contest.rounds[1]);
  return std::optional(std::move(choice));
}

std::string joined(const std::vector<std::size_t>& numbers) { return fmt::format("{}", fmt::join(numbers, ", ")); }

std::string names_in_order(const Parts& parts) {
  std::vector<std::string> names;
  for (const std::size_t member : parts.plan.order) names.push_back(parts.space.member(member).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void describe_company(const Parts& parts, RunInfo& info) {
  info.identity["launch order"] = names_in_order(parts);
  const bool once = std::ranges::all_of(parts.plan.repetitions, [](std::size_t times) { return times == 1; });
  info.identity["relaunch"] = parts.options.steady ? "until all have run as long" : once ? "once" : "as often as given";
  info.identity[kRepetitions] = joined(parts.plan.repetitions);
  info.identity["what is timed"] =
      parts.plan.timed ? "all launches of " + parts.space.member(*parts.plan.timed).name + ", beside the others"
                       : "all, from the first launch to the last end";
}

}  // namespace

CompanySession::CompanySession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

CompanySession::~CompanySession() = default;

Result<std::unique_ptr<CompanySession>> CompanySession::open(std::vector<CompanyMember> members,
                                                             const CompanyOptions& options) {
  if (members.size() < 2) return refuse_company("at least two kernels are needed to run together");
  if (options.partnered && options.goal == CompanyGoal::energy)
    return refuse_company(
        "beside a partner only time can be the objective, since the board's energy is that of both kernels");
  WATTUNE_ASSIGN(DeviceInfo device, choose_company_device(members.front().spec, options.session));
  for (CompanyMember& member : members) WATTUNE_TRY(adapt_to_company(member, device));
  WATTUNE_TRY(add_resident_blocks(members, device, options));
  WATTUNE_ASSIGN(CompanySpace space, CompanySpace::build(std::move(members), options.session.building));
  auto parts = std::make_unique<Parts>(Parts{options, std::move(space), std::move(device)});
  parts->measuring =
      tune::measuring_identity(options.session.evaluation, *options.session.policy(options.session.sampling));
  WATTUNE_TRY(open_company_evaluator(*parts));
  WATTUNE_TRY(make_company_strategy(*parts));
  return std::make_unique<CompanySession>(std::move(parts));
}

const CompanySpace& CompanySession::space() const { return parts_->space; }

const DeviceInfo& CompanySession::device() const { return parts_->info; }

const search::StopRule& CompanySession::stop() const { return parts_->stop; }

const std::string& CompanySession::strategy() const { return parts_->options.strategy; }

std::string CompanySession::remark() const { return parts_->strategy->remark(); }

const std::vector<std::size_t>& CompanySession::repetitions() const { return parts_->plan.repetitions; }

std::vector<tune::Verification> CompanySession::verifications() const {
  std::vector<tune::Verification> all;
  for (const Soloist& soloist : parts_->evaluator->soloists()) all.push_back(soloist.verification());
  return all;
}

RunInfo CompanySession::describe() const {
  const CompanySpace& space = parts_->space;
  RunInfo info = tune::describe_run(space.member(0).spec, space.space(), parts_->info, {});
  info.kernel_name.clear();
  info.problem_size.clear();
  info.constraints.clear();
  info.identity = parts_->measuring;
  for (std::size_t k = 0; k < space.size(); ++k) {
    const CompanyMember& member = space.member(k);
    const RunInfo own = tune::describe_run(member.spec, space.own_space(k), parts_->info, {});
    for (const auto& [part, value] : own.identity) info.identity[fmt::format("{} of {}", part, member.name)] = value;
    info.kernel_name += (k == 0 ? "" : "+") + member.name;
  }
  describe_company(*parts_, info);
  if (parts_->options.goal == CompanyGoal::energy) info.objectives = {{.metric = "energy"}};
  return info;
}

Result<CompanyReport> CompanySession::run(TrialSink& sink, tune::TuningObserver& observer,
                                          const std::vector<Trial>& resumed, const std::atomic<bool>* cancel,
                                          Nanoseconds spent) {
  recall_alone(*parts_, resumed);
  tune::TuningOptions tuning{
      .stop = parts_->stop, .cancel = cancel, .shoot_out = parts_->options.session.shoot_out, .spent = spent};
  tuning.shoot_out.warm_up = parts_->options.session.sampling.warm_up;
  CompanyReport report;
  Objectives objectives(sink, resumed);
  WATTUNE_ASSIGN(report.tuning, tune::tune(parts_->space.space(), *parts_->strategy, *parts_->evaluator, objectives,
                                           observer, resumed, tuning));
  if (!report.tuning.best) return report;
  report.members = results_of_members(*parts_, *report.tuning.best);
  if (!parts_->options.partnered) report.in_turn = one_after_the_other(*parts_, report.members);
  if (tuning.shoot_out.finalists == 0) return report;
  tuning.shoot_out.cancel = cancel;
  WATTUNE_ASSIGN(report.tuned_alone, against_best_alone(*parts_, report, objectives, tuning.shoot_out));
  return report;
}

std::vector<std::size_t> repetitions_of(const RunInfo& info) {
  const auto part = info.identity.find(kRepetitions);
  std::vector<std::size_t> numbers;
  if (part == info.identity.end()) return numbers;
  const char* at = part->second.data();
  const char* const end = at + part->second.size();
  while (at < end) {
    std::size_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    at = std::min(end, next + 2);  // after the comma and the blank
  }
  return numbers;
}

}  // namespace wattune::company
