#include "report/header_choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interface/printable.h"
#include "report/header_text.h"
#include "report/interface/trials.h"

namespace wattune::inline v0_1::report {

namespace {

std::string device_macro(const std::string& device_name) {
  const std::string name = upper(identifier(device_name));
  return "WATTUNE_DEVICE_" + (name.empty() ? "UNKNOWN" : name);
}

std::string size_macro(const std::string& problem_size) {
  return problem_size.empty() ? std::string() : "WATTUNE_SIZE_" + upper(identifier(problem_size));
}

std::string objective_sentence(const RunInfo& info) {
  if (info.objectives.empty()) return "least time";
  const Objective& objective = info.objectives.front();
  return (objective.maximize ? "largest " : "least ") + objective.metric +
         (objective.slowdown ? fmt::format(" at most {:g} % slower", 100.0 * *objective.slowdown) : "");
}

Error mismatch(const RunInfo& info, const std::string& what) {
  const std::string device = info.device.name.empty() ? "one device" : info.device.name;
  return Error(ErrorCode::mismatch, fmt::format("results for {} {}", device, what)).hint("export each apart");
}

// True if the two sizes may be the same. A size that was not recorded may be any size.
bool same_size(const Choice& one, const Choice& other) {
  return one.size_macro.empty() || other.size_macro.empty() || one.size_macro == other.size_macro;
}

// Checks the macros of a new choice. Fails with mismatch if two different names give the same macro.
Result<void> check_macros(const std::vector<Choice>& choices, const Choice& added) {
  const auto refuse = [](const char* what, const std::string& macro, const std::string& one, const std::string& other) {
    return Error(ErrorCode::mismatch, fmt::format("two {} have the same macro in a header, {}: {} and {}", what, macro,
                                                  in_quotes(one), in_quotes(other)))
        .hint("export each apart");
  };
  for (const Choice& choice : choices) {
    const RunInfo& one = *choice.info;
    const RunInfo& other = *added.info;
    if (choice.device_macro == added.device_macro && one.device.name != other.device.name)
      return refuse("devices", added.device_macro, one.device.name, other.device.name);
    if (!added.size_macro.empty() && choice.size_macro == added.size_macro && one.problem_size != other.problem_size)
      return refuse("problem sizes", added.size_macro, one.problem_size, other.problem_size);
  }
  return {};
}

// Checks that two results for one device have the same objectives, since only the best of the results for one size is
// kept. Fails with mismatch otherwise.
Result<void> check_comparable(const std::vector<Choice>& choices, const Choice& added) {
  std::size_t fitting = 0;
  for (const Choice& choice : choices) {
    if (choice.device_macro != added.device_macro) continue;
    if (objective_sentence(*choice.info) != objective_sentence(*added.info))
      return mismatch(*added.info, fmt::format("are of different objectives: {} and {}",
                                               objective_sentence(*choice.info), objective_sentence(*added.info)));
    if (same_size(choice, added)) ++fitting;
  }
  return fitting < 2 ? Result<void>() : mismatch(*added.info, "are of several problem sizes, and one tells none");
}

Result<void> add(std::vector<Choice>& choices, Choice added) {
  WATTUNE_TRY(check_macros(choices, added));
  WATTUNE_TRY(check_comparable(choices, added));
  const auto known = std::ranges::find_if(choices, [&](const Choice& choice) {
    return choice.device_macro == added.device_macro && same_size(choice, added);
  });
  if (known == choices.end()) {
    choices.push_back(std::move(added));
  } else if (added.trial->observation.objective() < known->trial->observation.objective()) {
    *known = std::move(added);
  }
  return {};
}

}  // namespace

Result<std::vector<Choice>> choices_of(const std::vector<ResultSet>& results) {
  std::vector<Choice> choices;
  // Results without a size come last, because the sizes of the other results must be known before.
  for (const bool with_size : {true, false}) {
    for (const ResultSet& result : results) {
      if (result.info.problem_size.empty() == with_size) continue;
      const Trial* const best = result.best();
      if (best == nullptr || !has_time(*best)) continue;
      WATTUNE_TRY(add(
          choices, {device_macro(result.info.device.name), size_macro(result.info.problem_size), &result.info, best}));
    }
  }
  return choices;
}

bool differ_in_size(const std::vector<Choice>& choices) {
  return std::ranges::any_of(choices, [&](const Choice& choice) {
    return std::ranges::count(choices, choice.device_macro, &Choice::device_macro) > 1;
  });
}

}  // namespace wattune::report
