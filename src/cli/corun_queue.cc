#include "cli/corun_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/corun_objective.h"
#include "store/files.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::cli {

namespace {

constexpr const char* kBase = "streams";  // what gains are over

// A policy for what it is asked to run.
struct Entrant {
  std::string label;
  std::string policy;
  schedule::Objective objective;
  bool sets_clocks = false;

  schedule::QueueOptions options(const std::atomic<bool>* cancel = nullptr) const {
    return {.policy = policy, .policy_options = {.objective = objective}, .cancel = cancel};
  }
};

// Of a policy that heeds it. Who may set clocks runs at the board's own as well, unless limits might forbid that.
void add_entrants(const std::string& policy, const schedule::Objective& objective, bool sets_clocks,
                  std::vector<Entrant>& entrants) {
  const std::string label =
      fmt::format("{}, {}{}", policy, to_string(objective.goal), objective.has_limits() ? " within limits" : "");
  if (!sets_clocks || !objective.has_limits()) entrants.push_back({label, policy, objective});
  if (sets_clocks) entrants.push_back({label + " at the best clocks", policy, objective, true});
}

// Who heeds another objective than throughput runs for throughput as well, to compare with.
std::vector<Entrant> entrants_of(const QueueWishes& wishes, bool sets_clocks) {
  std::vector<Entrant> entrants;
  if (std::ranges::find(wishes.policies, kBase) == wishes.policies.end()) entrants.push_back({kBase, kBase, {}});
  for (const std::string& policy : wishes.policies) {
    entrants.push_back({policy, policy, {}});
    if (wishes.objective != schedule::Objective{} && heeds_objective(policy))
      add_entrants(policy, wishes.objective, sets_clocks, entrants);
  }
  return entrants;
}

Result<std::vector<schedule::Arrival>> arrivals_of(const schedule::Machine& machine, const QueueWishes& wishes) {
  const schedule::ArrivalOptions options{.works = wishes.works, .load = wishes.load.value_or(1.0), .seed = wishes.seed};
  if (wishes.arrivals.empty())
    return wishes.load ? schedule::poisson_arrivals(machine, options) : schedule::backlog(machine, options);
  WATTUNE_ASSIGN(const std::string text, store::read_file(wishes.arrivals));
  return schedule::parse_arrivals(text, wishes.arrivals, machine);
}

std::string describe_arrivals(const QueueWishes& wishes) {
  if (!wishes.arrivals.empty()) return "as recorded in " + wishes.arrivals;
  return wishes.load ? fmt::format("at random at a load of {:g}", *wishes.load) : "all at once";
}

class PolicyRunner {
 public:
  PolicyRunner(CorunStage& stage, const QueueWishes& wishes, std::vector<Entrant> entrants)
      : stage_(stage), wishes_(wishes), entrants_(std::move(entrants)), runs_(entrants_.size()) {}

  Result<QueueReport> run() {
    WATTUNE_TRY(prepare());
    for (const Entrant& entrant : entrants_) WATTUNE_TRY(forecast(entrant));
    // Every other round backwards, so that what drifts meets all alike.
    for (std::size_t round = 0; round < wishes_.repeats; ++round)
      for (std::size_t i = 0; i < entrants_.size() && !report_.refused; ++i)
        WATTUNE_TRY(run_policy(round % 2 == 0 ? i : entrants_.size() - 1 - i));
    summarise();
    return std::move(report_);
  }

