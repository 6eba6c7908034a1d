#include "cli/corun/corun_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "cli/corun/corun_rerun.h"
#include "cli/corun/corun_verdict.h"
#include "core/interface/printable.h"

namespace wattune::cli {

namespace {

using schedule::SweepRow;
using schedule::Way;
using store::array_member;
using store::count_within;
using store::member;
using store::number_within;
using store::object_member;
using store::text_member;

// Upper bounds that no machine reaches: SMs, blocks on an SM, repetitions of a kernel, ways to run a pair, rounds.
constexpr unsigned kMostSms = 4096;
constexpr unsigned kMostBlocksPerSm = 64;
constexpr std::uint64_t kMostRepetitions = 1'000'000'000;
constexpr std::size_t kMostRows = 10'000;
constexpr std::size_t kMostRounds = 1'000'000;
constexpr unsigned kMostCapability = 100;
// Bounds on a run: it takes less than 30 days, and a board takes less than 1 GJ for it.
constexpr double kLeastNs = 1e-3;
constexpr double kMostNs = 30.0 * 86'400e9;
constexpr double kMostJoules = 1e9;
// The largest speed of a kernel beside another, relative to its speed alone. A larger one is an error of a clock.
constexpr double kMostRelativeSpeed = 1e3;
// The largest relative deviation that rounding causes between numbers that depend on each other.
constexpr double kRounding = 1e-6;

Json error_json(const std::optional<Error>& failure) { return failure ? Json(failure->to_string()) : Json(nullptr); }

Json numbers_of(const std::vector<Nanoseconds>& times) {
  Json json = Json::array();
  for (const Nanoseconds time : times) json.push_back(time.value());
  return json;
}

Json line_of(const schedule::Rerun& rerun) {
  Json json = {{"rows", rerun.rows},
               {"exact", rerun.times.is_exact},
               {"orders", rerun.times.orders},
               {"makespans_ns", Json::array()}};
  for (const auto& times : rerun.times.times) json["makespans_ns"].push_back(numbers_of(times));
  json["gains"] = gains_json(rerun.times);
  return json;
}

Json line_of_planned(const schedule::PlannedRun& run) {
  return {{"ratio", {run.forecast.ratio.first, run.forecast.ratio.second}},
          {"sms_of_first", run.forecast.sms_of_first.value_or(0)},
          {"whole", run.forecast.whole},
          {"urgent", run.forecast.urgent ? Json(*run.forecast.urgent) : Json(nullptr)},
          {"many_streams", run.forecast.many_streams},
          {"proven", run.forecast.proven.has_value()},
          {"rates", run.forecast.rates},
          {"makespan_ns", run.makespan.value()},
          {"gain", run.gain},
          {"error", error_json(run.failure)}};
}

double amount(const Json& json, const char* name, double least, double most) {
  return number_within(member(json, name), name, least, most);
}

unsigned count(const Json& json, const char* name, unsigned least, unsigned most) {
  return static_cast<unsigned>(count_within(member(json, name), name, least, most));
}

// Reads a number for each of the two kernels of a pair.
std::array<double, 2> amounts(const Json& json, const char* name, double least, double most) {
  const Json& both = array_member(json, name, 2, 2);
  return {number_within(both[0], name, least, most), number_within(both[1], name, least, most)};
}

std::array<std::uint64_t, 2> counts(const Json& json, const char* name, std::uint64_t least, std::uint64_t most) {
  const Json& both = array_member(json, name, 2, 2);
  return {count_within(both[0], name, least, most), count_within(both[1], name, least, most)};
}

model::BlockRatio ratio_from(const Json& json, unsigned least) {
  const auto ratio = counts(json, "ratio", least, kMostBlocksPerSm);
  return {static_cast<unsigned>(ratio[0]), static_cast<unsigned>(ratio[1])};
}

std::optional<Error> error_from(const Json& json) {
  if (member(json, "error").is_null()) return std::nullopt;
  return Error(ErrorCode::launch_failed, text_member(json, "error"));
}

Way way_from(const Json& json) {
  const std::string& name = text_member(json, "way");
  for (const Way way : {Way::in_turn, Way::streams, Way::priority, Way::split, Way::shares})
    if (to_string(way) == name) return way;
  throw store::Malformed("this is no way to run a pair: " + in_quotes(name));
}

// Reads a makespan, which is 0 if the run failed.
Nanoseconds makespan_from(const Json& json, bool failed) {
  return Nanoseconds(amount(json, "makespan_ns", failed ? 0.0 : kLeastNs, kMostNs));
}

void check_gain(double gain, double expected) {
  if (std::abs(gain - expected) <= kRounding * (1.0 + std::abs(expected))) return;
  throw store::Malformed(fmt::format("`gain` is {:g}, but the times alone and together make {:g}", gain, expected));
}

// Reads the times of repeated runs, in the order of the rounds.
std::vector<Nanoseconds> runs_from(const Json& json, const char* name) {
  if (!json.is_array() || json.size() > kMostRounds)
    throw store::Malformed(fmt::format("{} must be an array of at most {} times", in_quotes(name), kMostRounds));
  std::vector<Nanoseconds> runs;
  for (const Json& run : json) runs.emplace_back(number_within(run, name, kLeastNs, kMostNs));
  return runs;
}

// Reads the times of repeated runs; empty in files of older versions, which lack the member.
std::vector<Nanoseconds> runs_in(const Json& json, const char* name) {
  const Json* const runs = store::find_member(json, name);
  return runs == nullptr ? std::vector<Nanoseconds>() : runs_from(*runs, name);
}

void check_median(Nanoseconds median, const std::vector<Nanoseconds>& runs, const char* name) {
  if (runs.empty()) return;
  const auto [least, most] = std::ranges::minmax(runs);
  if (median < least * (1.0 - kRounding) || median > most * (1.0 + kRounding))
    throw store::Malformed(fmt::format("{} is no median of its runs", in_quotes(name)));
}

schedule::Arrangement arrangement_from(const Json& json, unsigned sms) {
  schedule::Arrangement arrangement{.way = way_from(json)};
  const bool is_split = arrangement.way == Way::split;
  const bool is_share = arrangement.way == Way::shares;
  arrangement.urgent = count(json, "urgent", 0, 1);
  arrangement.sms_of_first = count(json, "sms_of_first", is_split ? 1 : 0, is_split ? sms - 1 : sms);
  arrangement.ratio = ratio_from(json, is_share ? 1 : 0);
  return arrangement;
}

// Returns an energy from a file, in which 0 stands for an unknown one.
std::optional<Joules> known_joules(double joules) {
  return joules > 0.0 ? std::optional(Joules(joules)) : std::nullopt;
}
double joules_or_zero(std::optional<Joules> energy) { return energy.value_or(Joules()).value(); }

SweepRow row_from(const Json& json, const schedule::SweptPair& pair) {
  SweepRow row{.arrangement = arrangement_from(json, pair.limits.sms), .failure = error_from(json)};
  const bool failed = row.failure.has_value();
  row.makespan = makespan_from(json, failed);
  const auto times = amounts(json, "times_ns", 0.0, failed ? kMostNs : row.makespan.value() * (1.0 + kRounding));
  row.times = {Nanoseconds(times[0]), Nanoseconds(times[1])};
  row.gain = amount(json, "gain", -1.0, kMostNs);
  if (!failed) check_gain(row.gain, (pair.sweep.alone[0] + pair.sweep.alone[1]) / row.makespan - 1.0);
  row.makespans = runs_in(json, "makespans_ns");
  check_median(row.makespan, row.makespans, "makespan_ns");
  row.energy = known_joules(amount(json, "joules", 0.0, kMostJoules));
  return row;
}

schedule::PlannedRun planned_from(const Json& json, const schedule::SweptPair& pair) {
  schedule::PlannedRun planned{.failure = error_from(json)};
  planned.forecast.ratio = ratio_from(json, 0);
  if (const unsigned sms = count(json, "sms_of_first", 0, pair.limits.sms); sms > 0)
    planned.forecast.sms_of_first = sms;
  planned.forecast.whole = store::find_member(json, "whole") != nullptr && store::flag_member(json, "whole");
  if (const Json* const urgent = store::find_member(json, "urgent"); urgent != nullptr && !urgent->is_null())
    planned.forecast.urgent = count_within(*urgent, "urgent", 0, 1);
  planned.forecast.many_streams =
      store::find_member(json, "many_streams") != nullptr && store::flag_member(json, "many_streams");
  if (store::find_member(json, "proven") != nullptr && store::flag_member(json, "proven"))
    planned.forecast.proven = schedule::ProvenWay{.shape = planned.forecast.shape()};
  planned.forecast.rates = amounts(json, "rates", 0.0, kMostRelativeSpeed);
  planned.makespan = makespan_from(json, planned.failure.has_value());
  planned.gain = amount(json, "gain", -1.0, kMostNs);
  return planned;
}

bool has_twice(std::vector<std::size_t> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) != numbers.end();
}

// Reads the order in which the entrants ran in each round.
std::vector<std::vector<std::size_t>> orders_from(const Json& json, std::size_t entrants) {
  std::vector<std::vector<std::size_t>> orders;
  for (const Json& round : array_member(json, "orders", 0, kMostRounds)) {
    if (!round.is_array()) throw store::Malformed("`orders` must hold arrays");
    std::vector<std::size_t>& order = orders.emplace_back();
    for (const Json& entrant : round) order.push_back(count_within(entrant, "orders", 0, entrants - 1));
    if (order.size() != entrants || has_twice(order))
      throw store::Malformed("`orders` must name each entrant once in each round");
  }
  return orders;
}

// Reads the rerun. Its entrants are both kernels alone, the rows and `paired`.
schedule::Rerun rerun_from(const Json& json, std::size_t rows) {
  schedule::Rerun rerun;
  for (const Json& row : array_member(json, "rows", 0, rows))
    rerun.rows.push_back(count_within(row, "rows", 0, rows - 1));
  if (has_twice(rerun.rows)) throw store::Malformed("`rows` must name each row at most once");
  const std::size_t entrants = rerun.rows.size() + 2;
  rerun.times.is_exact = store::flag_member(json, "exact");
  rerun.times.orders = orders_from(json, entrants);
  const Json& makespans = array_member(json, "makespans_ns");
  if (!makespans.empty()) array_member(json, "makespans_ns", entrants, entrants);
  for (const Json& runs : makespans) rerun.times.times.push_back(runs_from(runs, "makespans_ns"));
  return rerun;
}

std::string text_from(const Json& json, const char* name) {
  if (!json.is_string()) throw store::Malformed(fmt::format("{} must hold texts", in_quotes(name)));
  return json.get<std::string>();
}

std::optional<schedule::OutputVerdict> outputs_from(const Json& json) {
  if (member(json, "outputs").is_null()) return std::nullopt;
  const Json& outputs = object_member(json, "outputs");
  schedule::OutputVerdict verdict{.compared = count(outputs, "compared", 0, kMostRows)};
  for (const Json& each : array_member(outputs, "differences"))
    verdict.differences.push_back(text_from(each, "differences"));
  if (store::find_member(outputs, "not_compared") != nullptr)
    for (const Json& each : array_member(outputs, "not_compared"))
      verdict.not_compared.push_back(text_from(each, "not_compared"));
  return verdict;
}

schedule::MachineLimits limits_from(const Json& json) {
  schedule::MachineLimits limits{.sms = count(json, "sms", 1, kMostSms)};
  limits.split_grain = count(json, "split_grain", 0, limits.sms);
  const auto capability = counts(json, "capability", 0, kMostCapability);
  if (capability[0] > 0)
    limits.capability =
        model::ComputeCapability{static_cast<unsigned>(capability[0]), static_cast<unsigned>(capability[1])};
  return limits;
}

void add_rows(const Json& json, schedule::SweptPair& pair) {
  std::vector<SweepRow>& rows = pair.sweep.rows;
  for (const Json& each : array_member(json, "rows", 1, kMostRows)) {
    SweepRow row = row_from(each, pair);
    if (std::ranges::find(rows, row.arrangement, &SweepRow::arrangement) != rows.end())
      throw store::Malformed("two `rows` are of one way to run the pair");
    rows.push_back(std::move(row));
  }
}

}  // namespace

