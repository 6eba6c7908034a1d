#include <fmt/format.h>

#include <algorithm>

#include "core/interface/wording.h"
#include "report/failures.h"
#include "report/interface/text.h"
#include "report/page/tuning_sections.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr std::size_t kMessagesOfKind = 10;    // most messages shown of one kind
constexpr std::size_t kLongestMessage = 1000;  // characters of a message

std::string meaning_of(Status status) {
  switch (status) {
    case Status::correct: return "correct, but without some metrics";
    case Status::compile: return "the compiler refused it, crashed or took too much memory";
    case Status::runtime: return "the launch failed, crashed, or wrote outside its buffers";
    case Status::timeout: return "compiling or running took too long";
    case Status::correctness: return "its output differs from the reference";
    case Status::constraints: return "it breaks a constraint or a limit of the device";
    case Status::not_recorded: return "the recording has no answer, which says nothing about it";
  }
  return {};
}

void add_kind(const FailureKind& kind, PageSection& section) {
  PageTable table = PageTable::of(2, {"message", "an example", "count"});
  for (std::size_t i = 0; i < std::min(kind.messages.size(), kMessagesOfKind); ++i) {
    const FailureMessage& message = kind.messages[i];
    table.rows.push_back({message.text.empty() ? "(no message)" : cut(message.text, kLongestMessage),
                          message.example->configuration.to_string(), group_digits(message.count)});
  }
  const std::size_t others = kind.messages.size() - table.rows.size();
  section.add_table(
      fmt::format("{}, {}: {}", to_string(kind.status), counted(kind.count, "time"), meaning_of(kind.status)), table);
  if (others > 0) section.add_words(fmt::format("There are {} of this kind.", counted(others, "other message")));
}

}  // namespace

PageSection failures_section(const TuningRun& run) {
  PageSection section("failures", "Failures");
  const std::vector<FailureKind> failures = failures_of(run.results);
  const std::size_t all = run.results.trials.size();
  if (all == 0) section.add_words("No configuration was evaluated.");
  if (all > 0 && failures.empty())
    section.add_words(fmt::format("No configuration failed: {} gave correct results.", counted(all, "evaluation")));
  for (const FailureKind& kind : failures) add_kind(kind, section);
  return section;
}

}  // namespace wattune::report
