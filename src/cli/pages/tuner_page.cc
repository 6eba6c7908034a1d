// The page of what a tuner inside an application did (dynamic::report_json()).
#include <fmt/format.h>

#include <map>

#include "cli/pages/document_text.h"
#include "cli/pages/documents.h"
#include "cli/program/text.h"

namespace wattune::cli {

namespace {

using report::PageCard;
using report::PageSection;
using report::PageTable;

double lost_ms(const Json& document) {
  double sum = 0.0;
  for (const Json& cause : member_or_null(document, "stalls_ms"))
    if (cause.is_number()) sum += cause.get<double>();
  return sum;
}

// Counts the keys of all kernels by how far their tuning is.
PageCard best_of_tuner(const Json& document) {
  PageCard card{.question = "What was tuned", .figure = "Nothing", .words = {}};
  std::map<std::string, std::size_t> states;
  std::size_t kernels = 0, keys = 0;
  for (const Json& kernel : elements_of(document, "kernels")) {
    ++kernels;
    for (const Json& key : elements_of(kernel, "keys")) {
      ++keys;
      ++states[text_of(key, "state")];
      if (keys == 1)
        card.words.push_back(fmt::format("The best of {} for {}: {}.", text_of(kernel, "kernel"),
                                         assignments_of(member_or_null(key, "key")),
                                         assignments_of(member_or_null(key, "best"))));
    }
  }
  if (keys == 0) return card;
  card.figure = fmt::format("{} of {}", counted(keys, "key"), counted(kernels, "kernel"));
  for (const auto& [state, count] : states)
    card.words.push_back(fmt::format("State {}: {}.", state.empty() ? "unknown" : state, counted(count, "key")));
  return card;
}

PageSection answer_of_tuner(const Json& document) {
  const double saved = number_of(document, "saved_ms").value_or(0.0);
  const double lost = lost_ms(document);
  const double running = number_of(document, "running_ms").value_or(0.0);
  PageSection section("answer", "The answer");
  PageCard worth{
      .question = "Whether tuning paid off",
      .figure = saved > lost ? "Yes" : "Not yet",
      .words = {fmt::format("Calls took {} less than with their first configurations.",
                            format_time(nanoseconds_from_ms(saved))),
                fmt::format("Stalls took {} of {} that the application ran.", format_time(nanoseconds_from_ms(lost)),
                            format_time(nanoseconds_from_ms(running)))}};
  PageCard stall{
      .question = "The longest stall of a call", .figure = time_text(document, "longest_stall_ms"), .words = {}};
  stall.words.push_back(fmt::format("Code was loaded {} times, {} of them in gaps.", number_text(document, "loads"),
                                    number_text(document, "loads_in_gaps")));
  std::size_t wrong = 0;
  for (const Json& kernel : elements_of(document, "kernels"))
    wrong += static_cast<std::size_t>(number_of(kernel, "wrong_results").value_or(0.0));
  PageCard safe{.question = "Wrong results that comparisons found", .figure = group_digits(wrong), .words = {}};
  safe.words.emplace_back("None of them reached the application.");
  section.add_cards({best_of_tuner(document), worth, stall, safe});
  for (const Json& note : elements_of(document, "notes"))
    if (note.is_string()) section.add_warning(note.get<std::string>());
  return section;
}

// Lists the keys of all kernels, with the best of each.
PageSection keys_section(const Json& document) {
  PageSection section("keys", "Kernels and keys");
  PageTable table = PageTable::of(4, {"kernel", "key", "best", "state", "time", "calls", "tried", "failed"});
  for (const Json& kernel : elements_of(document, "kernels"))
    for (const Json& key : elements_of(kernel, "keys"))
      table.rows.push_back({text_of(kernel, "kernel"), assignments_of(member_or_null(key, "key")),
                            assignments_of(member_or_null(key, "best")), text_of(key, "state"),
                            time_text(key, "time_ms"), number_text(key, "calls"), number_text(key, "explored"),
                            number_text(key, "failed")});
  section.add_table("The best known of each key", table);
  return section;
}

PageSection failures_of_tuner(const Json& document) {
  PageSection section("failures", "Failures");
  PageTable table = PageTable::of(4, {"kernel", "kind", "message", "configuration"});
  for (const Json& kernel : elements_of(document, "kernels"))
    for (const Json& key : elements_of(kernel, "keys"))
      for (const Json& failure : elements_of(key, "failures"))
        table.rows.push_back({text_of(kernel, "kernel"), text_of(failure, "status"), text_of(failure, "message"),
                              assignments_of(member_or_null(failure, "configuration"))});
  if (table.rows.empty())
    section.add_words("No configuration failed.");
  else
    section.add_table("Configurations that failed", table);
  return section;
}

PageSection stalls_section(const Json& document) {
  PageSection section("stalls", "Where time was lost");
  PageTable table = PageTable::of(1, {"cause", "time"});
  for (const auto& [cause, time] : member_or_null(document, "stalls_ms").items())
    if (time.is_number()) table.rows.push_back({cause, format_time(nanoseconds_from_ms(time.get<double>()))});
  section.add_table("Stalls by cause", table);
  PageTable sizes = PageTable::of(0, {"shorter than", "calls"});
  double bound = 1e3;
  for (const Json& count : elements_of(document, "histogram")) {
    if (count != Json(0)) sizes.rows.push_back({format_time(Nanoseconds(bound)), count.dump()});
    bound *= 2.0;
  }
  section.add_table_behind("Stalls of calls by size", sizes);
  return section;
}

}  // namespace

std::vector<report::PagePart> parts_of_tuner(const Json& document, const std::string& file) {
  PageSection next("next", "What to do next");
  next.add_words("The application keeps what it learned in its wisdom file, if it names one. This shows such a file:");
  next.add_command("Its entries, by kernel, device and key:", "wattune show FILE.wisdom");
  PageSection origin("origin", "Origin");
  origin.add_facts({{"file", file}});
  return {{.title = "Tuning inside an application",
           .sections = {answer_of_tuner(document), next, failures_of_tuner(document), keys_section(document),
                        stalls_section(document), origin}}};
}

}  // namespace wattune::cli
