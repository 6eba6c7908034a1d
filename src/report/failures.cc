#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/interface/printable.h"
#include "report/interface/text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr std::size_t kMessagesPerStatus = 3;
constexpr std::size_t kIndent = 9;  // columns by which the text below a message is indented

struct Message {
  std::string text;
  std::size_t count = 0;
  const Trial* example = nullptr;
};

std::vector<Message> messages_of(const ResultSet& results, Status status) {
  std::map<std::string, Message> by_text;
  const auto text_of = [status](const Trial& trial) {
    return status == Status::correct ? trial.observation.lacking : trial.observation.message;
  };
  for (const Trial& trial : results.trials) {
    if (trial.observation.status != status) continue;
    if (status == Status::correct && trial.observation.lacking.empty()) continue;
    Message& message = by_text[text_of(trial)];
    if (message.example == nullptr) message = {text_of(trial), 0, &trial};
    ++message.count;
  }
  std::vector<Message> messages;
  messages.reserve(by_text.size());
  for (auto& [text, message] : by_text) messages.push_back(std::move(message));
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.count > b.count; });
  return messages;
}

std::string section_of(Status status, const std::vector<Message>& messages, std::size_t width) {
  std::size_t total = 0;
  for (const Message& message : messages) total += message.count;
  const char* lacking = status == Status::correct ? ", without some metrics" : "";
  std::string text = cut(fmt::format("{}{}: {}", to_string(status), lacking, total), width) + "\n";
  for (std::size_t i = 0; i < std::min(messages.size(), kMessagesPerStatus); ++i) {
    const Message& message = messages[i];
    const std::string words = message.text.empty() ? "(no message)" : printable(message.text);
    text += paragraph(fmt::format("{:>6}x  {}", message.count, words), width, kIndent);
    text += paragraph(fmt::format("         e.g. {}", message.example->configuration.to_string()), width, kIndent);
  }
  if (messages.size() > kMessagesPerStatus)
    text += cut(fmt::format("         and {} other messages", messages.size() - kMessagesPerStatus), width) + "\n";
  return text;
}

}  // namespace

std::string table_of_failures(const ResultSet& results, std::size_t width) {
  if (results.trials.empty()) return paragraph("No configuration was evaluated.", width);
  std::string text;
  for (Status status : kAllStatuses) {
    const std::vector<Message> messages = messages_of(results, status);
    if (!messages.empty()) text += section_of(status, messages, width);
  }
  if (!text.empty()) return text;
  return paragraph(fmt::format("No failures: {} evaluations, all correct.", results.trials.size()), width);
}

}  // namespace wattune::report
