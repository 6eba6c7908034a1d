#include "cli/corun_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "cli/corun_objective.h"
#include "cli/text.h"
#include "core/median.h"
#include "store/files.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::cli {

namespace {

// A policy with the objective that it runs for.
struct Entrant {
  std::string label;
  std::string policy;
  schedule::Objective objective;
  bool sets_clocks = false;

  schedule::QueueOptions options(const std::atomic<bool>* cancel = nullptr) const {
    return {.policy = policy, .policy_options = {.objective = objective}, .cancel = cancel};
  }
};

// Adds entrants for a policy that heeds the objective. An entrant that may set clocks also runs at the board's own,
// unless limits might forbid that.
void add_entrants(const std::string& policy, const schedule::Objective& objective, bool sets_clocks,
                  std::vector<Entrant>& entrants) {
  const std::string label =
      fmt::format("{}, {}{}", policy, to_string(objective.goal), objective.has_limits() ? " within limits" : "");
  if (!sets_clocks || !objective.has_limits()) entrants.push_back({label, policy, objective});
  if (sets_clocks) entrants.push_back({label + " at the best clocks", policy, objective, true});
}

// Returns the entrants. A policy that runs for another objective also runs for throughput, for comparison. Measured
// queues have a control.
std::vector<Entrant> entrants_of(const CorunStage& stage, const QueueWishes& wishes) {
  const bool sets_clocks = !stage.clocks().empty();
  std::vector<Entrant> entrants;
  const auto add_missing = [&](const char* policy) {
    if (std::ranges::find(wishes.policies, policy) == wishes.policies.end()) entrants.push_back({policy, policy, {}});
  };
  add_missing(kQueueBase);
  if (!stage.is_simulated()) add_missing(kQueueControl);
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
      : stage_(stage),
        wishes_(wishes),
        entrants_(std::move(entrants)),
        runs_(entrants_.size()),
        traces_(entrants_.size()) {}

  Result<QueueReport> run() {
    WATTUNE_TRY(prepare());
    for (const Entrant& entrant : entrants_) WATTUNE_TRY(forecast(entrant));
    if (!stage_.is_simulated()) WATTUNE_TRY(warm_up());
    orders_ = schedule::balanced_orders(entrants_.size(), wishes_.repeats, wishes_.seed);
    for (std::vector<std::size_t>& order : orders_) {
      // The order does not matter in virtual time, where nothing drifts.
      if (stage_.is_simulated()) std::ranges::sort(order);
      for (std::size_t i = 0; i < order.size() && !is_over_; ++i) WATTUNE_TRY(run_measured(order[i]));
    }
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
    report_.in_turn = schedule::time_in_turn(*machine, arrivals_);
    if (!stage_.is_simulated()) WATTUNE_TRY(forecast_by_counts(*machine));
    return stage_.outputs().empty() ? Result<void>() : prepare_outputs(*machine);
  }

  Result<void> prepare_outputs(schedule::Machine& machine) {
    report_.outputs.emplace();
    for (schedule::KernelId kernel = 0; kernel < report_.kernels.size(); ++kernel)
      works_of_.push_back(static_cast<std::size_t>(std::ranges::count(arrivals_, kernel, &schedule::Arrival::kernel)));
    stage_.make_copies(works_of_);
    for (schedule::KernelId kernel = 0; kernel < works_of_.size(); ++kernel) {
      schedule::KernelOutputs& outputs = stage_.outputs()[kernel];
      WATTUNE_TRY(outputs.restore());
      WATTUNE_TRY(schedule::run_alone(machine, kernel));
      WATTUNE_TRY(outputs.remember());
      for (schedule::KernelOutputs& copy : stage_.outputs_of_copies(kernel)) copy.remember_as(outputs);
    }
    return {};
  }

  // Runs each entrant once unmeasured. An entrant that is refused clocks runs in no round, nor do those behind it.
  Result<void> warm_up() {
    std::size_t ready = 0;
    for (; ready < entrants_.size() && !report_.refused; ++ready) WATTUNE_TRY(run_unmeasured(ready));
    if (report_.refused) entrants_.resize(ready - 1);
    return {};
  }

  // Forecasts pairs without pilots: the use of pipelines and memory is counted, the effect of residency measured.
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
    const std::size_t of_each = wishes_.repeats + (stage_.is_simulated() ? 1 : 2);
    if (!wishes_.on_progress || wishes_.on_progress(done_++, 1 + entrants_.size() * of_each)) return {};
    return Error(ErrorCode::cancelled, "the queues were ended by their user");
  }

