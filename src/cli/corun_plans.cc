#include "cli/corun_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "wattune/schedule/forecast.h"
#include "wattune/schedule/policy.h"

namespace wattune::cli {

namespace {

using schedule::Arrangement;
using schedule::SweepRow;
using schedule::Way;

Arrangement arrangement_of(const schedule::PairForecast& plan) {
  if (plan.speedup() < 1.0 + schedule::PolicyOptions().least_gain) return {.way = Way::in_turn};
  if (plan.sms_of_first > 0) return {.way = Way::split, .sms_of_first = plan.sms_of_first};
  return {.way = Way::shares, .ratio = plan.ratio};
}

// Time of the best baseline over that of the plan; none where one of them could not be run.
std::optional<double> planned_speed(const SweptPair& pair) {
  const SweepRow* const planned = planned_row(pair);
  const SweepRow* const baseline = pair.sweep.best(schedule::is_baseline);
  if (planned == nullptr || baseline == nullptr) return std::nullopt;
  return baseline->makespan / planned->makespan;
}

}  // namespace

Result<schedule::PairForecast> plan_of(schedule::Machine& machine, schedule::KernelId first,
                                       schedule::KernelId second) {
  const schedule::Forecaster pilots = schedule::measured_forecaster(machine, schedule::Form::persistent);
  return pilots(*machine.kernel(first), *machine.kernel(second));
}

const SweepRow* planned_row(const SweptPair& pair) {
  return pair.sweep.best(
      [planned = arrangement_of(pair.plan)](const SweepRow& row) { return row.arrangement == planned; });
}

std::string plan_text(const SweptPair& pair) {
  const SweepRow* const row = planned_row(pair);
  if (row == nullptr) return "";
  const std::string forecast = row->arrangement.way == Way::in_turn ? "no gain" : gain_text(pair.plan.speedup() - 1.0);
  return fmt::format("paired plans {}: {} by pilots, {} here.\n", describe(row->arrangement, pair.limits), forecast,
                     gain_text(row->gain));
}

Json plan_json(const SweptPair& pair) {
  const SweepRow* const row = planned_row(pair);
  return {{"row", row == nullptr ? Json(nullptr) : Json(row - pair.sweep.rows.data())},
          {"forecast_rates", pair.plan.rates}};
}

PlannedGain planned_gain(const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs) {
  PlannedGain gain;
  double logarithms = 0.0;
  std::size_t complementary = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto speed = planned_speed(pairs[i]);
    if (!speed) continue;
    if (!gain.least || *speed - 1.0 < *gain.least) gain.least = *speed - 1.0, gain.names_of_least = pairs[i].names;
    if (!prospects[i].is_complementary()) continue;
    logarithms += std::log(*speed);
    ++complementary;
  }
  if (complementary > 0) gain.of_complementary = std::exp(logarithms / static_cast<double>(complementary)) - 1.0;
  return gain;
}

std::string planned_gain_text(const PlannedGain& gain) {
  if (!gain.least) return "";
  const std::string mean =
      gain.of_complementary ? fmt::format("{} for complementary pairs, ", gain_text(*gain.of_complementary)) : "";
  return fmt::format("As paired plans them, over the best baseline: {}{} at least ({} with {}).\n", mean,
                     gain_text(*gain.least), gain.names_of_least[0], gain.names_of_least[1]);
}

Json planned_gain_json(const PlannedGain& gain) {
  Json names = nullptr;
  if (gain.least) names = gain.names_of_least;
  return {{"complementary", json_or_null(gain.of_complementary)},
          {"least", json_or_null(gain.least)},
          {"kernels_of_least", std::move(names)}};
}

}  // namespace wattune::cli