Json line_of(const std::string& identity, const schedule::SweptPair& pair) {
  Json rows = Json::array();
  for (const SweepRow& row : pair.sweep.rows)
    rows.push_back({{"way", std::string(to_string(row.arrangement.way))},
                    {"urgent", row.arrangement.urgent},
                    {"sms_of_first", row.arrangement.sms_of_first},
                    {"ratio", {row.arrangement.ratio.first, row.arrangement.ratio.second}},
                    {"times_ns", {row.times[0].value(), row.times[1].value()}},
                    {"makespan_ns", row.makespan.value()},
                    {"gain", row.gain},
                    {"makespans_ns", numbers_of(row.makespans)},
                    {"joules", joules_or_zero(row.energy)},
                    {"error", error_json(row.failure)}});
  Json outputs = nullptr;
  if (pair.outputs)
    outputs = {{"compared", pair.outputs->compared},
               {"not_compared", pair.outputs->not_compared},
               {"differences", pair.outputs->differences}};
  const auto capability = pair.limits.capability.value_or(model::ComputeCapability{});
  return {{"identity", identity},
          {"kernels", pair.names},
          {"repetitions", pair.sweep.repetitions},
          {"alone_ns", {pair.sweep.alone[0].value(), pair.sweep.alone[1].value()}},
          {"energy_alone_j", {joules_or_zero(pair.sweep.energy_alone[0]), joules_or_zero(pair.sweep.energy_alone[1])}},
          {"sms", pair.limits.sms},
          {"split_grain", pair.limits.split_grain},
          {"capability", {capability.major, capability.minor}},
          {"alone_by_round_ns", {numbers_of(pair.sweep.alone_by_round[0]), numbers_of(pair.sweep.alone_by_round[1])}},
          {"planned", line_of_planned(pair.planned)},
          {"rerun", line_of(pair.rerun)},
          {"rows", std::move(rows)},
          {"outputs", std::move(outputs)}};
}