  Result<void> forecast(const Entrant& entrant) {
    WATTUNE_TRY(go_on());
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    WATTUNE_ASSIGN(schedule::QueueOptions options, options_of(entrant));
    options.knowledge = stage_.is_simulated() ? schedule::Knowledge::predicted : schedule::Knowledge::measured;
    WATTUNE_ASSIGN(schedule::PairTable table, schedule::forecast_all(*machine, options, stage_.sm()));
    // Power of pairs is measured on devices at the board's own clocks only. A simulated board draws the forecast power.
    if (entrant.objective.needs_power() && !stage_.is_simulated() && !entrant.sets_clocks)
      WATTUNE_TRY(stage_.measure_pair_power(*machine, wishes_.energy_window, entrant.objective, table, wishes_.cancel));
    // The forecast before this one is of the same policy without limits.
    if (entrant.objective.has_limits() && !entrant.sets_clocks)
      WATTUNE_TRY(check_pairs(entrant.objective, table, forecasts_.back(), report_.kernels));
    forecasts_.push_back(std::move(table));
    return {};
  }

  // Runs a queue; nullopt if clocks were refused. A device keeps its machine from run to run, so that streams are made
  // once.
  Result<std::optional<schedule::QueueRun>> run_policy(std::size_t place, bool uses_copies, schedule::Trace* trace) {
    WATTUNE_TRY(go_on());
    if (stage_.is_simulated()) machine_.reset();
    if (machine_ == nullptr) {
      WATTUNE_ASSIGN(machine_, stage_.machine());
    }
    WATTUNE_ASSIGN(schedule::QueueOptions options, options_of(entrants_[place]));
    options.uses_copies = uses_copies;
    WATTUNE_ASSIGN(schedule::QueueRun run,
                   schedule::run_queue(*machine_, arrivals_, options, forecasts_[place], trace));
    // Clocks that were not restored are tried again, and a failure is reported.
    if (options.scheduler.clocks != nullptr) WATTUNE_TRY(options.scheduler.clocks->restore());
    if (!run.refusal) return std::optional(std::move(run));
    report_.refused = RefusedRun{entrants_[place].label, run.ended, *run.refusal};
    return std::optional<schedule::QueueRun>();
  }

  Result<void> run_unmeasured(std::size_t place) {
    for (schedule::KernelId kernel = 0; kernel < stage_.outputs().size(); ++kernel) {
      WATTUNE_TRY(stage_.outputs()[kernel].restore());
      for (schedule::KernelOutputs& copy : stage_.outputs_of_copies(kernel)) WATTUNE_TRY(copy.restore());
    }
    WATTUNE_ASSIGN(const auto run, run_policy(place, true, nullptr));
    if (!run || !report_.outputs) return {};
    report_.outputs->works = 0;
    report_.outputs->partly.clear();
    for (schedule::KernelId kernel = 0; kernel < works_of_.size(); ++kernel)
      WATTUNE_TRY(compare_works(kernel, entrants_[place].label));
    return {};
  }

  // Compares the outputs of the copies with those of the run alone. If there are fewer copies than works, each copy
  // holds the output of its last work. A kernel that overwrites its inputs is compared only on copies that it ran on
  // once.
  Result<void> compare_works(schedule::KernelId kernel, const std::string& policy) {
    const std::size_t works = works_of_[kernel];
    const auto copies = stage_.outputs_of_copies(kernel);
    const bool has_copies = !copies.empty();
    const std::span<schedule::KernelOutputs> outputs = has_copies ? copies : stage_.outputs().subspan(kernel, 1);
    const bool is_overwritten = !stage_.outputs()[kernel].overwritten().empty();
    std::size_t compared = 0;
    for (std::size_t i = 0; i < std::min(works, outputs.size()) && stage_.outputs()[kernel].are_compared(); ++i) {
      const std::size_t last = i + (works - 1 - i) / outputs.size() * outputs.size();  // of those on this copy
      if (is_overwritten && last != i) continue;
      ++compared;
      WATTUNE_ASSIGN(const auto difference, outputs[i].difference());
      if (difference)
        report_.outputs->differences.push_back(
            fmt::format("{}, work {} of {}: {}", policy, last + 1, report_.kernels[kernel].name, *difference));
    }
    report_.outputs->works += compared;
    if (compared < works)
      report_.outputs->partly.push_back(
          fmt::format("{} of {} of {}", works - compared, counted(works, "work"), report_.kernels[kernel].name));
    return {};
  }

  Result<void> run_measured(std::size_t place) {
    for (schedule::KernelOutputs& outputs : stage_.outputs()) WATTUNE_TRY(outputs.restore());
    schedule::Trace trace;
    WATTUNE_ASSIGN(auto run, run_policy(place, false, wishes_.traced ? &trace : nullptr));
    is_over_ = !run;
    if (!run) return {};
    runs_[place].push_back(*std::move(run));
    traces_[place] = std::move(trace);
    return compare_outputs(entrants_[place].label);
  }

  // Returns the options of a run on the latest machine.
  Result<schedule::QueueOptions> options_of(const Entrant& entrant) {
    schedule::QueueOptions options = entrant.options(wishes_.cancel);
    if (!entrant.sets_clocks) return options;
    options.scheduler.clocks = stage_.clock_control();
    WATTUNE_ASSIGN(const backend::BoardSetting now, options.scheduler.clocks->current());
    options.board_limit = now.power_limit;
    return options;
  }

