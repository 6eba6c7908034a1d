#include "cli/corun_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/corun_objective.h"
#include "cli/corun_sweep.h"
#include "cli/text.h"
#include "report/text.h"
#include "store/files.h"
#include "wattune/report/policy_plot.h"
#include "wattune/schedule/forecast.h"
#include "wattune/simulate/ptx_profile.h"

namespace wattune::cli {

namespace {

constexpr const char* kBase = "streams";  // what gains are over

// A policy for what it is asked to run.
struct Entrant {
  std::string label;
  std::string policy;
  schedule::Objective objective;

  schedule::QueueOptions options(const std::atomic<bool>* cancel = nullptr) const {
    return {.policy = policy, .policy_options = {.objective = objective}, .cancel = cancel};
  }
};

// Who heeds another objective than throughput runs for throughput as well, to compare with.
std::vector<Entrant> entrants_of(const QueueWishes& wishes) {
  std::vector<Entrant> entrants;
  if (std::ranges::find(wishes.policies, kBase) == wishes.policies.end()) entrants.push_back({kBase, kBase, {}});
  for (const std::string& policy : wishes.policies) {
    entrants.push_back({policy, policy, {}});
    if (wishes.objective != schedule::Objective{} && heeds_objective(policy))
      entrants.push_back({fmt::format("{}, {}{}", policy, to_string(wishes.objective.goal),
                                      wishes.objective.has_limits() ? " within limits" : ""),
                          policy, wishes.objective});
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
      for (std::size_t i = 0; i < entrants_.size(); ++i)
        WATTUNE_TRY(run_policy(round % 2 == 0 ? i : entrants_.size() - 1 - i));
    summarise();
    return std::move(report_);
  }

 private:
  Result<void> prepare() {
    WATTUNE_TRY(go_on());
    WATTUNE_TRY(stage_.profile(wishes_.repeats));
    if (wishes_.objective.needs_power()) WATTUNE_TRY(stage_.profile_power());
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    for (const schedule::KernelTraits* kernel : schedule::kernels_of(*machine)) report_.kernels.push_back(*kernel);
    WATTUNE_TRY(check_power_cap(wishes_.objective, report_.kernels));
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
    schedule::QueueOptions options = entrant.options();
    options.knowledge = stage_.is_simulated() ? schedule::Knowledge::predicted : schedule::Knowledge::measured;
    WATTUNE_ASSIGN(schedule::PairTable table, schedule::forecast_all(*machine, options, stage_.sm()));
    // The one before it runs the same policy without limits.
    if (entrant.objective.has_limits())
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
    WATTUNE_ASSIGN(schedule::QueueRun run,
                   schedule::run_queue(*machine, arrivals_, entrants_[place].options(wishes_.cancel), forecasts_[place],
                                       wishes_.traced && is_last ? &trace : nullptr));
    if (wishes_.traced && is_last) report_.trace = trace.json();
    runs_[place].push_back(std::move(run));
    return compare_outputs(entrants_[place].label);
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
      std::ranges::sort(runs_[i], {}, &schedule::QueueRun::makespan);
      report_.policies.push_back({entrants_[i].label, runs_[i][runs_[i].size() / 2], forecasts_[i]});
    }
    const auto base = std::ranges::find(report_.policies, kBase, &PolicyRun::policy);
    for (PolicyRun& policy : report_.policies) policy.gain = base->run.makespan / policy.run.makespan - 1.0;
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

// A pair as a policy knows it.
struct KnownPair {
  const schedule::KernelTraits& first;
  const schedule::KernelTraits& second;
  schedule::PairForecast forecast;
  std::array<double, 2> correction;  // rates over those that were forecast
  std::optional<schedule::PairForecast> counted;
};

std::vector<KnownPair> known_pairs(const QueueReport& report, const PolicyRun& policy) {
  std::vector<KnownPair> pairs;
  for (schedule::KernelId i = 0; i < report.kernels.size(); ++i)
    for (schedule::KernelId j = i + 1; j < report.kernels.size(); ++j) {
      const auto before = policy.forecasts.find(i, j);
      const auto after = policy.run.pairs.find(i, j);
      if (!before || !after) continue;
      std::array<double, 2> correction = {1.0, 1.0};
      for (std::size_t k = 0; k < 2; ++k)
        if (before->rates[k] > 0.0) correction[k] = after->rates[k] / before->rates[k];
      pairs.push_back({report.kernels[i], report.kernels[j], *before, correction, report.counted.find(i, j)});
    }
  return pairs;
}

bool runs_together(const schedule::PairForecast& forecast) {
  return forecast.sms_of_first > 0 || forecast.ratio.first > 0;
}

std::string how_text(const schedule::PairForecast& forecast, unsigned sms) {
  if (!runs_together(forecast)) return "never together";
  if (forecast.sms_of_first > 0)
    return fmt::format("{}:{} SMs{}", forecast.sms_of_first, sms - forecast.sms_of_first,
                       forecast.whole ? ", whole" : "");
  return fmt::format("{}:{} blocks per SM", forecast.ratio.first, forecast.ratio.second);
}

// For one grid of the first and as much as the second does meanwhile.
Joules joules_of(const KnownPair& pair, Watts power) { return power * (pair.first.alone / pair.forecast.rates[0]); }

std::vector<std::string> energy_cells(const KnownPair& pair) {
  const schedule::PairForecast& forecast = pair.forecast;
  if (!forecast.watts.known() || !runs_together(forecast)) return {"-", "-", "-", "-"};
  return {fmt::format("{:.0f} W", forecast.power().value()), gain_text(forecast.energy_gain() - 1.0),
          gain_text(forecast.most_energy_gain() - 1.0),
          fmt::format("{:.3g}, {:.3g} J", joules_of(pair, forecast.power()).value(),
                      joules_of(pair, forecast.watts_in_turn()).value())};
}

std::string counted_text(const KnownPair& pair, unsigned sms) {
  if (!pair.counted) return "-";
  return fmt::format("{} at {}", gain_text(pair.counted->speedup() - 1.0), how_text(*pair.counted, sms));
}

std::string explanation(const QueueReport& report, const PolicyRun& policy) {
  const auto pairs = known_pairs(report, policy);
  if (pairs.empty()) return fmt::format("\n{}: plans by no forecast\n", policy.policy);
  using Align = report::TextTable::Align;
  report::TextTable table({{"pair", Align::left},
                           {"at", Align::left},
                           {"forecast gain"},
                           {"speeds beside each other"},
                           {"corrected by"},
                           {"by counts", Align::left},
                           {"power"},
                           {"work per joule"},
                           {"at most"},
                           {"joules, in turn"}});
  for (const KnownPair& pair : pairs) {
    std::vector<std::string> cells = {fmt::format("{} with {}", pair.first.name, pair.second.name),
                                      how_text(pair.forecast, report.sms),
                                      runs_together(pair.forecast) ? gain_text(pair.forecast.speedup() - 1.0) : "-",
                                      fmt::format("{:.2f}, {:.2f}", pair.forecast.rates[0], pair.forecast.rates[1]),
                                      fmt::format("{:.2f}, {:.2f}", pair.correction[0], pair.correction[1]),
                                      counted_text(pair, report.sms)};
    std::ranges::move(energy_cells(pair), std::back_inserter(cells));
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}\n{}", policy.policy, table.to_string());
}

std::string policies_text(const CorunStage& stage, const QueueReport& report) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"policy", Align::left},
                           {"makespan"},
                           {"over streams"},
                           {"mean response"},
                           {"99 % response"},
                           {"energy"},
                           {"launches"}});
  for (const PolicyRun& policy : report.policies) {
    const schedule::QueueRun& run = policy.run;
    table.add_row({policy.policy, format_time(run.makespan), gain_text(policy.gain), format_time(run.mean_response),
                   format_time(run.response_99), energy_text(known_energy(stage, run.energy, run.makespan)),
                   fmt::format("{}", run.launches)});
  }
  return table.to_string();
}

