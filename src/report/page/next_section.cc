#include <fmt/format.h>

#include <algorithm>

#include "core/interface/wording.h"
#include "report/best_table.h"
#include "report/failures.h"
#include "report/page/tuning_sections.h"

namespace wattune::inline v0_1::report {

namespace {

// The share of the evaluations before which the search must have found its best, or else it may find better ones.
constexpr double kSettled = 0.8;

bool is_journal(const TuningRun& run) { return run.file.ends_with(".jsonl"); }

bool ended_while_improving(const TuningRun& run) {
  const auto all = static_cast<double>(run.results.trials.size());
  return all >= 2 && static_cast<double>(last_improvement(run.results)) > kSettled * all;
}

// Returns the command that goes on with the search, or begins one from these results.
std::string search_command(const TuningRun& run) {
  if (is_journal(run)) return fmt::format("wattune tune SPEC --output {} --resume --time 10m", run.file_word());
  return fmt::format("wattune tune SPEC --warm-start {} --time 10m", run.file_word());
}

std::string assignments(const Configuration& configuration) {
  std::string text;
  for (std::size_t i = 0; i < configuration.names().size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ",", configuration.names()[i], configuration.values()[i].to_string());
  return quoted_for_shell(text);
}

void add_export(const TuningRun& run, PageSection& section) {
  if (run.standard == &run.best()) {
    section.add_words("The default stays as it is: nothing need be changed.");
    return;
  }
  section.add_command(
      "This writes the best configuration as a C header, which the application includes:",
      fmt::format("wattune export {} --format header --output {}_tuned.h", run.file_word(), run.file_stem()));
}

// Adds the search that is worth its time, with the reason.
void add_search(const TuningRun& run, PageSection& section) {
  const bool may_hold_final = is_journal(run) && !is_winner(run.best()) && run.ranked.size() > 1;
  if (ended_while_improving(run))
    section.add_command(
        "The search found better ones until near its end. More time may find more (SPEC is the file "
        "of the kernel):",
        search_command(run));
  else if (may_hold_final)
    section.add_command("No final was held. Going on with the search ends with one (SPEC is the file of the kernel):",
                        search_command(run));
}

void add_remedy(const TuningRun& run, PageSection& section) {
  const std::vector<FailureKind> failures = failures_of(run.results);
  const auto worst = std::ranges::max_element(failures, {}, &FailureKind::count);
  if (worst == failures.end()) return;
  section.add_command(
      fmt::format("The most frequent failure is {}, {}. This runs an example again, with all messages (SPEC is the "
                  "file of the kernel):",
                  to_string(worst->status), counted(worst->count, "time")),
      fmt::format("wattune run SPEC --configuration {}", assignments(worst->messages.front().example->configuration)));
}

}  // namespace

PageSection next_section(const TuningRun& run) {
  PageSection section("next", "What to do next");
  if (run.has_answer()) {
    add_export(run, section);
    add_search(run, section);
  } else if (run.results.trials.empty()) {
    section.add_command("This begins the search (SPEC is the file of the kernel):", search_command(run));
  } else {
    add_remedy(run, section);
  }
  return section;
}

}  // namespace wattune::report
