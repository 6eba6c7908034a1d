// Reports on queues that ran, for `wattune corun`: text, JSON and a plot.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/corun/corun_queue.h"
#include "cli/corun/corun_sweep.h"
#include "cli/program/text.h"
#include "report/interface/policy_plot.h"
#include "report/interface/text.h"
#include "schedule/interface/timing_class.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::cli {

namespace {

// A pair with the forecast that a policy has for it.
struct KnownPair {
  const schedule::KernelTraits& first;
  const schedule::KernelTraits& second;
  schedule::PairForecast forecast;
  std::array<double, 2> correction;  // measured rates divided by forecast rates
  std::optional<schedule::PairForecast> counted;
  schedule::PairForecast corrected;
  std::optional<schedule::PairPowers> powers;
};

std::vector<KnownPair> known_pairs(const schedule::QueueReport& report, const schedule::PolicyRun& policy) {
  std::vector<KnownPair> pairs;
  for (schedule::KernelId i = 0; i < report.kernels.size(); ++i)
    for (schedule::KernelId j = i + 1; j < report.kernels.size(); ++j) {
      const auto before = policy.forecasts.find(i, j);
      if (!before) continue;
      const auto after = policy.run.pairs.find(i, j, before->shape(), before->clocks);
      if (!after) continue;
      std::array<double, 2> correction = {1.0, 1.0};
      for (std::size_t k = 0; k < 2; ++k)
        if (before->rates[k] > 0.0) correction[k] = after->rates[k] / before->rates[k];
      pairs.push_back({report.kernels[i], report.kernels[j], *before, correction, report.counted.find(i, j), *after,
                       policy.run.pairs.powers(i, j)});
    }
  return pairs;
}

bool runs_together(const schedule::PairForecast& forecast) { return forecast.shape().is_together(); }

// Returns ", 836 MHz" or ", 836/324 MHz"; empty for the board's own clocks.
std::string clock_text(const std::optional<backend::BoardSetting>& clocks) {
  return clocks ? ", " + schedule::describe(*clocks) : "";
}

Json memory_json(const std::optional<backend::BoardSetting>& clocks) {
  return clocks && clocks->memory ? Json(clocks->memory->value()) : Json(nullptr);
}

Json clock_json(const std::optional<backend::BoardSetting>& clocks) {
  return clocks ? Json(clocks->graphics->value()) : Json(nullptr);
}

std::string how_text(const schedule::PairForecast& forecast, unsigned sms) {
  if (!runs_together(forecast)) return "never together";
  if (forecast.sms_of_first)
    return fmt::format("{}:{} SMs{}{}", *forecast.sms_of_first, sms - *forecast.sms_of_first,
                       forecast.whole ? ", whole" : "", clock_text(forecast.clocks));
  const std::string streams = forecast.many_streams ? "many streams" : "two streams";
  if (forecast.urgent)
    return fmt::format("{}priority for the {}{}", forecast.many_streams ? streams + ", " : "",
                       *forecast.urgent == 0 ? "first" : "second", clock_text(forecast.clocks));
  if (forecast.whole) return streams + clock_text(forecast.clocks);
  return fmt::format("{}:{} blocks per SM{}", forecast.ratio.first, forecast.ratio.second, clock_text(forecast.clocks));
}

// Returns the joules of one grid of the first kernel, including the joules of the second kernel's work in that time.
Joules joules_of(const KnownPair& pair, Watts power) { return power * (*pair.first.alone / pair.forecast.rates[0]); }

std::vector<std::string> energy_cells(const KnownPair& pair) {
  const schedule::PairForecast& forecast = pair.forecast;
  if (!forecast.watts || !runs_together(forecast)) return {"-", "-", "-", "-"};
  return {fmt::format("{:.0f} W", forecast.power().value()), gain_text(forecast.energy_gain() - 1.0),
          gain_text(forecast.most_energy_gain() - 1.0),
          fmt::format("{:.3g}, {:.3g} J", joules_of(pair, forecast.power()).value(),
                      joules_of(pair, forecast.watts_in_turn()).value())};
}

std::string counted_text(const KnownPair& pair, unsigned sms) {
  if (!pair.counted) return "-";
  return fmt::format("{} at {}", gain_text(pair.counted->speedup() - 1.0), how_text(*pair.counted, sms));
}

// Lists forecast and measured power of the pairs that ran together for long enough; empty if there are none.
std::string measured_powers_text(const schedule::QueueReport& report, const schedule::PolicyRun& policy) {
  using Align = report::TextTable::Align;
  report::TextTable table(
      {{"power of pairs", Align::left}, {"forecast"}, {"measured"}, {"work per joule, forecast"}, {"as measured"}});
  bool any = false;
  for (const KnownPair& pair : known_pairs(report, policy)) {
    if (!pair.powers) continue;
    any = true;
    table.add_row({fmt::format("{} with {}", pair.first.name, pair.second.name),
                   fmt::format("{:.0f} W", pair.powers->forecast.value()),
                   fmt::format("{:.0f} W", pair.powers->measured.value()), gain_text(pair.forecast.energy_gain() - 1.0),
                   gain_text(pair.corrected.energy_gain() - 1.0)});
  }
  return any ? "\n" + table.to_string() : "";
}

std::string explanation(const schedule::QueueReport& report, const schedule::PolicyRun& policy) {
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
  return fmt::format("\n{}\n{}{}", policy.policy, table.to_string(), measured_powers_text(report, policy));
}

// Returns the best clock, and the time, power and joules at it, of a kernel alone. Networks give only the clock.
std::vector<std::string> best_clock_cells(const schedule::KernelTraits& kernel) {
  const schedule::AtClock* const best = kernel.at(kernel.best_clocks);
  const std::string clock = kernel.best_clocks ? schedule::describe(*kernel.best_clocks) : "-";
  if (best == nullptr) return {clock, "-", "-", "-"};
  return {clock, format_time(best->alone), fmt::format("{:.0f} W", best->power.alone.value()),
          energy_text(best->energy())};
}

// Lists each kernel alone at its best clocks, beside its values at the board's own clocks.
std::string best_clocks_text(const schedule::QueueReport& report) {
  if (report.clocks.empty()) return "";
  using Align = report::TextTable::Align;
  report::TextTable table(
      {{"alone", Align::left}, {"best clock"}, {"time"}, {"power"}, {"joules"}, {"own: time"}, {"power"}, {"joules"}});
  for (const schedule::KernelTraits& kernel : report.kernels) {
    const Nanoseconds own_time = kernel.alone.value_or(Nanoseconds());
    const auto& power = kernel.power;
    std::vector<std::string> cells = best_clock_cells(kernel);
    cells.insert(cells.begin(), kernel.name);
    cells.insert(cells.end(), {format_time(own_time), power ? fmt::format("{:.0f} W", power->alone.value()) : "-",
                               energy_text(power ? std::optional(power->alone * own_time) : std::nullopt)});
    table.add_row(std::move(cells));
  }
  return "\n" + table.to_string();
}

std::string refused_text(const schedule::QueueReport& report) {
  if (!report.refused) return "";
  return fmt::format("{} ended after {} of {}.\n", report.refused->policy, report.refused->ended,
                     counted(report.works, "work"));
}

std::string policies_text(const schedule::CorunSession& session, const schedule::QueueReport& report) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"policy", Align::left},
                           {"makespan"},
                           {"over streams"},
                           {"mean response"},
                           {"99 % response"},
                           {"energy"},
                           {"work per joule over fifo"},
                           {"over the best baseline"},
                           {"launches"}});
  for (const schedule::PolicyRun& policy : report.policies) {
    const schedule::QueueRun& run = policy.run;
    table.add_row({policy.policy, format_time(policy.makespan), policy.gain ? gain_text(*policy.gain) : "-",
                   format_time(run.mean_response), format_time(run.response_99),
                   energy_text(session.known_energy(run.energy, run.makespan)),
                   policy.energy_over_fifo ? gain_text(*policy.energy_over_fifo) : "-",
                   policy.energy_over_baseline ? gain_text(*policy.energy_over_baseline) : "-",
                   fmt::format("{}", run.launches)});
  }
  return table.to_string();
}

