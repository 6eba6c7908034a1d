#include "wattune/schedule/company.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "schedule/company_evaluator.h"
#include "tune/energy.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/registry.h"
#include "wattune/core/suggest.h"
#include "wattune/search/sequence.h"
#include "wattune/tune/describe_run.h"
#include "wattune/tune/plan.h"
#include "wattune/tune/tuner.h"

namespace wattune::schedule {

namespace {

constexpr std::string_view kWalk = "walk";
constexpr std::string_view kPaperWalk = "paper-walk";
constexpr std::string_view kWalkThen = "walk+";
constexpr std::uint64_t kFewAlone = 64;              // configurations of a member that are all tried alone
constexpr double kMostRepetitions = 1000.0;          // of one member in one run
constexpr double kPartnersRuns = 4.0;                // of the longest partner, while the timed member works
constexpr const char* kRepetitions = "repetitions";  // a part of the identity

Error refuse_company(std::string what) { return Error(ErrorCode::invalid_argument, std::move(what)); }

// Objectives and metrics of a spec are those of its kernel alone.
Result<void> adapt(CompanyMember& member, const DeviceInfo& device) {
  if (Result<void> used = use_language(member.spec, device.languages); !used)
    return std::move(used).error().with_context(member.name);
  const std::vector<LaunchStep> launches = launches_of(member.spec);
  if (launches.size() != 1 || !launches.front().repeat.text.empty() || !launches.front().group.empty())
    return refuse_company("a spec of several launches cannot run together with others").about(member.name);
  member.spec.objectives.clear();
  member.spec.metrics.clear();
  return {};
}

Result<DeviceInfo> choose_one(const KernelSpec& spec, const tune::SessionOptions& session) {
  WATTUNE_ASSIGN(const auto devices, tune::find_devices_for(spec, session.device, session.where));
  if (devices.size() > 1)
    return refuse_company(fmt::format("kernels run together on one device, these are {}", devices.size()))
        .about(session.device);
  return devices.front();
}

// In this process, since kernels run together in one context.
Result<std::unique_ptr<backend::Device>> open_together(const DeviceInfo& device) {
  if (device.backend == "cuda") return backend::open_cuda_in_primary_context(device.selector);
  if (device.backend == "opencl") return backend::open_device(device.selector);
  return Error(ErrorCode::unavailable, "kernels run together on CUDA and OpenCL devices only").about(device.selector);
}

Result<Soloist> open_soloist(const CompanySpace& space, std::size_t member, const std::string& device,
                             const tune::SessionOptions& session) {
  Soloist::Parts parts;
  WATTUNE_ASSIGN(parts.device, tune::open_device(device, session.where));
  parts.policy = session.policy(session.sampling);
  tune::EvaluatorOptions evaluation = session.evaluation;
  evaluation.observe.clear();
  evaluation.counters.clear();
  evaluation.reference_worker = session.where.worker;
  auto evaluator = tune::make_evaluator(space.member(member).spec, space.own_space(member), *parts.device,
                                        *parts.policy, evaluation);
  if (!evaluator) return std::move(evaluator).error().with_context(space.member(member).name);
  parts.evaluator = *std::move(evaluator);
  return Soloist(std::move(parts));
}

Result<std::vector<std::size_t>> places_of(const std::vector<std::string>& order, const CompanySpace& space) {
  std::vector<std::size_t> places;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < space.size(); ++k) names.push_back(space.member(k).name);
  for (const std::string& name : order.empty() ? names : order) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return refuse_company("no kernel of this name to launch").about(name).hint(suggest(name, names));
    places.push_back(static_cast<std::size_t>(found - names.begin()));
    if (std::ranges::count(places, places.back()) > 1) return refuse_company("it is launched twice").about(name);
  }
  if (places.size() < names.size())
    return refuse_company("the order of launches leaves out kernels").hint(fmt::format("{}", fmt::join(names, ",")));
  return places;
}

std::size_t rounded(double repetitions) {
  return static_cast<std::size_t>(std::round(std::clamp(repetitions, 1.0, kMostRepetitions)));
}

