#include "cli/corun_journal.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/printable.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;
using schedule::SweepRow;
using schedule::Way;

constexpr const char* kFormat = "wattune corun 2";

Json error_json(const std::optional<Error>& failure) { return failure ? Json(failure->to_string()) : Json(nullptr); }

std::optional<Error> error_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Error(ErrorCode::launch_failed, json.get<std::string>());
}

Json numbers_of(const std::vector<Nanoseconds>& times) {
  Json json = Json::array();
  for (const Nanoseconds time : times) json.push_back(time.value());
  return json;
}

std::vector<Nanoseconds> times_of(const Json& numbers) {
  std::vector<Nanoseconds> times;
  for (const Json& number : numbers) times.emplace_back(number.get<double>());
  return times;
}

Json line_of(const Rerun& rerun) {
  Json json = {{"rows", rerun.rows},
               {"exact", rerun.times.is_exact},
               {"orders", rerun.times.orders},
               {"makespans_ns", Json::array()}};
  for (const auto& times : rerun.times.times) json["makespans_ns"].push_back(numbers_of(times));
  json["gains"] = gains_json(rerun.times);
  return json;
}

// Reads what ran again. Throws where it names rows or entrants that there are not.
Rerun rerun_of(const Json& json, std::size_t rows) {
  Rerun rerun{.rows = json.at("rows").get<std::vector<std::size_t>>(),
              .times = {.times = {},
                        .orders = json.at("orders").get<std::vector<std::vector<std::size_t>>>(),
                        .is_exact = json.at("exact")}};
  for (const Json& times : json.at("makespans_ns")) rerun.times.times.push_back(times_of(times));
  const bool has_entrants = rerun.times.times.empty() || rerun.times.times.size() == rerun.rows.size() + 2;
  if (!has_entrants || std::ranges::any_of(rerun.rows, [&](std::size_t row) { return row >= rows; }))
    throw std::invalid_argument("what ran again is no part of the sweep");
  return rerun;
}

Json line_of(const PlannedRun& run) {
  return {{"ratio", {run.forecast.ratio.first, run.forecast.ratio.second}},
          {"sms_of_first", run.forecast.sms_of_first},
          {"whole", run.forecast.whole},
          {"rates", run.forecast.rates},
          {"makespan_ns", run.makespan.value()},
          {"gain", run.gain},
          {"error", error_json(run.failure)}};
}

Json line_of(const std::string& identity, const SweptPair& pair) {
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
                    {"joules", row.energy.value()},
                    {"error", error_json(row.failure)}});
  Json outputs = nullptr;
  if (pair.outputs)
    outputs = {{"compared", pair.outputs->compared},
               {"not_compared", pair.outputs->not_compared},
               {"differences", pair.outputs->differences}};
  return {{"format", kFormat},
          {"identity", identity},
          {"kernels", pair.names},
          {"repetitions", pair.sweep.repetitions},
          {"alone_ns", {pair.sweep.alone[0].value(), pair.sweep.alone[1].value()}},
          {"energy_alone_j", {pair.sweep.energy_alone[0].value(), pair.sweep.energy_alone[1].value()}},
          {"sms", pair.limits.sms},
          {"split_grain", pair.limits.split_grain},
          {"capability", {pair.limits.capability.major, pair.limits.capability.minor}},
          {"alone_by_round_ns", {numbers_of(pair.sweep.alone_by_round[0]), numbers_of(pair.sweep.alone_by_round[1])}},
          {"planned", line_of(pair.planned)},
          {"rerun", line_of(pair.rerun)},
          {"rows", std::move(rows)},
          {"outputs", std::move(outputs)}};
}

Way way_of(const std::string& name) {
  for (const Way way : {Way::in_turn, Way::streams, Way::priority, Way::split, Way::shares})
    if (to_string(way) == name) return way;
  throw std::invalid_argument("no way to run a pair: " + name);
}

SweepRow row_of(const Json& json) {
  SweepRow row;
  row.arrangement.way = way_of(json.at("way"));
  row.arrangement.urgent = json.at("urgent");
  row.arrangement.sms_of_first = json.at("sms_of_first");
  row.arrangement.ratio = {json.at("ratio").at(0), json.at("ratio").at(1)};
  row.times = {Nanoseconds(json.at("times_ns").at(0)), Nanoseconds(json.at("times_ns").at(1))};
  row.makespan = Nanoseconds(json.at("makespan_ns").get<double>());
  row.gain = json.at("gain");
  row.makespans = times_of(json.value("makespans_ns", Json::array()));
  row.energy = Joules(json.at("joules").get<double>());
  row.failure = error_of(json.at("error"));
  return row;
}

