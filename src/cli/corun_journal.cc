#include "cli/corun_journal.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "store/files.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;
using schedule::SweepRow;
using schedule::Way;

constexpr const char* kFormat = "wattune corun 1";

bool holds_results(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && (!fs::is_regular_file(file, ignored) || fs::file_size(file, ignored) > 0);
}

Json line_of(const std::string& identity, const SweptPair& pair) {
  Json rows = Json::array();
  for (const SweepRow& row : pair.sweep.rows)
    rows.push_back({{"way", static_cast<int>(row.arrangement.way)},
                    {"urgent", row.arrangement.urgent},
                    {"sms_of_first", row.arrangement.sms_of_first},
                    {"ratio", {row.arrangement.ratio.first, row.arrangement.ratio.second}},
                    {"times_ns", {row.times[0].value(), row.times[1].value()}},
                    {"makespan_ns", row.makespan.value()},
                    {"gain", row.gain},
                    {"joules", row.energy.value()},
                    {"error", row.failure ? Json(row.failure->to_string()) : Json(nullptr)}});
  Json outputs = nullptr;
  if (pair.outputs) outputs = {{"compared", pair.outputs->compared}, {"differences", pair.outputs->differences}};
  return {{"format", kFormat},
          {"identity", identity},
          {"kernels", pair.names},
          {"packing_bound", pair.packing_bound ? Json(*pair.packing_bound) : Json(nullptr)},
          {"places", pair.sweep.kernels},
          {"repetitions", pair.sweep.repetitions},
          {"alone_ns", {pair.sweep.alone[0].value(), pair.sweep.alone[1].value()}},
          {"energy_alone_j", {pair.sweep.energy_alone[0].value(), pair.sweep.energy_alone[1].value()}},
          {"sms", pair.limits.sms},
          {"split_grain", pair.limits.split_grain},
          {"capability", {pair.limits.capability.major, pair.limits.capability.minor}},
          {"rows", std::move(rows)},
          {"outputs", std::move(outputs)}};
}

SweepRow row_of(const Json& json) {
  SweepRow row;
  row.arrangement.way = static_cast<Way>(json.at("way").get<int>());
  row.arrangement.urgent = json.at("urgent");
  row.arrangement.sms_of_first = json.at("sms_of_first");
  row.arrangement.ratio = {json.at("ratio").at(0), json.at("ratio").at(1)};
  row.times = {Nanoseconds(json.at("times_ns").at(0)), Nanoseconds(json.at("times_ns").at(1))};
  row.makespan = Nanoseconds(json.at("makespan_ns").get<double>());
  row.gain = json.at("gain");
  row.energy = Joules(json.at("joules").get<double>());
  if (!json.at("error").is_null()) row.failure = Error(ErrorCode::launch_failed, json.at("error").get<std::string>());
  return row;
}

SweptPair pair_of(const Json& json) {
  SweptPair pair;
  pair.names = json.at("kernels").get<std::array<std::string, 2>>();
  if (!json.at("packing_bound").is_null()) pair.packing_bound = json.at("packing_bound").get<double>();
  pair.limits.sms = json.at("sms");
  pair.limits.split_grain = json.at("split_grain");
  pair.limits.capability = {json.at("capability").at(0), json.at("capability").at(1)};
  pair.sweep.kernels = json.at("places").get<std::array<schedule::KernelId, 2>>();
  pair.sweep.repetitions = json.at("repetitions").get<std::array<std::size_t, 2>>();
  for (std::size_t i = 0; i < 2; ++i) {
    pair.sweep.alone[i] = Nanoseconds(json.at("alone_ns").at(i).get<double>());
    pair.sweep.energy_alone[i] = Joules(json.at("energy_alone_j").at(i).get<double>());
  }
  for (const Json& row : json.at("rows")) pair.sweep.rows.push_back(row_of(row));
  if (const Json& outputs = json.at("outputs"); !outputs.is_null())
    pair.outputs = OutputVerdict{outputs.at("compared"), outputs.at("differences").get<std::vector<std::string>>()};
  return pair;
}

}  // namespace

Result<SweepJournal> SweepJournal::open(const fs::path& file, const SweepJournalOptions& options) {
  if (options.resume && options.overwrite)
    return Error(ErrorCode::invalid_argument, "--overwrite and --resume exclude each other");
  SweepJournal journal(file);
  if (!holds_results(file)) return journal;
  if (!options.resume && !options.overwrite)
    return Error(ErrorCode::already_exists, "results exist")
        .about(file.string())
        .hint("--resume goes on with them, --overwrite starts anew, --output names another file");
  std::error_code failure;
  if (options.overwrite) fs::resize_file(file, 0, failure);
  if (failure) return Error(ErrorCode::io_error, failure.message()).about(file.string());
  WATTUNE_TRY(journal.read());
  return journal;
}

Result<void> SweepJournal::read() {
  WATTUNE_ASSIGN(const std::string text, store::read_file(file_));
  std::size_t begin = 0;
  for (int line = 1;; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    try {
      const Json json = Json::parse(std::string_view(text).substr(begin, end - begin));
      if (json.at("format") != kFormat) throw std::invalid_argument("another format");
      pairs_.insert_or_assign(json.at("identity").get<std::string>(), pair_of(json));
    } catch (const std::exception&) {
      return Error(ErrorCode::parse_error, "no pair of a sweep").at({file_.string(), line, 0});
    }
    begin = end + 1;
  }
  std::error_code failure;
  if (begin < text.size()) fs::resize_file(file_, begin, failure);
  if (failure) return Error(ErrorCode::io_error, failure.message()).about(file_.string());
  return {};
}

const SweptPair* SweepJournal::find(const std::string& identity) const {
  const auto found = pairs_.find(identity);
  return found == pairs_.end() ? nullptr : &found->second;
}

Result<void> SweepJournal::add(const std::string& identity, const SweptPair& pair) {
  std::ofstream out(file_, std::ios::app | std::ios::binary);
  out << line_of(identity, pair).dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" << std::flush;
  if (!out) return Error(ErrorCode::io_error, "a pair that was swept cannot be written").about(file_.string());
  return {};
}

}  // namespace wattune::cli
