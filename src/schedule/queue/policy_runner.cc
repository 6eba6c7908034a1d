#include "schedule/queue/policy_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/interface/suggest.h"
#include "core/median.h"
#include "schedule/interface/kernel_use.h"
#include "schedule/interface/queue_experiment.h"
#include "schedule/queue/known_pairs.h"
#include "schedule/session/objective_checks.h"
#include "store/interface/files.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::inline v0_1::schedule {

namespace {

// A policy with the objective that it runs for.
struct Entrant {
  std::string label;
  std::string policy;
  Objective objective;
  bool sets_clocks = false;
  bool by_networks = false;

  QueueOptions options(const std::atomic<bool>* cancel = nullptr) const {
    return {.policy = policy, .policy_options = {.objective = objective}, .cancel = cancel};
  }
};

// Adds entrants for a policy that heeds the objective. A policy that may set clocks also gets an entrant at the board's
// own clocks, unless limits might forbid these.
void add_entrants(const std::string& policy, const Objective& objective, bool sets_clocks,
                  std::vector<Entrant>& entrants) {
  const std::string label =
      fmt::format("{}, {}{}", policy, to_string(objective.goal), objective.has_limits() ? " within limits" : "");
  if (!sets_clocks || !objective.has_limits()) entrants.push_back({label, policy, objective});
  if (sets_clocks) entrants.push_back({label + " at the best clocks", policy, objective, true});
}

// Returns the entrants. A policy that runs for another objective also runs for throughput, for comparison. A queue on a
// device also has the control policy, whose time is known beforehand.
std::vector<Entrant> entrants_of(const Stage& stage, const QueueRequest& request) {
  const bool by_networks = stage.networks() != nullptr;
  const bool sets_clocks = !stage.clocks().empty() && !by_networks;
  std::vector<Entrant> entrants;
  const auto add_missing = [&](const char* policy) {
    if (std::ranges::find(request.policies, policy) == request.policies.end()) entrants.push_back({policy, policy, {}});
  };
  add_missing(kQueueBase);
  if (!stage.is_simulated()) add_missing(kQueueControl);
  for (const std::string& policy : request.policies) {
    entrants.push_back({policy, policy, {}});
    if (request.objective != Objective{} && heeds_objective(policy))
      add_entrants(policy, request.objective, sets_clocks, entrants);
    if (by_networks && policy == kNetworkPolicy)
      entrants.push_back({fmt::format("{}, {} by networks", policy, to_string(request.objective.goal)), policy,
                          request.objective, !stage.clocks().empty(), true});
  }
  return entrants;
}

Result<std::vector<Arrival>> arrivals_of(const Machine& machine, const QueueRequest& request) {
  const ArrivalOptions options{.works = request.works, .load = request.load.value_or(1.0), .seed = request.seed};
  if (request.arrivals.empty()) return request.load ? poisson_arrivals(machine, options) : backlog(machine, options);
  WATTUNE_ASSIGN(const std::string text, store::read_file(request.arrivals));
  return parse_arrivals(text, request.arrivals, machine);
}

std::string works_text(std::size_t works) { return works == 1 ? "1 work" : fmt::format("{} works", works); }

std::string describe_arrivals(const QueueRequest& request) {
  if (!request.arrivals.empty()) return "as recorded in " + request.arrivals;
  return request.load ? fmt::format("at random at a load of {:g}", *request.load) : "all at once";
}

class PolicyRunner {
 public:
  PolicyRunner(Stage& stage, const QueueRequest& request, std::vector<Entrant> entrants)
      : stage_(stage),
        request_(request),
        entrants_(std::move(entrants)),
        runs_(entrants_.size()),
        traces_(entrants_.size()) {}

  Result<QueueReport> run() {
    WATTUNE_TRY(prepare());
    for (const Entrant& entrant : entrants_) WATTUNE_TRY(forecast(entrant));
    if (!stage_.is_simulated()) WATTUNE_TRY(warm_up());
    orders_ = balanced_orders(entrants_.size(), request_.repeats, request_.seed);
    for (std::vector<std::size_t>& order : orders_) {
      // In virtual time nothing drifts, so the order does not matter.
      if (stage_.is_simulated()) std::ranges::sort(order);
      for (std::size_t i = 0; i < order.size() && !is_over_; ++i) WATTUNE_TRY(run_measured(order[i]));
    }
    summarise();
    return std::move(report_);
  }

