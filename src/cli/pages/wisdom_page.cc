// The page of a wisdom file.
#include <fmt/format.h>

#include <set>

#include "cli/pages/documents.h"
#include "cli/program/text.h"
#include "store/interface/timestamp.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::cli {

namespace {

using report::PageCard;
using report::PageSection;
using report::PageTable;

PageSection answer_of_wisdom(const dynamic::WisdomText& wisdom) {
  std::set<std::string> kernels, devices;
  std::size_t complete = 0;
  for (const dynamic::WisdomEntry& entry : wisdom.entries) {
    kernels.insert(entry.kernel.name);
    devices.insert(entry.device);
    complete += entry.tuned ? 1 : 0;
  }
  PageSection section("answer", "The answer");
  PageCard card{.question = "What applications start from", .figure = "Nothing", .words = {}};
  if (wisdom.entries.empty()) {
    card.words.emplace_back("The file has no entry.");
  } else {
    card.figure = fmt::format("{} best configurations", group_digits(wisdom.entries.size()));
    card.words.push_back(
        fmt::format("They are of {} on {}.", counted(kernels.size(), "kernel"), counted(devices.size(), "device")));
    card.words.push_back(
        fmt::format("Tuning came to its end for {} of them; others are the best so far.", group_digits(complete)));
  }
  section.add_cards({card});
  for (const Error& problem : wisdom.problems) section.add_warning(problem.to_string());
  return section;
}

PageTable table_of_entries(const std::vector<dynamic::WisdomEntry>& entries) {
  constexpr std::size_t kDayLength = 10;  // length of the day in "2026-01-31T23:59:59Z"
  PageTable table = PageTable::of(
      4, {"kernel", "device", "key", "configuration", "time", "from", "to", "samples", "measured", "tuned", "on"});
  for (const dynamic::WisdomEntry& entry : entries)
    table.rows.push_back({entry.kernel.name, entry.device, to_string(entry.key), entry.configuration.to_string(),
                          format_time(entry.time), format_time(entry.low), format_time(entry.high),
                          group_digits(entry.samples), std::string(to_string(entry.measured)),
                          entry.tuned ? "to the end" : "so far",
                          store::format_timestamp(entry.measured_at).substr(0, kDayLength)});
  return table;
}

}  // namespace

Result<std::vector<report::PagePart>> parts_of_wisdom(const std::string& file) {
  WATTUNE_ASSIGN(const dynamic::WisdomText wisdom, dynamic::load_wisdom(file));
  PageSection next("next", "What to do next");
  next.add_command("This writes the entries as a C header, for code that cannot read wisdom:",
                   fmt::format("wattune export {} --format header --output tuned.h", quoted_for_shell(file)));
  PageSection entries("entries", "All entries");
  entries.add_table("The best known configurations", table_of_entries(wisdom.entries));
  return std::vector<report::PagePart>{
      {.title = "Wisdom in " + file, .sections = {answer_of_wisdom(wisdom), next, entries}}};
}

}  // namespace wattune::cli