std::string verdict_text(const QueueReport& report) {
  if (!report.has_outputs) return "";
  if (report.differences.empty()) return "Outputs: under each policy the same as alone.\n";
  return fmt::format("OUTPUTS DIFFER from those of runs alone:\n  {}\n", fmt::join(report.differences, "\n  "));
}

Json pairs_json(const QueueReport& report, const PolicyRun& policy) {
  Json json = Json::array();
  for (const KnownPair& pair : known_pairs(report, policy)) {
    Json entry = {{"kernels", {pair.first.name, pair.second.name}},
                  {"ratio", nullptr},
                  {"sms_of_first", nullptr},
                  {"forecast_rates", pair.forecast.rates},
                  {"correction", pair.correction},
                  {"counted_rates", nullptr},
                  {"watts", nullptr},
                  {"energy_gain", nullptr},
                  {"most_energy_gain", nullptr}};
    if (pair.counted) entry["counted_rates"] = pair.counted->rates;
    if (pair.forecast.sms_of_first > 0)
      entry["sms_of_first"] = pair.forecast.sms_of_first;
    else if (runs_together(pair.forecast))
      entry["ratio"] = {pair.forecast.ratio.first, pair.forecast.ratio.second};
    if (pair.forecast.watts.known() && runs_together(pair.forecast)) {
      entry["watts"] = pair.forecast.power().value();
      entry["energy_gain"] = pair.forecast.energy_gain() - 1.0;
      entry["most_energy_gain"] = pair.forecast.most_energy_gain() - 1.0;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Json policy_json(const CorunStage& stage, const QueueReport& report, const PolicyRun& policy) {
  const schedule::QueueRun& run = policy.run;
  Json json = {{"policy", policy.policy},
               {"makespan_ms", to_ms(run.makespan)},
               {"gain_over_streams", policy.gain},
               {"mean_response_ms", to_ms(run.mean_response)},
               {"response_99_ms", to_ms(run.response_99)},
               {"slowdown", run.slowdown},
               {"joules", nullptr},
               {"launches", run.launches},
               {"pairs", pairs_json(report, policy)}};
  if (const auto energy = known_energy(stage, run.energy, run.makespan)) json["joules"] = energy->value();
  return json;
}

Json watts_json(Watts power) { return power > Watts(0) ? Json(power.value()) : Json(nullptr); }

Json use_json(const schedule::KernelTraits& kernel) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kernel.use.size(); ++i) json[std::string(simulate::name_of_resource(i))] = kernel.use[i];
  return json;
}

Json profile_json(const schedule::KernelTraits& kernel) {
  return {{"name", kernel.name},
          {"blocks", kernel.blocks},
          {"alone_ms", to_ms(kernel.alone)},
          {"persistent", kernel.persistent},
          {"sliceable", kernel.sliceable},
          {"use", use_json(kernel)},
          {"rate_at_residency", kernel.rate_at_residency},
          {"saturating_share", kernel.saturating_share},
          {"least_slice", kernel.least_slice},
          {"watts_alone", watts_json(kernel.power.alone)},
          {"watts_idle", watts_json(kernel.power.idle)}};
}

}  // namespace