// Lists the policies that planned only by forecasts, without pilots, on a real machine. Returns an empty text if there
// are none.
std::string unpiloted_text(const schedule::CorunSession& session, const schedule::QueueReport& report) {
  std::string text;
  for (const schedule::PolicyRun& policy : report.policies)
    if (!session.is_simulated() && !policy.piloted && !known_pairs(report, policy).empty())
      text += fmt::format("{} had no pilots: it plans by runs of each kernel alone.\n", policy.policy);
  return text;
}

std::string outputs_text(const schedule::QueueReport& report) {
  if (!report.outputs) return "";
  const schedule::ComparedOutputs& outputs = *report.outputs;
  if (!outputs.differences.empty())
    return fmt::format("OUTPUTS DIFFER from those of runs alone:\n  {}\n", fmt::join(outputs.differences, "\n  "));
  const std::string rest =
      outputs.partly.empty() ? "" : fmt::format(" Not compared: {}.", fmt::join(outputs.partly, "; "));
  if (outputs.works == 0) return fmt::format("Outputs:{}\n", rest);
  return fmt::format("Outputs: under each policy {} left the same as alone.{}\n", counted(outputs.works, "work"), rest);
}

Json shape_json(const schedule::PairForecast& forecast) {
  Json json = {{"way", std::string(to_string(arrangement_of(forecast.shape()).way))},
               {"ratio", nullptr},
               {"sms_of_first", nullptr},
               {"urgent", nullptr}};
  if (forecast.urgent) json["urgent"] = *forecast.urgent;
  if (forecast.many_streams) json["many_streams"] = true;
  if (forecast.sms_of_first)
    json["sms_of_first"] = *forecast.sms_of_first;
  else if (runs_together(forecast) && !forecast.whole)
    json["ratio"] = {forecast.ratio.first, forecast.ratio.second};
  return json;
}

