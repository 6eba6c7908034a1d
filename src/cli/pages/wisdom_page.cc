// The page of a wisdom file.
#include <fmt/format.h>

#include <filesystem>
#include <map>
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

// Tells how many entries are at the end of their tuning, and how they were measured.
PageCard sureness_of_wisdom(const std::vector<dynamic::WisdomEntry>& entries) {
  PageCard card{.question = "How sure that is", .figure = "Not known", .words = {}};
  if (entries.empty()) return card;
  std::size_t complete = 0;
  std::map<std::string, std::size_t> ways;
  for (const dynamic::WisdomEntry& entry : entries) {
    complete += entry.tuned ? 1 : 0;
    ++ways[std::string(to_string(entry.measured))];
  }
  card.figure = fmt::format("{} of {} tuned to the end", group_digits(complete), group_digits(entries.size()));
  if (complete < entries.size())
    card.words.emplace_back("The others are the best so far, and the next application goes on with them.");
  for (const auto& [way, count] : ways) card.words.push_back(fmt::format("Measured {}: {}.", way, group_digits(count)));
  card.words.emplace_back("Wisdom holds no defaults, so that it does not tell what tuning was worth.");
  return card;
}

PageSection answer_of_wisdom(const dynamic::WisdomText& wisdom) {
  std::set<std::string> kernels, devices;
  for (const dynamic::WisdomEntry& entry : wisdom.entries) {
    kernels.insert(entry.kernel.name);
    devices.insert(entry.device);
  }
  PageSection section("answer", "The answer");
  PageCard card{.question = "What applications start from", .figure = "Nothing", .words = {}};
  if (wisdom.entries.empty()) {
    card.words.emplace_back("The file has no entry.");
  } else {
    card.figure = counted(wisdom.entries.size(), "best configuration");
    card.words.push_back(
        fmt::format("They are of {} on {}.", counted(kernels.size(), "kernel"), counted(devices.size(), "device")));
    card.words.push_back("Each is the best known for its kernel, device and key, with the interval of its time.");
  }
  section.add_cards({card, sureness_of_wisdom(wisdom.entries)});
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
  return std::vector<report::PagePart>{{.title = "Wisdom in " + std::filesystem::path(file).filename().string(),
                                        .sections = {answer_of_wisdom(wisdom), next, entries}}};
}

}  // namespace wattune::cli
