#include "cli/corun/corun_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/corun/corun_rerun.h"
#include "cli/program/text.h"
#include "report/interface/forecast_plot.h"
#include "schedule/interface/policy.h"
#include "schedule/interface/queue_experiment.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::cli {

namespace {

bool is_planned_together(const schedule::PairForecast& forecast) { return forecast.shape().is_together(); }

std::string why_in_turn(const schedule::PairForecast& forecast) {
  if (forecast.proven) return "no other way was faster";
  if (forecast.speedup() < 1.0 + schedule::PolicyOptions().least_gain) return "no pilot gained";
  return fmt::format("pilots gained {}, which is not worth starting kernels anew", gain_text(forecast.speedup() - 1.0));
}

std::string how_text(const schedule::SweptPair& pair) {
  const schedule::PairForecast& forecast = pair.planned.forecast;
  if (!is_planned_together(forecast)) return "one after the other, as " + why_in_turn(forecast);
  const std::string how = describe(arrangement_of(forecast.shape()), pair.limits) +
                          (forecast.many_streams ? ", a stream for each work" : "");
  const std::string whole = forecast.whole && forecast.sms_of_first ? " for whole kernels" : "";
  if (forecast.proven) return fmt::format("by {}{}, the fastest way", how, whole);
  return fmt::format("by {}{}, whose pilots gained {}", how, whole, gain_text(forecast.speedup() - 1.0));
}

// Computes the gain that the pilots' speeds predict. When one kernel has ended, the other counts as running at its
// speed alone.
double gain_by_pilots(const schedule::SweptPair& pair) {
  const schedule::PairForecast& forecast = pair.planned.forecast;
  return is_planned_together(forecast) ? schedule::expected_gain(pair.sweep.alone, forecast.rates) : 0.0;
}

// Returns the gain of `paired` over the best baseline; nullopt if one of the two could not be run, or if both ran only
// once.
std::optional<schedule::Gain> gain_over_baseline(const schedule::SweptPair& pair) {
  const schedule::SweepRow* const baseline = pair.sweep.best(schedule::is_baseline);
  return baseline == nullptr ? std::nullopt : gain_of_planned_over(pair, *baseline);
}

std::optional<schedule::RoundTimes> rounds_over_baseline(const schedule::SweptPair& pair) {
  const schedule::SweepRow* const baseline = pair.sweep.best(schedule::is_baseline);
  return baseline == nullptr ? std::nullopt : rounds_of_planned_over(pair, *baseline);
}

}  // namespace

std::string planned_text(const schedule::SweptPair& pair) {
  const schedule::PlannedRun& run = pair.planned;
  if (run.failure) return fmt::format("paired could not run them: {}\n", run.failure->to_string());
  const auto gain = gain_of_planned(pair);
  if (!gain || verdict_of(pair).withheld != schedule::Withheld::no)
    return fmt::format("paired takes {}.\n", format_time(run.makespan));
  return fmt::format("paired takes {}: {}, {}.\n", format_time(run.makespan), gain_text(*gain), how_text(pair));
}

Json planned_json(const schedule::SweptPair& pair) {
  const schedule::PlannedRun& run = pair.planned;
  const schedule::PairShape shape = run.forecast.shape();
  Json json = {{"way", std::string(to_string(arrangement_of(shape).way))},
               {"ratio", nullptr},
               {"sms_of_first", nullptr},
               {"urgent", nullptr},
               {"whole", run.forecast.whole},
               {"many_streams", run.forecast.many_streams},
               {"proven", run.forecast.proven.has_value()},
               {"forecast_rates", run.forecast.rates},
               {"makespan_ms", nullptr},
               {"gain", nullptr},
               {"interval", nullptr},
               {"gain_over_baseline", nullptr},
               {"interval_over_baseline", nullptr},
               {"error", nullptr}};
  if (shape.sms_of_first) json["sms_of_first"] = *shape.sms_of_first;
  if (shape.urgent) json["urgent"] = *shape.urgent;
  if (shape.ratio.first > 0 && !shape.sms_of_first) json["ratio"] = {shape.ratio.first, shape.ratio.second};
  if (run.failure) return json["error"] = run.failure->to_string(), json;
  json["makespan_ms"] = to_ms(run.makespan);
  json["gain"] = run.gain;
  json["interval"] = interval_json(gain_of_planned(pair));
  if (const auto gain = gain_over_baseline(pair)) {
    json["gain_over_baseline"] = gain->gain;
    json["interval_over_baseline"] = interval_json(gain);
  }
  return json;
}

std::string forecasts_svg(const schedule::CorunSession& session, const std::vector<schedule::SweptPair>& pairs) {
  report::ForecastPlot plot{
      .title = fmt::format("{} on {}: forecasts of pilots and gains of paired, {}", counted(pairs.size(), "pair"),
                           session.device(), session.is_simulated() ? "simulated" : "measured"),
      .forecast_label = "forecast gain over one after the other, %",
      .measured_label = "gain of paired, %",
      .series = {{"paired", {}}}};
  for (const schedule::SweptPair& pair : pairs)
    if (!pair.planned.failure)
      plot.series[0].points.push_back({fmt::format("{} with {}", pair.names[0], pair.names[1]),
                                       100.0 * gain_by_pilots(pair), 100.0 * pair.planned.gain});
  return report::plot_forecasts_svg(plot);
}

PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<schedule::SweptPair>& pairs) {
  PlannedGain gain;
  std::vector<schedule::RoundTimes> complementary;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto over = gain_over_baseline(pairs[i]);
    if (!over) continue;
    if (!gain.least || over->gain < gain.least->gain) gain.least = over, gain.names_of_least = pairs[i].names;
    if (!prospects[i].is_complementary()) continue;
    if (auto rounds = rounds_over_baseline(pairs[i])) complementary.push_back(*std::move(rounds));
  }
  gain.of_complementary = schedule::mean_gain(complementary);
  for (const schedule::SweptPair& pair : pairs) {
    if (pair.planned.failure) continue;
    for (const auto& claimed : {gain.least, gain.of_complementary})
      if (std::string why = why_withheld_of(pair, claimed); !why.empty()) return {.withheld = std::move(why)};
  }
  return gain;
}

std::string planned_gain_text(const PlannedGain& gain) {
  if (!gain.withheld.empty()) return fmt::format("No verdict on paired over the best baseline: {}.\n", gain.withheld);
  if (!gain.least) return "";
  const std::string mean =
      gain.of_complementary ? fmt::format("{} for complementary pairs, ", gain_text(*gain.of_complementary)) : "";
  return fmt::format("By paired, over the best baseline: {}{} at least ({} with {}){}.\n", mean, gain_text(*gain.least),
                     gain.names_of_least[0], gain.names_of_least[1], noise_text(*gain.least));
}

Json planned_gain_json(const PlannedGain& gain) {
  Json names = nullptr;
  if (gain.least) names = gain.names_of_least;
  return {{"complementary", gain_json(gain.of_complementary)},
          {"interval_of_complementary", interval_json(gain.of_complementary)},
          {"least", gain_json(gain.least)},
          {"interval_of_least", interval_json(gain.least)},
          {"kernels_of_least", std::move(names)},
          {"withheld", gain.withheld.empty() ? Json(nullptr) : Json(gain.withheld)}};
}

}  // namespace wattune::cli