 private:
  Result<void> prepare() {
    WATTUNE_TRY(go_on());
    WATTUNE_TRY(stage_.profile(wishes_.repeats));
    if (wishes_.objective.needs_power()) WATTUNE_TRY(stage_.profile_power(wishes_.energy_window));
    if (!stage_.clocks().empty())
      WATTUNE_TRY(stage_.profile_at_clocks(wishes_.objective, wishes_.energy_window, wishes_.repeats));
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    for (const schedule::KernelTraits* kernel : schedule::kernels_of(*machine)) report_.kernels.push_back(*kernel);
    WATTUNE_TRY(stage_.clocks().empty() ? check_power_cap(wishes_.objective, report_.kernels)
                                        : check_best_clocks(wishes_.objective, report_.kernels));
    report_.clocks = stage_.clocks();
    report_.sms = machine->limits().sms;
    WATTUNE_ASSIGN(arrivals_, arrivals_of(*machine, wishes_));
    report_.works = arrivals_.size();
    report_.arrivals = describe_arrivals(wishes_);
    report_.objective = wishes_.objective;
    report_.has_outputs = !stage_.outputs().empty();
    if (!stage_.is_simulated()) WATTUNE_TRY(forecast_by_counts(*machine));
    for (schedule::KernelId kernel = 0; kernel < stage_.outputs().size(); ++kernel) {
      WATTUNE_TRY(stage_.outputs()[kernel].restore());
      WATTUNE_TRY(schedule::run_alone(*machine, kernel));
      WATTUNE_TRY(stage_.outputs()[kernel].remember());
    }
    return {};
  }

  // Counted use says what pipelines and memory are asked for, measured residency the rest.
  Result<void> forecast_by_counts(const schedule::Machine& machine) {
    report_.counted = schedule::PairTable(report_.sms);
    const schedule::Forecaster forecaster =
        schedule::better_of(schedule::residency_forecaster(machine.limits(), stage_.sm()),
                            schedule::split_forecaster(machine.limits(), stage_.sm()), {});
    const auto is_known = [&](schedule::KernelId kernel) {
      return !report_.kernels[kernel].use.empty() && !report_.kernels[kernel].rate_at_residency.empty();
    };
    for (schedule::KernelId i = 0; i < report_.kernels.size(); ++i)
      for (schedule::KernelId j = i + 1; j < report_.kernels.size(); ++j) {
        if (!is_known(i) || !is_known(j)) continue;
        WATTUNE_ASSIGN(const auto forecast, forecaster(report_.kernels[i], report_.kernels[j]));
        report_.counted.learn(i, j, forecast);
      }
    return {};
  }

  Result<void> go_on() {
    if (!wishes_.on_progress || wishes_.on_progress(done_++, 1 + entrants_.size() * (1 + wishes_.repeats))) return {};
    return Error(ErrorCode::cancelled, "the queues were ended by their user");
  }

  Result<void> forecast(const Entrant& entrant) {
    WATTUNE_TRY(go_on());
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    WATTUNE_ASSIGN(schedule::QueueOptions options, options_of(entrant));
    options.knowledge = stage_.is_simulated() ? schedule::Knowledge::predicted : schedule::Knowledge::measured;
    WATTUNE_ASSIGN(schedule::PairTable table, schedule::forecast_all(*machine, options, stage_.sm()));
    // A simulated board draws what is forecast, and at other clocks than the board's own nothing is measured of pairs.
    if (entrant.objective.needs_power() && !stage_.is_simulated() && !entrant.sets_clocks)
      WATTUNE_TRY(stage_.measure_pair_power(*machine, wishes_.energy_window, entrant.objective, table, wishes_.cancel));
    // The one before it runs the same policy without limits.
    if (entrant.objective.has_limits() && !entrant.sets_clocks)
      WATTUNE_TRY(check_pairs(entrant.objective, table, forecasts_.back(), report_.kernels));
    forecasts_.push_back(std::move(table));
    return {};
  }

  Result<void> run_policy(std::size_t place) {
    WATTUNE_TRY(go_on());
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    for (schedule::KernelOutputs& outputs : stage_.outputs()) WATTUNE_TRY(outputs.restore());
    schedule::Trace trace;
    const bool is_last = place + 1 == entrants_.size();
    WATTUNE_ASSIGN(const schedule::QueueOptions options, options_of(entrants_[place]));
    WATTUNE_ASSIGN(schedule::QueueRun run, schedule::run_queue(*machine, arrivals_, options, forecasts_[place],
                                                               wishes_.traced && is_last ? &trace : nullptr));
    // What was not given back is tried again, and told.
    if (options.scheduler.clocks != nullptr) WATTUNE_TRY(options.scheduler.clocks->restore());
    if (wishes_.traced && is_last) report_.trace = trace.json();
    if (run.refusal) {
      report_.refused = RefusedRun{entrants_[place].label, run.ended, *run.refusal};
      return {};
    }
    runs_[place].push_back(std::move(run));
    return compare_outputs(entrants_[place].label);
  }

