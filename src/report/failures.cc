#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/interface/printable.h"
#include "report/failures.h"
#include "report/interface/text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr std::size_t kMessagesPerStatus = 3;
constexpr std::size_t kIndent = 9;  // columns by which the text below a message is indented

std::vector<FailureMessage> messages_of(const ResultSet& results, Status status) {
  std::map<std::string, FailureMessage> by_text;
  const auto text_of = [status](const Trial& trial) {
    return status == Status::correct ? trial.observation.lacking : trial.observation.message;
  };
  for (const Trial& trial : results.trials) {
    if (trial.observation.status != status) continue;
    if (status == Status::correct && trial.observation.lacking.empty()) continue;
    FailureMessage& message = by_text[text_of(trial)];
    if (message.example == nullptr) message = {text_of(trial), 0, &trial};
    ++message.count;
  }
  std::vector<FailureMessage> messages;
  messages.reserve(by_text.size());
  for (auto& [text, message] : by_text) messages.push_back(std::move(message));
  std::stable_sort(messages.begin(), messages.end(),
                   [](const FailureMessage& a, const FailureMessage& b) { return a.count > b.count; });
  return messages;
}

std::string section_of(const FailureKind& kind, std::size_t width) {
  const char* lacking = kind.status == Status::correct ? ", without some metrics" : "";
  std::string text = cut(fmt::format("{}{}: {}", to_string(kind.status), lacking, kind.count), width) + "\n";
  for (std::size_t i = 0; i < std::min(kind.messages.size(), kMessagesPerStatus); ++i) {
    const FailureMessage& message = kind.messages[i];
    const std::string words = message.text.empty() ? "(no message)" : printable(message.text);
    text += paragraph(fmt::format("{:>6}x  {}", message.count, words), width, kIndent);
    text += paragraph(fmt::format("         e.g. {}", message.example->configuration.to_string()), width, kIndent);
  }
  if (kind.messages.size() > kMessagesPerStatus)
    text += cut(fmt::format("         and {} other messages", kind.messages.size() - kMessagesPerStatus), width) + "\n";
  return text;
}

}  // namespace

std::vector<FailureKind> failures_of(const ResultSet& results) {
  std::vector<FailureKind> kinds;
  for (const Status status : kAllStatuses) {
    FailureKind kind{.status = status, .messages = messages_of(results, status)};
    for (const FailureMessage& message : kind.messages) kind.count += message.count;
    if (kind.count > 0) kinds.push_back(std::move(kind));
  }
  return kinds;
}

std::string table_of_failures(const ResultSet& results, std::size_t width) {
  if (results.trials.empty()) return paragraph("No configuration was evaluated.", width);
  std::string text;
  for (const FailureKind& kind : failures_of(results)) text += section_of(kind, width);
  if (!text.empty()) return text;
  return paragraph(fmt::format("No failures: {} evaluations, all correct.", results.trials.size()), width);
}

}  // namespace wattune::report