 private:
  Result<void> prepare() {
    WATTUNE_TRY(go_on());
    WATTUNE_TRY(stage_.profile(request_.repeats));
    if (stage_.networks() != nullptr) WATTUNE_TRY(stage_.ask_networks());
    if (request_.objective.needs_power()) WATTUNE_TRY(stage_.profile_power(request_.energy_window));
    if (!stage_.clocks().empty() && stage_.networks() == nullptr)
      WATTUNE_TRY(stage_.profile_at_clocks(request_.objective, request_.energy_window, request_.repeats));
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    for (const KernelTraits* kernel : kernels_of(*machine)) report_.kernels.push_back(*kernel);
    WATTUNE_TRY(stage_.clocks().empty() ? check_power_cap(request_.objective, report_.kernels)
                                        : check_best_clocks(request_.objective, report_.kernels));
    report_.clocks = stage_.clocks();
    report_.sms = machine->limits().sms;
    WATTUNE_ASSIGN(arrivals_, arrivals_of(*machine, request_));
    report_.works = arrivals_.size();
    report_.arrivals = describe_arrivals(request_);
    report_.objective = request_.objective;
    report_.in_turn = time_in_turn(*machine, arrivals_);
    if (!stage_.is_simulated()) WATTUNE_TRY(forecast_by_counts(*machine));
    return stage_.outputs().empty() ? Result<void>() : prepare_outputs(*machine);
  }

  Result<void> prepare_outputs(Machine& machine) {
    report_.outputs.emplace();
    for (KernelId kernel = 0; kernel < report_.kernels.size(); ++kernel)
      works_of_.push_back(static_cast<std::size_t>(std::ranges::count(arrivals_, kernel, &Arrival::kernel)));
    stage_.make_copies(works_of_);
    for (KernelId kernel = 0; kernel < works_of_.size(); ++kernel) {
      KernelOutputs& outputs = stage_.outputs()[kernel];
      WATTUNE_TRY(outputs.restore());
      WATTUNE_TRY(run_alone(machine, kernel));
      WATTUNE_TRY(outputs.remember());
      for (KernelOutputs& copy : stage_.outputs_of_copies(kernel)) copy.remember_as(outputs);
    }
    return {};
  }

  // Runs each entrant once unmeasured. If an entrant is refused its clocks, neither it nor the entrants behind it run
  // in any round.
  Result<void> warm_up() {
    std::size_t ready = 0;
    for (; ready < entrants_.size() && !report_.refused; ++ready) WATTUNE_TRY(run_unmeasured(ready));
    if (report_.refused) entrants_.resize(ready - 1);
    return {};
  }

  // Forecasts pairs without pilots: from the counted use of pipelines and memory, and the measured effect of residency.
  Result<void> forecast_by_counts(const Machine& machine) {
    report_.counted = PairTable(report_.sms);
    const Forecaster forecaster = better_of(residency_forecaster(machine.limits(), stage_.sm()),
                                            split_forecaster(machine.limits(), stage_.sm()), {});
    const auto is_known = [&](KernelId kernel) {
      return !known_use(report_.kernels[kernel]).empty() && !report_.kernels[kernel].rate_at_residency.empty();
    };
    for (KernelId i = 0; i < report_.kernels.size(); ++i)
      for (KernelId j = i + 1; j < report_.kernels.size(); ++j) {
        if (!is_known(i) || !is_known(j)) continue;
        WATTUNE_ASSIGN(const auto forecast, forecaster(report_.kernels[i], report_.kernels[j]));
        report_.counted.learn(i, j, forecast);
      }
    return {};
  }

  Result<void> go_on() {
    const std::size_t of_each = request_.repeats + (stage_.is_simulated() ? 1 : 2);
    if (!request_.on_progress || request_.on_progress(done_++, 1 + entrants_.size() * of_each)) return {};
    return Error(ErrorCode::cancelled, "the queues were ended by their user");
  }

  // True if measurements of pairs by earlier runs are useful for this entrant: it plans by pilots, and for throughput.
  bool uses_memory(const Entrant& entrant) const {
    const auto traits = std::ranges::find(policies(), entrant.policy, &PolicyTraits::name);
    return !stage_.is_simulated() && entrant.objective == Objective() && !entrant.sets_clocks &&
           traits->forecasts == ForecastKind::best_ratio && traits->form == Form::persistent;
  }

  std::vector<KernelId> kernels_with_works() const {
    std::set<KernelId> kernels;
    for (const Arrival& arrival : arrivals_) kernels.insert(arrival.kernel);
    return {kernels.begin(), kernels.end()};
  }

  // Adds to the table the remembered ways of pairs that have a proven way but had pilots nevertheless.
  void keep_proven(PairTable& table) const {
    for (KernelId i = 0; i < report_.kernels.size(); ++i)
      for (KernelId j = i + 1; j < report_.kernels.size(); ++j)
        if (const auto pair = stage_.remembered(i, j, report_.sms); pair && pair->proven && !table.proven(i, j))
          table.learn(i, j, completed(*pair, best_of({}, table.ways(i, j))));
  }