  // Compares the outputs of the last works of a counted run, for kernels that leave the same output however often they
  // run.
  Result<void> compare_outputs(const std::string& policy) {
    for (schedule::KernelId kernel = 0; kernel < works_of_.size(); ++kernel) {
      schedule::KernelOutputs& outputs = stage_.outputs()[kernel];
      if (works_of_[kernel] == 0 || !outputs.overwritten().empty()) continue;
      WATTUNE_ASSIGN(const auto difference, outputs.difference());
      if (difference)
        report_.outputs->differences.push_back(
            fmt::format("{}, the last work of {}: {}", policy, report_.kernels[kernel].name, *difference));
    }
    return {};
  }

  void summarise() {
    report_.rounds = {.times = {}, .orders = {}, .is_exact = stage_.is_simulated()};
    std::map<std::size_t, std::size_t> places;  // from entrants to places in report_.policies
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      if (runs_[i].empty()) continue;
      places[i] = report_.policies.size();
      add_policy(i);
    }
    if (report_.policies.empty()) return;
    std::size_t left = std::ranges::max(report_.rounds.times, {}, &std::vector<Nanoseconds>::size).size();
    for (std::vector<std::size_t> order : orders_) {
      if (left-- == 0) break;
      std::erase_if(order, [&](std::size_t i) { return !places.contains(i); });
      for (std::size_t& entrant : order) entrant = places[entrant];
      report_.rounds.orders.push_back(std::move(order));
    }
    compare_energy(stage_, report_);
    judge(stage_.is_simulated() ? std::nullopt : control_, report_);
    choose_trace(places);
  }

  void add_policy(std::size_t entrant) {
    std::vector<schedule::QueueRun>& runs = runs_[entrant];
    std::vector<Nanoseconds>& makespans = report_.rounds.times.emplace_back();
    std::vector<double> numbers;
    for (const schedule::QueueRun& run : runs) makespans.push_back(run.makespan);
    for (const schedule::QueueRun& run : runs) numbers.push_back(run.makespan.value());
    if (entrants_[entrant].label == kQueueControl) note_control(runs);
    std::ranges::sort(runs, {}, &schedule::QueueRun::makespan);
    report_.policies.push_back({.policy = entrants_[entrant].label,
                                .run = runs[(runs.size() - 1) / 2],
                                .makespan = Nanoseconds(median_of(numbers)),
                                .forecasts = forecasts_[entrant]});
  }

  void note_control(const std::vector<schedule::QueueRun>& runs) {
    std::vector<double> off;
    for (const schedule::QueueRun& run : runs) off.push_back((run.makespan - run.first_block) / report_.in_turn - 1.0);
    control_ = median_of(off);
  }

  // Takes the trace of the last round of the policy that is asked for.
  void choose_trace(const std::map<std::size_t, std::size_t>& places) {
    std::size_t wanted = 0;
    if (report_.verdict.standing) wanted = report_.verdict.standing->fastest;
    for (const auto& [entrant, place] : places)
      if (wishes_.trace_of.empty() ? place == wanted : entrants_[entrant].label == wishes_.trace_of)
        report_.trace = traces_[entrant].json();
  }

  CorunStage& stage_;
  const QueueWishes& wishes_;
  std::vector<Entrant> entrants_;
  std::vector<schedule::Arrival> arrivals_;
  std::vector<schedule::PairTable> forecasts_;
  std::unique_ptr<schedule::Machine> machine_;         // machine of the latest run
  std::vector<std::size_t> works_of_;                  // by kernel; empty if kernels have no outputs
  std::vector<std::vector<schedule::QueueRun>> runs_;  // counted runs, by entrant
  std::vector<schedule::Trace> traces_;                // trace of the last counted run, by entrant
  std::optional<double> control_;                      // deviation of the control
  QueueReport report_;
  std::vector<std::vector<std::size_t>> orders_;
  bool is_over_ = false;  // clocks were refused in a counted run
  std::size_t done_ = 0;
};

}  // namespace

Result<QueueReport> run_policies(CorunStage& stage, const QueueWishes& wishes) {
  std::vector<Entrant> entrants = entrants_of(stage, wishes);
  std::vector<std::string> labels;
  for (const Entrant& entrant : entrants) labels.push_back(entrant.label);
  if (!wishes.trace_of.empty() && std::ranges::find(labels, wishes.trace_of) == labels.end())
    return Error(ErrorCode::not_found, "--trace-of: no such policy runs here")
        .about(wishes.trace_of)
        .hint(fmt::format("one of: {}", fmt::join(labels, "; ")));
  return PolicyRunner(stage, wishes, std::move(entrants)).run();
}

}  // namespace wattune::cli