  // Of the latest machine.
  Result<schedule::QueueOptions> options_of(const Entrant& entrant) {
    schedule::QueueOptions options = entrant.options(wishes_.cancel);
    if (!entrant.sets_clocks) return options;
    options.scheduler.clocks = stage_.clock_control();
    WATTUNE_ASSIGN(const backend::BoardSetting now, options.scheduler.clocks->current());
    options.board_limit = now.power_limit;
    return options;
  }

  // Of kernels that leave the same however often they run.
  Result<void> compare_outputs(const std::string& policy) {
    for (schedule::KernelId kernel = 0; kernel < stage_.outputs().size(); ++kernel) {
      schedule::KernelOutputs& outputs = stage_.outputs()[kernel];
      const bool has_run = std::ranges::find(arrivals_, kernel, &schedule::Arrival::kernel) != arrivals_.end();
      if (!has_run || !outputs.overwritten().empty()) continue;
      WATTUNE_ASSIGN(const auto difference, outputs.difference());
      if (difference)
        report_.differences.push_back(fmt::format("{}, {}: {}", policy, report_.kernels[kernel].name, *difference));
    }
    return {};
  }

  void summarise() {
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      if (runs_[i].empty()) continue;
      std::ranges::sort(runs_[i], {}, &schedule::QueueRun::makespan);
      report_.policies.push_back({entrants_[i].label, runs_[i][runs_[i].size() / 2], forecasts_[i]});
    }
    compare_energy();
    const auto base = std::ranges::find(report_.policies, kBase, &PolicyRun::policy);
    if (base == report_.policies.end()) return;
    for (PolicyRun& policy : report_.policies) policy.gain = base->run.makespan / policy.run.makespan - 1.0;
  }

  std::optional<Joules> joules_of(const PolicyRun& policy) const {
    return known_energy(stage_, policy.run.energy, policy.run.makespan);
  }

  // What heeds no objective.
  static bool is_baseline(const PolicyRun& policy) {
    const auto& all = schedule::policies();
    const auto found = std::ranges::find(all, policy.policy, &schedule::PolicyTraits::name);
    return found != all.end() && !found->heeds_objective;
  }

  void compare_energy() {
    std::optional<Joules> of_fifo, fewest;
    for (const PolicyRun& policy : report_.policies) {
      const auto joules = joules_of(policy);
      if (!joules || !is_baseline(policy)) continue;
      if (policy.policy == "fifo") of_fifo = joules;
      if (!fewest || *joules < *fewest) fewest = joules;
    }
    for (PolicyRun& policy : report_.policies) {
      const auto joules = joules_of(policy);
      if (joules && of_fifo) policy.energy_over_fifo = *of_fifo / *joules - 1.0;
      if (joules && fewest) policy.energy_over_baseline = *fewest / *joules - 1.0;
    }
  }

  CorunStage& stage_;
  const QueueWishes& wishes_;
  std::vector<Entrant> entrants_;
  std::vector<schedule::Arrival> arrivals_;
  std::vector<schedule::PairTable> forecasts_;
  std::vector<std::vector<schedule::QueueRun>> runs_;
  QueueReport report_;
  std::size_t done_ = 0;
};

}  // namespace

Result<QueueReport> run_policies(CorunStage& stage, const QueueWishes& wishes) {
  return PolicyRunner(stage, wishes, entrants_of(wishes, !stage.clocks().empty())).run();
}

}  // namespace wattune::cli