PlannedRun planned_of(const Json& json) {
  return {.forecast = {.ratio = {json.at("ratio").at(0), json.at("ratio").at(1)},
                       .sms_of_first = json.at("sms_of_first"),
                       .whole = json.value("whole", false),
                       .rates = json.at("rates").get<std::array<double, 2>>()},
          .makespan = Nanoseconds(json.at("makespan_ns").get<double>()),
          .gain = json.at("gain"),
          .failure = error_of(json.at("error"))};
}

SweptPair pair_of(const Json& json) {
  SweptPair pair;
  pair.names = json.at("kernels").get<std::array<std::string, 2>>();
  pair.limits.sms = json.at("sms");
  pair.limits.split_grain = json.at("split_grain");
  pair.limits.capability = {json.at("capability").at(0), json.at("capability").at(1)};
  pair.sweep.repetitions = json.at("repetitions").get<std::array<std::size_t, 2>>();
  for (std::size_t i = 0; i < 2; ++i) {
    pair.sweep.alone[i] = Nanoseconds(json.at("alone_ns").at(i).get<double>());
    pair.sweep.energy_alone[i] = Joules(json.at("energy_alone_j").at(i).get<double>());
  }
  pair.planned = planned_of(json.at("planned"));
  for (const Json& row : json.at("rows")) pair.sweep.rows.push_back(row_of(row));
  if (json.contains("alone_by_round_ns"))
    for (std::size_t i = 0; i < 2; ++i) pair.sweep.alone_by_round[i] = times_of(json["alone_by_round_ns"].at(i));
  if (json.contains("rerun")) pair.rerun = rerun_of(json["rerun"], pair.sweep.rows.size());
  if (const Json& outputs = json.at("outputs"); !outputs.is_null())
    pair.outputs = OutputVerdict{outputs.at("compared"), outputs.at("differences").get<std::vector<std::string>>(),
                                 outputs.value("not_compared", std::vector<std::string>())};
  return pair;
}

// Throws what is wrong with it.
std::pair<std::string, SweptPair> read_line(std::string_view line) {
  const Json json = Json::parse(line);
  if (json.at("format") != kFormat) throw std::invalid_argument(std::string("its format is not ") + kFormat);
  return {json.at("identity").get<std::string>(), pair_of(json)};
}

}  // namespace

Result<SweepJournal> SweepJournal::open(const fs::path& file, const ResultsUse& use) {
  WATTUNE_TRY(check_results_file(file, use));
  SweepJournal journal(file, use);
  WATTUNE_TRY(journal.lock());
  if (!use.overwrite) WATTUNE_TRY(journal.read());
  return journal;
}

Result<void> SweepJournal::lock() {
  WATTUNE_ASSIGN(store::LockedFile locked, store::LockedFile::open(file_));
  locked_.emplace(std::move(locked));
  return {};
}

Result<void> SweepJournal::read() {
  WATTUNE_ASSIGN(const std::string text, locked_->read());
  std::size_t begin = 0;
  for (int line = 1;; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    try {
      auto [identity, pair] = read_line(std::string_view(text).substr(begin, end - begin));
      pairs_.insert_or_assign(std::move(identity), std::move(pair));
    } catch (const std::exception& wrong) {
      return Error(ErrorCode::parse_error, "no pair of a sweep: " + printable(wrong.what()))
          .at({file_.string(), line, 0});
    }
    begin = end + 1;
  }
  return locked_->cut_to(begin);
}

const SweptPair* SweepJournal::find(const std::string& identity) const {
  const auto found = pairs_.find(identity);
  return found == pairs_.end() ? nullptr : &found->second;
}

// Whoever sets a file aside locks it, so that it is let go before.
Result<void> SweepJournal::start_anew() {
  locked_.reset();
  WATTUNE_TRY(make_room(file_, use_));
  use_.overwrite = false;
  return lock();
}

Result<void> SweepJournal::add(const std::string& identity, const SweptPair& pair) {
  if (use_.overwrite) WATTUNE_TRY(start_anew());
  WATTUNE_TRY(locked_->check_intact());
  return locked_->append(line_of(identity, pair).dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
}

}  // namespace wattune::cli