  Knowledge knowledge() const { return stage_.is_simulated() ? Knowledge::predicted : Knowledge::measured; }

  Result<void> forecast(const Entrant& entrant) {
    WATTUNE_TRY(go_on());
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    WATTUNE_ASSIGN(QueueOptions options, options_of(entrant));
    options.knowledge = knowledge();
    if (entrant.by_networks)
      options.forecaster = network_forecaster(*stage_.networks(), machine->limits(), stage_.clocks());
    options.kernels = kernels_with_works();
    PairTable known;
    if (uses_memory(entrant)) {
      WATTUNE_ASSIGN(known, known_pairs(stage_, report_.kernels, machine->limits()));
    }
    options.known = &known;
    WATTUNE_ASSIGN(PairTable table, schedule::forecast_all(*machine, options, stage_.sm()));
    if (uses_memory(entrant)) keep_proven(table);
    // Power of pairs is measured only on devices and at the board's own clocks. A simulated board draws the forecast
    // power.
    if (entrant.objective.needs_power() && !stage_.is_simulated() && !entrant.sets_clocks && !entrant.by_networks)
      WATTUNE_TRY(
          stage_.measure_pair_power(*machine, request_.energy_window, entrant.objective, table, request_.cancel));
    // The table before this one is for the same policy without limits.
    if (entrant.objective.has_limits() && !entrant.sets_clocks)
      WATTUNE_TRY(check_pairs(entrant.objective, table, forecasts_.back(), report_.kernels));
    forecasts_.push_back(std::move(table));
    return {};
  }

  // Runs a queue. Returns nullopt if clocks were refused. A device keeps its machine from run to run, so that streams
  // are made only once.
  Result<std::optional<QueueRun>> run_policy(std::size_t place, bool uses_copies, Trace* trace) {
    WATTUNE_TRY(go_on());
    if (stage_.is_simulated()) machine_.reset();
    if (machine_ == nullptr) {
      WATTUNE_ASSIGN(machine_, stage_.machine());
    }
    WATTUNE_ASSIGN(QueueOptions options, options_of(entrants_[place]));
    options.uses_copies = uses_copies;
    WATTUNE_ASSIGN(QueueRun run, schedule::run_queue(*machine_, arrivals_, options, forecasts_[place], trace));
    // If clocks could not be restored before, this is tried again, and a failure is reported.
    if (options.scheduler.clocks != nullptr) WATTUNE_TRY(options.scheduler.clocks->restore());
    if (!run.refusal) return std::optional(std::move(run));
    report_.refused = RefusedRun{entrants_[place].label, run.ended, *run.refusal};
    return std::optional<QueueRun>();
  }

  Result<void> run_unmeasured(std::size_t place) {
    for (KernelId kernel = 0; kernel < stage_.outputs().size(); ++kernel) {
      WATTUNE_TRY(stage_.outputs()[kernel].restore());
      for (KernelOutputs& copy : stage_.outputs_of_copies(kernel)) WATTUNE_TRY(copy.restore());
    }
    WATTUNE_ASSIGN(const auto run, run_policy(place, true, nullptr));
    if (!run || !report_.outputs) return {};
    report_.outputs->works = 0;
    report_.outputs->partly.clear();
    for (KernelId kernel = 0; kernel < works_of_.size(); ++kernel)
      WATTUNE_TRY(compare_works(kernel, entrants_[place].label));
    return {};
  }

  // Compares the outputs of the kernel's copies with those of the run alone. If there are fewer copies than works, each
  // copy holds the output of its last work. A kernel that overwrites its inputs is compared only on copies that it ran
  // on once.
  Result<void> compare_works(KernelId kernel, const std::string& policy) {
    const std::size_t works = works_of_[kernel];
    const auto copies = stage_.outputs_of_copies(kernel);
    const bool has_copies = !copies.empty();
    const std::span<KernelOutputs> outputs = has_copies ? copies : stage_.outputs().subspan(kernel, 1);
    const bool is_overwritten = !stage_.outputs()[kernel].overwritten().empty();
    std::size_t compared = 0;
    for (std::size_t i = 0; i < std::min(works, outputs.size()) && stage_.outputs()[kernel].are_compared(); ++i) {
      // The last work that ran on copy i.
      const std::size_t last = i + (works - 1 - i) / outputs.size() * outputs.size();
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
          fmt::format("{} of {} of {}", works - compared, works_text(works), report_.kernels[kernel].name));
    return {};
  }

  Result<void> run_measured(std::size_t place) {
    for (KernelOutputs& outputs : stage_.outputs()) WATTUNE_TRY(outputs.restore());
    Trace trace;
    WATTUNE_ASSIGN(auto run, run_policy(place, false, request_.traced ? &trace : nullptr));
    is_over_ = !run;
    if (!run) return {};
    runs_[place].push_back(*std::move(run));
    traces_[place] = std::move(trace);
    return compare_outputs(entrants_[place].label);
  }

