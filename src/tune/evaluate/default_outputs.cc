#include "tune/evaluate/default_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/interface/kill_count.h"
#include "tune/evaluate/attempt.h"
#include "tune/evaluate/evaluation_context.h"
#include "tune/evaluate/reminder.h"

namespace wattune::inline v0_1::tune {

namespace {

bool is_compared(const ExpectedOutput& output) { return std::ranges::any_of(output.rules, &PartRule::is_compared); }

// Runs the default configuration. Runs it again if a busy machine or a kill from outside may have made it fail. Returns
// why the configuration fails, or an empty text if it does not fail.
Result<std::string> try_default(EvaluationContext& run, const Configuration& standard,
                                std::vector<ExpectedOutput>& outputs, std::vector<std::string>& left_out) {
  backend::KillCount kills;
  for (bool first = true;; first = false) {
    Attempt attempt(run);
    const bool good = attempt.lay_down(standard, outputs, left_out);
    if (attempt.damaged_device()) WATTUNE_TRY(reset_device(run));
    if (good) return std::string();
    if (attempt.was_killed() && kills.allow_another()) continue;
    if (attempt.deserves_another_try() && first) continue;
    return attempt.error() ? attempt.error()->to_string() : attempt.observation().message;
  }
}

}  // namespace

Result<std::vector<ExpectedOutput>> run_default(EvaluationContext& run, const Configuration& standard,
                                                Verification& verification) {
  verification = {};
  WATTUNE_ASSIGN(std::vector<ExpectedOutput> outputs, comparable_outputs(run));
  if (outputs.empty()) {
    const bool has_any = std::ranges::any_of(run.spec.arguments, as_output);
    verification.why_not = has_any ? "no output that can be compared" : "no outputs";
    return outputs;
  }
  WATTUNE_TRY(check_lengths(run, standard, outputs));
  const Reminder reminder(run.options.on_slow_reference, "the default configuration, with which others are compared,",
                          run.limits.compile() + 2.0 * run.limits.run());
  WATTUNE_ASSIGN(const std::string failed, try_default(run, standard, outputs, verification.left_out));
  if (!failed.empty()) {
    verification = {.why_not = fmt::format("the default configuration {} fails: {}", standard.to_string(), failed)};
    return std::vector<ExpectedOutput>();
  }
  std::erase_if(outputs, [](const ExpectedOutput& output) { return !is_compared(output); });
  if (outputs.empty())
    verification.why_not = "all outputs differ between two runs of the default configuration";
  else
    verification.by = "default configuration " + standard.to_string();
  return outputs;
}

}  // namespace wattune::tune
