#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "report/text.h"
#include "report/time_text.h"
#include "report/trials.h"
#include "wattune/core/printable.h"
#include "wattune/core/version.h"
#include "wattune/report/report.h"

namespace wattune::report {

namespace {

// A C identifier, or the rest of one: other characters become underscores.
std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
    if (fits)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

std::string device_macro(const std::string& device_name) {
  const std::string name = upper(identifier(device_name));
  return "WATTUNE_DEVICE_" + (name.empty() ? "UNKNOWN" : name);
}

std::string parameter_macro(const std::string& name) {
  // Unlike a device's, a parameter's name keeps every underscore: the kernel uses it as it is.
  std::string macro = name;
  for (char& c : macro)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return !macro.empty() && std::isdigit(static_cast<unsigned char>(macro.front())) != 0 ? "_" + macro : macro;
}

// Text that must not end the comment it stands in.
std::string in_comment(std::string_view text) {
  std::string line = printable(text);
  for (std::size_t at = line.find("*/"); at != std::string::npos; at = line.find("*/", at)) line[at + 1] = '|';
  for (std::size_t at = line.find("/*"); at != std::string::npos; at = line.find("/*", at)) line[at] = '|';
  return line;
}

std::string real_replacement(double value) {
  if (std::isfinite(value)) return value < 0 ? "(" + format_real(value) + ")" : format_real(value);
  return std::isnan(value) ? "(0.0 / 0.0)" : value < 0 ? "(-1e999)" : "1e999";
}

std::string replacement(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer:
    case Value::Kind::boolean: return value.as_integer() < 0 ? "(" + value.to_macro() + ")" : value.to_macro();
    case Value::Kind::real: return real_replacement(value.as_real());
    case Value::Kind::string: return value.to_macro();
  }
  return {};
}

// A text that would end its definition or reach beyond it. Spaces serve a kernel as line breaks do.
Result<std::string> definition_of(const std::string& name, const Value& value) {
  const std::string text = printable(replacement(value));
  if (text.ends_with('\\') || text.find("/*") != std::string::npos)
    return Error(ErrorCode::invalid_argument, "a header cannot hold this value of " + in_quotes(name)).about(text);
  return fmt::format("#define {} {}\n", parameter_macro(name), text);
}

std::string date_of(std::chrono::system_clock::time_point time) {
  if (time == std::chrono::system_clock::time_point()) return "date unknown";
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

// The best configuration of one device.
struct Target {
  std::string macro;
  const RunInfo* info;
  const Trial* trial;
};

std::string objective_text(const RunInfo& info) {
  if (info.objectives.empty()) return "least time";
  const Objective& objective = info.objectives.front();
  return (objective.maximize ? "largest " : "least ") + objective.metric;
}

// Of two results for one device, one would be dropped: they must mean the same. A size that was not recorded may be
// any.
Result<void> check_comparable(const RunInfo& one, const RunInfo& other) {
  const auto mismatch = [&](const char* what, const std::string& first, const std::string& second) {
    return Error(ErrorCode::mismatch,
                 fmt::format("results for {} are of different {}: {} and {}",
                             one.device.name.empty() ? "one device" : one.device.name, what, first, second))
        .hint("export each apart");
  };
  if (!one.problem_size.empty() && !other.problem_size.empty() && one.problem_size != other.problem_size)
    return mismatch("problem sizes", one.problem_size, other.problem_size);
  if (objective_text(one) != objective_text(other))
    return mismatch("objectives", objective_text(one), objective_text(other));
  return {};
}

// One target for each device; of several results for one device the best, so that the order only matters in a tie.
Result<std::vector<Target>> targets_of(const std::vector<ResultSet>& results) {
  std::vector<Target> targets;
  for (const ResultSet& result : results) {
    const std::vector<const Trial*> trials = ranked(result);
    if (trials.empty()) continue;
    const Target target{device_macro(result.info.device.name), &result.info, trials.front()};
    const auto known =
        std::find_if(targets.begin(), targets.end(), [&](const Target& other) { return other.macro == target.macro; });
    if (known == targets.end()) {
      targets.push_back(target);
      continue;
    }
    WATTUNE_TRY(check_comparable(*known->info, *target.info));
    if (target.trial->observation.objective() < known->trial->observation.objective()) *known = target;
  }
  return targets;
}

Result<void> check_same_kernel(const std::vector<ResultSet>& results) {
  const auto names = [](const RunInfo& info) {
    std::vector<std::string> list;
    list.reserve(info.parameters.size());
    for (const Parameter& parameter : info.parameters) list.push_back(parameter.name);
    return list;
  };
  for (const ResultSet& result : results) {
    const RunInfo& first = results.front().info;
    if (result.info.kernel_name != first.kernel_name)
      return Error(ErrorCode::mismatch, fmt::format("the results are of different kernels: {} and {}",
                                                    first.kernel_name, result.info.kernel_name));
    if (names(result.info) != names(first))
      return Error(ErrorCode::mismatch,
                   fmt::format("the results have different parameters: {} and {}", fmt::join(names(first), ", "),
                               fmt::join(names(result.info), ", ")));
  }
  return {};
}

Result<std::string> defines_of(const Target& target) {
  const std::string device = target.info->device.name.empty() ? "unknown device" : target.info->device.name;
  const std::string size =
      target.info->problem_size.empty() ? "" : fmt::format(", problem size {}", target.info->problem_size);
  std::string text = fmt::format(
      "/* {}: {}{}, {} on {}. */\n", in_comment(device), time_text(time_of(*target.trial)), in_comment(size),
      target.info->device.kind == DeviceKind::simulated ? "replayed" : "measured", date_of(target.trial->finished_at));
  const Configuration& best = target.trial->configuration;
  for (std::size_t i = 0; i < best.values().size(); ++i) {
    WATTUNE_ASSIGN(const std::string definition, definition_of(best.names()[i], best.values()[i]));
    text += definition;
  }
  return text;
}

// The sets behind their conditions. With one device there is nothing to choose; with several the application says
// which, because what is best on one can be far off on another.
Result<std::string> choice_of(const std::vector<Target>& targets) {
  std::string text;
  std::string macros;
  for (const Target& target : targets) {
    WATTUNE_ASSIGN(const std::string defines, defines_of(target));
    if (targets.size() == 1) return fmt::format("/* {} is the only device. */\n", target.macro) + defines;
    text += fmt::format("#{} defined({})\n{}", text.empty() ? "if" : "elif", target.macro, defines);
    macros += (macros.empty() ? "" : ", ") + target.macro;
  }
  return text + fmt::format("#else\n#error \"define one of: {}\"\n#endif\n", macros);
}

}  // namespace

Result<std::string> write_header(const std::vector<ResultSet>& results) {
  WATTUNE_TRY(check_same_kernel(results));
  WATTUNE_ASSIGN(const std::vector<Target> targets, targets_of(results));
  if (targets.empty()) return Error(ErrorCode::not_found, "no result has a correct configuration to write a header of");
  WATTUNE_ASSIGN(const std::string choice, choice_of(targets));
  const std::string& kernel = results.front().info.kernel_name;
  const std::string guard = fmt::format("WATTUNE_{}_H", kernel.empty() ? "KERNEL" : upper(identifier(kernel)));
  return fmt::format(
      "/* The best configuration of {} on each device, found by Wattune {}.\n"
      " * Choose a device with -D and the name of its macro. */\n"
      "#ifndef {}\n#define {}\n\n{}\n#endif /* {} */\n",
      kernel.empty() ? "the kernel" : in_comment(kernel), kVersion, guard, guard, choice, guard);
}

}  // namespace wattune::report