  // Returns the options of a run on the latest machine.
  Result<QueueOptions> options_of(const Entrant& entrant) {
    QueueOptions options = entrant.options(request_.cancel);
    // Measured speeds do not correct the networks, because the networks' speeds are those at the highest clocks.
    if (entrant.by_networks) options.scheduler.correction_weight = 0.0;
    if (!entrant.sets_clocks) return options;
    options.scheduler.clocks = stage_.clock_control();
    WATTUNE_ASSIGN(const backend::BoardSetting now, options.scheduler.clocks->current());
    options.board_limit = now.power_limit;
    options.own_memory = stage_.own_memory_clock();
    return options;
  }

  // Compares the outputs of the last works of a counted run, for kernels that leave the same output however often they
  // run.
  Result<void> compare_outputs(const std::string& policy) {
    for (KernelId kernel = 0; kernel < works_of_.size(); ++kernel) {
      KernelOutputs& outputs = stage_.outputs()[kernel];
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
    std::map<std::size_t, std::size_t> places;  // place in report_.policies of each entrant
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
    std::vector<QueueRun>& runs = runs_[entrant];
    std::vector<Nanoseconds>& makespans = report_.rounds.times.emplace_back();
    std::vector<double> numbers;
    for (const QueueRun& run : runs) makespans.push_back(run.makespan);
    for (const QueueRun& run : runs) numbers.push_back(run.makespan.value());
    if (entrants_[entrant].label == kQueueControl) note_control(runs);
    std::ranges::sort(runs, {}, &QueueRun::makespan);
    report_.policies.push_back(
        {.policy = entrants_[entrant].label,
         .run = runs[(runs.size() - 1) / 2],
         .makespan = Nanoseconds(median_of(numbers)),
         .forecasts = forecasts_[entrant],
         .piloted = !entrants_[entrant].by_networks &&
                    has_pilots({.policy = entrants_[entrant].policy, .knowledge = knowledge()})});
    if (uses_memory(entrants_[entrant])) remember_pairs(report_.policies.back().run.pairs);
  }

  void remember_pairs(const PairTable& pairs) {
    for (KernelId i = 0; i < report_.kernels.size(); ++i)
      for (KernelId j = i + 1; j < report_.kernels.size(); ++j) stage_.remember(i, j, report_.sms, pairs.ways(i, j));
  }

  void note_control(const std::vector<QueueRun>& runs) {
    std::vector<double> off;
    for (const QueueRun& run : runs) off.push_back((run.makespan - run.first_block) / report_.in_turn - 1.0);
    control_ = median_of(off);
  }

  // Takes the trace of the last round of the requested policy.
  void choose_trace(const std::map<std::size_t, std::size_t>& places) {
    std::size_t wanted = 0;
    if (report_.verdict.standing) wanted = report_.verdict.standing->fastest;
    for (const auto& [entrant, place] : places)
      if (request_.trace_of.empty() ? place == wanted : entrants_[entrant].label == request_.trace_of)
        report_.trace = traces_[entrant].json();
  }

  Stage& stage_;
  const QueueRequest& request_;
  std::vector<Entrant> entrants_;
  std::vector<Arrival> arrivals_;
  std::vector<PairTable> forecasts_;
  std::unique_ptr<Machine> machine_;         // machine of the latest run
  std::vector<std::size_t> works_of_;        // number of works of each kernel; empty if kernels have no outputs
  std::vector<std::vector<QueueRun>> runs_;  // counted runs of each entrant
  std::vector<Trace> traces_;                // trace of the last counted run of each entrant
  std::optional<double> control_;            // deviation of the control
  QueueReport report_;
  std::vector<std::vector<std::size_t>> orders_;
  bool is_over_ = false;  // true if clocks were refused in a counted run
  std::size_t done_ = 0;
};

}  // namespace

Result<QueueReport> run_policies(Stage& stage, const QueueRequest& request) {
  std::vector<Entrant> entrants = entrants_of(stage, request);
  std::vector<std::string> labels;
  for (const Entrant& entrant : entrants) labels.push_back(entrant.label);
  if (!request.trace_of.empty() && std::ranges::find(labels, request.trace_of) == labels.end()) {
    const std::string nearest = suggest(request.trace_of, labels);
    return Error(ErrorCode::not_found, "none of the policies that run has this name")
        .about(request.trace_of)
        .hint(nearest.starts_with("did") ? nearest : fmt::format("one of: {}", fmt::join(labels, "; ")));
  }
  return PolicyRunner(stage, request, std::move(entrants)).run();
}

}  // namespace wattune::schedule