Json pairs_json(const schedule::QueueReport& report, const schedule::PolicyRun& policy) {
  Json json = Json::array();
  for (const KnownPair& pair : known_pairs(report, policy)) {
    Json entry = {{"kernels", {pair.first.name, pair.second.name}},
                  {"clock_mhz", clock_json(pair.forecast.clocks)},
                  {"memory_clock_mhz", memory_json(pair.forecast.clocks)},
                  {"forecast_rates", pair.forecast.rates},
                  {"correction", pair.correction},
                  {"counted_rates", nullptr},
                  {"watts", nullptr},
                  {"energy_gain", nullptr},
                  {"most_energy_gain", nullptr},
                  {"power", nullptr}};
    if (pair.powers)
      entry["power"] = {{"watts_forecast", pair.powers->forecast.value()},
                        {"watts", pair.powers->measured.value()},
                        {"energy_gain", pair.corrected.energy_gain() - 1.0}};
    if (pair.counted) entry["counted_rates"] = pair.counted->rates;
    entry.update(shape_json(pair.forecast));
    if (pair.forecast.watts && runs_together(pair.forecast)) {
      entry["watts"] = pair.forecast.power().value();
      entry["energy_gain"] = pair.forecast.energy_gain() - 1.0;
      entry["most_energy_gain"] = pair.forecast.most_energy_gain() - 1.0;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Json policy_json(const schedule::CorunSession& session, const schedule::QueueReport& report, std::size_t place) {
  const schedule::PolicyRun& policy = report.policies[place];
  const schedule::QueueRun& run = policy.run;
  Json json = {{"policy", policy.policy},
               {"makespan_ms", to_ms(policy.makespan)},
               {"makespans_ms", times_json(report.rounds.times[place])},
               {"gain_over_streams", gain_json(policy.gain)},
               {"gain_interval", interval_json(policy.gain)},
               {"mean_response_ms", to_ms(run.mean_response)},
               {"response_99_ms", to_ms(run.response_99)},
               {"slowdown", run.slowdown},
               {"joules", nullptr},
               {"energy_gain_over_fifo", json_or_null(policy.energy_over_fifo)},
               {"energy_gain_over_baseline", json_or_null(policy.energy_over_baseline)},
               {"launches", run.launches},
               {"piloted", policy.piloted},
               {"pairs", pairs_json(report, policy)}};
  if (const auto energy = session.known_energy(run.energy, run.makespan)) json["joules"] = energy->value();
  return json;
}

Json watts_json(std::optional<Watts> power) { return power ? Json(power->value()) : Json(nullptr); }

// Returns the known shares of the resources by name. `use` is in the order of simulate::use_of().
template <typename Share>
Json use_json(const std::vector<Share>& use) {
  Json json = Json::object();
  for (std::size_t i = 0; i < use.size(); ++i)
    if (const std::optional<double> share = use[i]) json[std::string(simulate::name_of_resource(i))] = *share;
  return json;
}

Json clocks_json(const schedule::KernelTraits& kernel) {
  Json json = Json::array();
  for (const schedule::AtClock& point : kernel.at_clocks)
    json.push_back({{"clock_mhz", point.clock.value()},
                    {"memory_clock_mhz", memory_json(point.setting())},
                    {"alone_ms", to_ms(point.alone)},
                    {"watts_alone", watts_json(point.power.alone)},
                    {"watts_idle", watts_json(point.power.idle)},
                    {"estimated", point.is_estimated}});
  return json;
}

Json refused_json(const std::optional<schedule::RefusedRun>& refused) {
  if (!refused) return nullptr;
  return {{"policy", refused->policy}, {"ended", refused->ended}, {"error", refused->why.to_string()}};
}

// Returns the name of the class; null if it is unknown.
Json class_json(schedule::KernelClass full) {
  return full == schedule::KernelClass::unknown ? Json(nullptr) : Json(std::string(to_string(full)));
}

Json profile_json(const schedule::KernelTraits& kernel) {
  const auto& power = kernel.power;
  return {{"name", kernel.name},
          {"blocks", kernel.blocks},
          {"alone_ms", to_ms(kernel.alone.value_or(Nanoseconds()))},
          {"persistent", kernel.persistent},
          {"sliceable", kernel.sliceable},
          {"use", use_json(kernel.use)},
          {"use_by_counters", use_json(kernel.use_by_counters)},
          {"rate_at_residency", kernel.rate_at_residency},
          {"saturating_share", kernel.saturating_share},
          {"timing_class", class_json(timing_class(kernel))},
          {"class", class_json(kernel_class(kernel))},
          {"least_slice", kernel.least_slice},
          {"watts_alone", power ? watts_json(power->alone) : Json(nullptr)},
          {"watts_twin", power ? watts_json(power->twin) : Json(nullptr)},
          {"watts_idle", power ? watts_json(power->idle) : Json(nullptr)},
          {"at_clocks", clocks_json(kernel)},
          {"best_clock_mhz", clock_json(kernel.best_clocks)},
          {"best_memory_clock_mhz", memory_json(kernel.best_clocks)}};
}

}  // namespace

std::string queue_text(const schedule::CorunSession& session, const schedule::QueueReport& report, bool explain) {
  std::string text = fmt::format("{} of {} on {}{}, {}\n\n{}", counted(report.works, "work"),
                                 counted(report.kernels.size(), "kernel"), session.is_simulated() ? "a simulated " : "",
                                 session.device(), report.arrivals, policies_text(session, report));
  if (report.objective != schedule::Objective{}) text = "For " + describe(report.objective) + ": " + text;
  text += unpiloted_text(session, report) + verdict_text(report) + refused_text(report);
  if (explain) text += best_clocks_text(report);
  if (explain)
    for (const schedule::PolicyRun& policy : report.policies) text += explanation(report, policy);
  return text + outputs_text(report);
}

Json queue_json(const schedule::CorunSession& session, const schedule::QueueReport& report) {
  Json json = {{"works", report.works},
               {"arrivals", report.arrivals},
               {"objective", describe(report.objective)},
               {"clocks_mhz", nullptr},
               {"memory_clocks_mhz", nullptr},
               {"kernels", Json::array()},
               {"policies", Json::array()},
               {"orders", orders_json(report)},
               {"verdict", verdict_json(report)},
               {"outputs", nullptr},
               {"refused", refused_json(report.refused)}};
  for (const backend::BoardSetting& clocks : report.clocks) {
    json["clocks_mhz"].push_back(clocks.graphics->value());
    json["memory_clocks_mhz"].push_back(memory_json(clocks));
  }
  for (const schedule::KernelTraits& kernel : report.kernels) json["kernels"].push_back(profile_json(kernel));
  for (std::size_t i = 0; i < report.policies.size(); ++i) json["policies"].push_back(policy_json(session, report, i));
  if (report.outputs)
    json["outputs"] = {{"compared", report.outputs->works},
                       {"not_compared", report.outputs->partly},
                       {"differences", report.outputs->differences}};
  return json;
}

std::string queue_svg(const schedule::CorunSession& session, const schedule::QueueReport& report) {
  report::PolicyPlot plot{.title = fmt::format("{} on {}, {}", counted(report.works, "work"), session.device(),
                                               session.is_simulated() ? "simulated" : "measured"),
                          .policies = {}};
  for (const schedule::PolicyRun& policy : report.policies) {
    const auto energy = session.known_energy(policy.run.energy, policy.run.makespan);
    plot.policies.push_back({policy.policy, static_cast<double>(report.works) / to_seconds(policy.makespan),
                             energy.value_or(Joules(0)).value()});
  }
  return report::plot_policies_svg(plot);
}

}  // namespace wattune::cli