schedule::SweptPair pair_from(const Json& json) {
  schedule::SweptPair pair;
  const Json& names = array_member(json, "kernels", 2, 2);
  pair.names = {text_from(names[0], "kernels"), text_from(names[1], "kernels")};
  pair.limits = limits_from(json);
  const auto repetitions = counts(json, "repetitions", 1, kMostRepetitions);
  const auto alone = amounts(json, "alone_ns", kLeastNs, kMostNs);
  const auto energy = amounts(json, "energy_alone_j", 0.0, kMostJoules);
  for (std::size_t i = 0; i < 2; ++i) {
    pair.sweep.repetitions[i] = repetitions[i];
    pair.sweep.alone[i] = Nanoseconds(alone[i]);
    pair.sweep.energy_alone[i] = known_joules(energy[i]);
  }
  if (store::find_member(json, "alone_by_round_ns") != nullptr) {
    const Json& both = array_member(json, "alone_by_round_ns", 2, 2);
    for (std::size_t i = 0; i < 2; ++i) {
      pair.sweep.alone_by_round[i] = runs_from(both[i], "alone_by_round_ns");
      check_median(pair.sweep.alone[i], pair.sweep.alone_by_round[i], "alone_ns");
    }
  }
  pair.planned = planned_from(object_member(json, "planned"), pair);
  add_rows(json, pair);
  if (store::find_member(json, "rerun") != nullptr)
    pair.rerun = rerun_from(object_member(json, "rerun"), pair.sweep.rows.size());
  if (!pair.planned.failure) check_gain(pair.planned.gain, told_gain_of_planned(pair));
  pair.outputs = outputs_from(json);
  return pair;
}

}  // namespace wattune::cli
