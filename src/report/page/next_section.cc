#include <fmt/format.h>

#include <algorithm>

#include "core/interface/wording.h"
#include "report/best_table.h"
#include "report/failures.h"
#include "report/interface/trials.h"
#include "report/page/limit_card.h"
#include "report/page/tuning_sections.h"

namespace wattune::inline v0_1::report {

namespace {

// The share of the evaluations before which the search must have found its best, or else it may find better ones.
constexpr double kSettled = 0.8;

bool is_packed_journal(const TuningRun& run) { return run.file.ends_with(".jsonl.xz"); }
bool is_journal(const TuningRun& run) { return run.file.ends_with(".jsonl") || is_packed_journal(run); }

bool ended_while_improving(const TuningRun& run) {
  const auto all = static_cast<double>(run.results.trials.size());
  return all >= 2 && static_cast<double>(last_improvement(run.results)) > kSettled * all;
}

// Returns how many kernels were tuned as one, by the order of their launches.
std::size_t count_together(const TuningRun& run) {
  const auto order = run.results.info.identity.find("launch order");
  if (order == run.results.info.identity.end()) return 1;
  return static_cast<std::size_t>(std::ranges::count(order->second, ',')) + 1;
}

// Returns the words that name the files of the kernels.
std::string specs_of(const TuningRun& run) {
  const std::size_t kernels = count_together(run);
  std::string words = kernels > 1 ? "--together" : "SPEC";
  for (std::size_t i = 0; kernels > 1 && i < kernels; ++i) words += " SPEC";
  return words;
}

// Returns the command that goes on with the search, or begins one from these results. Kernels that are tuned as one
// cannot begin from the results of another search.
std::string search_command(const TuningRun& run) {
  constexpr std::size_t kPackedEnding = 3;  // characters of ".xz"
  if (is_packed_journal(run)) {
    const std::string unpacked = run.file.substr(0, run.file.size() - kPackedEnding);
    return fmt::format("xz --decompress --keep {} && wattune tune {} --output {} --resume --time 10m", run.file_word(),
                       specs_of(run), word_for_file(unpacked));
  }
  if (is_journal(run))
    return fmt::format("wattune tune {} --output {} --resume --time 10m", specs_of(run), run.file_word());
  if (count_together(run) > 1) return fmt::format("wattune tune {} --time 10m", specs_of(run));
  return fmt::format("wattune tune SPEC --warm-start {} --time 10m", run.file_word());
}

// Returns the values as an option of a command takes them.
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

// Adds the search that is worth its time, with the reason. A search ends with a final.
void add_search(const TuningRun& run, PageSection& section) {
  const bool lacks_final = !is_winner(run.best()) && run.ranked.size() > 1;
  if (ended_while_improving(run) && !has_all_combinations(run))
    section.add_command(
        "The search found better ones until near its end. More time may find more (SPEC is the file "
        "of the kernel):",
        search_command(run));
  else if (lacks_final && is_journal(run))
    section.add_command("No final was held. Going on with the search ends with one (SPEC is the file of the kernel):",
                        search_command(run));
  else if (lacks_final)
    section.add_command(
        "No final was held. A search of Wattune's own, which begins from these results, ends with one (SPEC is the "
        "file of the kernel):",
        search_command(run));
}

// Adds what tells the worth over the default, if that was not recorded.
void add_default(const TuningRun& run, PageSection& section) {
  if (default_trial(run.results) == nullptr && count_together(run) == 1)
    section.add_command("The default was not recorded. This measures it (SPEC is the file of the kernel):",
                        "wattune run SPEC");
}

// Adds what tells how near the best is to a limit, on devices whose counters can be read.
void add_counters(const TuningRun& run, PageSection& section) {
  if (has_limit(run) || run.results.info.device.backend != "cuda" || count_together(run) > 1) return;
  section.add_command(
      "No limit is known. This counts what the best uses of the device's peaks (SPEC is the file of the kernel):",
      fmt::format("wattune run SPEC --configuration {} --observe dram_utilization,compute_utilization",
                  assignments(run.best().configuration)));
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
    add_default(run, section);
    add_counters(run, section);
  } else if (run.results.trials.empty()) {
    section.add_command("This begins the search (SPEC is the file of the kernel):", search_command(run));
  } else {
    add_remedy(run, section);
  }
  return section;
}

}  // namespace wattune::report
