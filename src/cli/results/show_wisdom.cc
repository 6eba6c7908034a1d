#include "cli/results/show_wisdom.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/program/json.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "core/interface/printable.h"
#include "report/interface/text.h"
#include "store/interface/timestamp.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::cli {

namespace {

constexpr std::size_t kShownDigits = 8;  // number of digits that are shown of a kernel's version
constexpr std::size_t kDayLength = 10;   // length of the day in "2026-01-31T23:59:59Z"

// Formats a time as "1.500 ms ± 0.4 %". The percentage is that of the interval's end that is farther away.
std::string time_text(const dynamic::WisdomEntry& entry) {
  const double off = std::max(entry.high - entry.time, entry.time - entry.low) / entry.time;
  return fmt::format("{} ± {:.1f} %", format_time(entry.time), 100.0 * off);
}

std::string table_of(const std::vector<dynamic::WisdomEntry>& entries) {
  auto table = report::TextTable::of_text(
      {"kernel", "version", "device", "key", "time", "samples", "measured", "tuned", "on", "configuration"});
  for (const dynamic::WisdomEntry& entry : entries)
    table.add_row({printable(entry.kernel.name), printable(entry.kernel.version.substr(0, kShownDigits)),
                   printable(entry.device), to_string(entry.key), time_text(entry), group_digits(entry.samples),
                   std::string(to_string(entry.measured)), entry.tuned ? "to the end" : "so far",
                   store::format_timestamp(entry.measured_at).substr(0, kDayLength), entry.configuration.to_string()});
  return table.to_string(table_width(STDOUT_FILENO));
}

Json json_of(const dynamic::Key& key) {
  Json json = Json::object();
  for (const dynamic::KeyPart& part : key) json[part.name] = to_json(part.value);
  return json;
}

Json json_of(const dynamic::WisdomEntry& entry) {
  return {{"kernel", entry.kernel.name},  {"version", entry.kernel.version},
          {"device", entry.device},       {"architecture", entry.architecture},
          {"key", json_of(entry.key)},    {"configuration", to_json(entry.configuration)},
          {"time_ms", to_ms(entry.time)}, {"interval_ms", {to_ms(entry.low), to_ms(entry.high)}},
          {"samples", entry.samples},     {"measured", to_string(entry.measured)},
          {"tuned", entry.tuned},         {"measured_at", store::format_timestamp(entry.measured_at)}};
}

}  // namespace

Result<ExitStatus> show_wisdom(const std::filesystem::path& file, bool json) {
  WATTUNE_ASSIGN(const dynamic::WisdomText wisdom, dynamic::load_wisdom(file));
  for (const Error& problem : wisdom.problems) print_note(problem.to_string());
  Json entries = Json::array();
  for (const dynamic::WisdomEntry& entry : wisdom.entries) entries.push_back(json_of(entry));
  const bool printed = json ? print_document(dump({{"wisdom", entries}})) : print_result(table_of(wisdom.entries));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace wattune::cli