// So that all run about as long as the longest; or the first for as long as its partners run a few times.
std::vector<std::size_t> repetitions_for(const std::vector<Nanoseconds>& alone, bool partnered) {
  std::vector<std::size_t> repetitions(alone.size(), 1);
  if (partnered) {
    const Nanoseconds longest = *std::max_element(alone.begin() + 1, alone.end());
    repetitions.front() = rounded(std::ceil(kPartnersRuns * std::max(1.0, longest / alone.front())));
    return repetitions;
  }
  const Nanoseconds longest = *std::ranges::max_element(alone);
  for (std::size_t k = 0; k < alone.size(); ++k) repetitions[k] = rounded(longest / alone[k]);
  return repetitions;
}

// By the times of the default configurations alone.
Result<std::vector<std::size_t>> find_repetitions(const CompanySpace& space, std::vector<Soloist>& soloists,
                                                  const CompanyOptions& options) {
  if (!options.repetitions.empty()) return options.repetitions;
  if (!options.steady && !options.partnered) return std::vector<std::size_t>(space.size(), 1);
  std::vector<Nanoseconds> alone;
  for (std::size_t k = 0; k < space.size(); ++k) {
    const space::SearchSpace& own = space.own_space(k);
    WATTUNE_ASSIGN(const Observation* its, soloists[k].evaluate(own.configuration(own.default_configuration())));
    if (!its->ok())
      return Error(ErrorCode::unavailable, "its default configuration fails alone, whose time says how often it runs")
          .about(space.member(k).name)
          .hint(its->message);
    alone.push_back(its->statistics->median);
  }
  return repetitions_for(alone, options.partnered);
}

// The last step of a search: each member at its best alone, run together. What few configurations of a member are left
// is tried alone first.
class BestAlone final : public search::Strategy {
 public:
  BestAlone(const CompanySpace& space, CompanyEvaluator& evaluator)
      : Strategy(space.space(), {}), company_(space), evaluator_(evaluator) {}

 private:
  std::optional<ConfigurationId> do_propose() override {
    if (std::exchange(proposed_, true)) return std::nullopt;
    std::vector<ConfigurationId> best;
    for (std::size_t k = 0; k < company_.size(); ++k) {
      const std::optional<ConfigurationId> its = best_of(k);
      if (!its) return std::nullopt;
      best.push_back(*its);
    }
    const ConfigurationId together = company_.together(best);
    return visited(together) ? std::nullopt : std::optional(together);
  }

  void do_learn(ConfigurationId, std::optional<double>) override {}

  std::optional<ConfigurationId> best_of(std::size_t member) {
    const space::SearchSpace& own = company_.own_space(member);
    if (own.count() <= kFewAlone)
      for (auto id = own.next(0); id; id = own.next(*id + 1))
        if (!evaluator_.soloist(member).evaluate(own.configuration(*id))) return std::nullopt;  // its device is lost
    return evaluator_.soloist(member).best();
  }

  const CompanySpace& company_;
  CompanyEvaluator& evaluator_;
  bool proposed_ = false;
};

}  // namespace

struct CompanySession::Parts {
  CompanyOptions options;
  CompanySpace space;
  DeviceInfo info;
  CompanyPlan plan = {};
  Identity measuring = {};
  std::unique_ptr<backend::Device> device = {};
  std::unique_ptr<CompanyEvaluator> evaluator = {};
  search::StopRule stop = {};
  std::unique_ptr<search::Strategy> strategy = {};
};