Result<QueueReport> run_policies(CorunStage& stage, const QueueWishes& wishes) {
  return PolicyRunner(stage, wishes, entrants_of(wishes)).run();
}

std::string queue_text(const CorunStage& stage, const QueueReport& report, bool explain) {
  std::string text = fmt::format("{} of {} on {}{}, {}\n\n{}", counted(report.works, "work"),
                                 counted(report.kernels.size(), "kernel"), stage.is_simulated() ? "a simulated " : "",
                                 stage.device(), report.arrivals, policies_text(stage, report));
  if (report.objective != schedule::Objective{}) text = "For " + describe(report.objective) + ": " + text;
  if (explain)
    for (const PolicyRun& policy : report.policies) text += explanation(report, policy);
  return text + verdict_text(report);
}

Json queue_json(const CorunStage& stage, const QueueReport& report) {
  Json json = {{"works", report.works},    {"arrivals", report.arrivals}, {"objective", describe(report.objective)},
               {"kernels", Json::array()}, {"policies", Json::array()},   {"outputs", nullptr}};
  for (const schedule::KernelTraits& kernel : report.kernels) json["kernels"].push_back(profile_json(kernel));
  for (const PolicyRun& policy : report.policies) json["policies"].push_back(policy_json(stage, report, policy));
  if (report.has_outputs) json["outputs"] = {{"differences", report.differences}};
  return json;
}

std::string queue_svg(const CorunStage& stage, const QueueReport& report) {
  report::PolicyPlot plot{.title = fmt::format("{} on {}, {}", counted(report.works, "work"), stage.device(),
                                               stage.is_simulated() ? "simulated" : "measured"),
                          .policies = {}};
  for (const PolicyRun& policy : report.policies) {
    const auto energy = known_energy(stage, policy.run.energy, policy.run.makespan);
    plot.policies.push_back({policy.policy, static_cast<double>(report.works) / to_seconds(policy.run.makespan),
                             energy.value_or(Joules(0)).value()});
  }
  return report::plot_policies_svg(plot);
}

}  // namespace wattune::cli