namespace {

using Parts = CompanySession::Parts;

// Longer than anything that is waited for, as for one kernel.
power::BorrowOptions borrowing(const tune::EvaluatorOptions& evaluation) {
  constexpr Nanoseconds kReferences = nanoseconds_from_seconds(660);
  return {.take_over = evaluation.take_over,
          .lease = kReferences + 2.0 * (evaluation.limits.compile + evaluation.limits.run)};
}

Result<void> open_evaluator(Parts& parts) {
  const tune::SessionOptions& session = parts.options.session;
  CompanySetUp set_up{.limits = {session.evaluation.limits.compile, session.evaluation.limits.run},
                      .policy = session.policy(session.sampling),
                      .energy_window = session.evaluation.energy_window};
  if (parts.options.goal == CompanyGoal::energy) {
    const tune::OpenRecorder open =
        session.evaluation.open_recorder ? session.evaluation.open_recorder : tune::open_board_recorder;
    WATTUNE_ASSIGN(set_up.recorder, open(parts.info));
  }
  WATTUNE_ASSIGN(parts.plan.order, places_of(parts.options.order, parts.space));
  std::vector<Soloist> soloists;
  for (std::size_t k = 0; k < parts.space.size(); ++k) {
    WATTUNE_ASSIGN(Soloist soloist, open_soloist(parts.space, k, parts.info.selector, session));
    soloists.push_back(std::move(soloist));
  }
  WATTUNE_ASSIGN(parts.plan.repetitions, find_repetitions(parts.space, soloists, parts.options));
  if (parts.options.partnered) parts.plan.timed = 0;
  WATTUNE_ASSIGN(parts.device, open_together(parts.info));
  WATTUNE_ASSIGN(set_up.clocks,
                 tune::BoardClocks::open(parts.space.board_parameters(), *parts.device, borrowing(session.evaluation)));
  set_up.plan = parts.plan;
  parts.evaluator =
      std::make_unique<CompanyEvaluator>(parts.space, *parts.device, std::move(soloists), std::move(set_up));
  return {};
}

std::unique_ptr<search::Strategy> make_walk(const Parts& parts, bool as_printed) {
  return search::make_company_walk(parts.space.space(), parts.space.walk_kernels(parts.info.architecture),
                                   {.rule = as_printed ? search::CompanyRule::from_first : search::CompanyRule::two_way,
                                    .indifference = as_printed ? 0.0 : parts.options.indifference,
                                    .start = parts.space.space().default_configuration()});
}

// A search without an end of its own has the stop rule that one kernel would have.
Result<std::unique_ptr<search::Strategy>> make_search(Parts& parts, const std::string& name) {
  const search::StrategyOptions options{.seed = parts.options.session.seed,
                                        .start = parts.space.space().default_configuration(),
                                        .objectives = {},
                                        .prior = {},
                                        .parameters = parts.options.session.strategy_parameters};
  const tune::Plan plan = tune::make_plan(KernelSpec(), parts.space.space(), name, parts.stop);
  parts.stop = plan.stop;
  if (name.empty()) parts.options.strategy = plan.strategy;
  return search::make_strategy(plan.strategy, parts.space.space(), options);
}

Result<void> make_company_strategy(Parts& parts) {
  const std::string& name = parts.options.strategy;
  parts.stop = parts.options.session.stop;
  std::unique_ptr<search::Strategy> main;
  if (name == kWalk || name == kPaperWalk) {
    main = make_walk(parts, name == kPaperWalk);
  } else if (name.starts_with(kWalkThen)) {
    WATTUNE_ASSIGN(auto then, make_search(parts, name.substr(kWalkThen.size())));
    main = search::make_sequence(parts.space.space(), make_walk(parts, false), std::move(then));
  } else {
    WATTUNE_ASSIGN(main, make_search(parts, name));
  }
  parts.strategy = search::make_sequence(parts.space.space(), std::move(main),
                                         std::make_unique<BestAlone>(parts.space, *parts.evaluator));
  return {};
}

// What an earlier run has checked and timed alone.
void recall_alone(Parts& parts, const std::vector<Trial>& resumed) {
  for (const Trial* const trial : counting(resumed)) {
    if (!trial->observation.ok()) continue;
    for (std::size_t k = 0; k < parts.space.size(); ++k) {
      const auto alone =
          std::ranges::find(trial->observation.metrics, alone_metric(parts.space.member(k).name), &Metric::name);
      if (alone != trial->observation.metrics.end())
        parts.evaluator->soloist(k).know(parts.space.own(k, trial->configuration).id(),
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
    its.beside = time_of_metric(best.observation, time_metric(name));
    its.alone = time_of_metric(best.observation, alone_metric(name));
    const std::optional<ConfigurationId> id = parts.evaluator->soloist(k).best();
    if (!id) continue;
    its.best_alone = parts.space.own_space(k).configuration(*id);
    its.best_alone_time = parts.evaluator->soloist(k).known().at(*id).statistics->median;
  }
  return results;
}

// The best in turns with each at its best alone. None: some member was not right alone, or it was cancelled.
Result<std::optional<AgainstChoice>> against_best_alone(Parts& parts, const CompanyReport& report,
                                                        const measure::ShootOutOptions& turns) {
  std::vector<ConfigurationId> ids;
  for (const MemberResult& member : report.members) {
    if (!member.best_alone) return std::optional<AgainstChoice>();
    ids.push_back(member.best_alone->id());
  }
  const Trial& best = *report.tuning.best;
  const ConfigurationId together = parts.space.together(ids);
  AgainstChoice choice{parts.space.space().configuration(together), best.observation, {}};
  if (together == best.configuration.id()) return std::optional(std::move(choice));
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
  info.identity[kRepetitions] = joined(parts.plan.repetitions);
  info.identity["what is timed"] = parts.plan.timed ? parts.space.member(*parts.plan.timed).name + " beside the others"
                                                    : "all, from the first launch to the last end";
}

}  // namespace

CompanySession::CompanySession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

CompanySession::~CompanySession() = default;

Result<std::unique_ptr<CompanySession>> CompanySession::open(std::vector<CompanyMember> members,
                                                             const CompanyOptions& options) {
  if (members.size() < 2) return refuse_company("two kernels are needed to run together");
  if (options.partnered && options.goal == CompanyGoal::energy)
    return refuse_company("beside a partner it is the kernel's time that counts, since the board's energy is of both");
  WATTUNE_ASSIGN(DeviceInfo device, choose_one(members.front().spec, options.session));
  for (CompanyMember& member : members) WATTUNE_TRY(adapt(member, device));
  WATTUNE_ASSIGN(CompanySpace space, CompanySpace::build(std::move(members)));
  auto parts = std::make_unique<Parts>(Parts{options, std::move(space), std::move(device)});
  parts->measuring =
      tune::measuring_identity(options.session.evaluation, *options.session.policy(options.session.sampling));
  WATTUNE_TRY(open_evaluator(*parts));
  WATTUNE_TRY(make_company_strategy(*parts));
  return std::make_unique<CompanySession>(std::move(parts));
}

const CompanySpace& CompanySession::space() const { return parts_->space; }

const DeviceInfo& CompanySession::device() const { return parts_->info; }

const search::StopRule& CompanySession::stop() const { return parts_->stop; }

const std::string& CompanySession::strategy() const { return parts_->options.strategy; }

std::string CompanySession::remark() const { return parts_->strategy->remark(); }

const std::vector<std::size_t>& CompanySession::repetitions() const { return parts_->plan.repetitions; }

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
                                          const std::vector<Trial>& resumed, const std::atomic<bool>* cancel) {
  recall_alone(*parts_, resumed);
  tune::TuningOptions tuning{.stop = parts_->stop, .cancel = cancel, .shoot_out = parts_->options.session.shoot_out};
  tuning.shoot_out.warm_up = parts_->options.session.sampling.warm_up;
  CompanyReport report;
  WATTUNE_ASSIGN(report.tuning, tune::tune(parts_->space.space(), *parts_->strategy, *parts_->evaluator, sink, observer,
                                           resumed, tuning));
  if (!report.tuning.best) return report;
  report.members = results_of_members(*parts_, *report.tuning.best);
  tuning.shoot_out.cancel = cancel;
  WATTUNE_ASSIGN(report.tuned_alone, against_best_alone(*parts_, report, tuning.shoot_out));
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
    at = std::min(end, next + 2);  // behind the comma and the blank
  }
  return numbers;
}

}  // namespace wattune::schedule
