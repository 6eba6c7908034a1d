#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/interface/printable.h"
#include "report/header_choices.h"
#include "report/header_lookup.h"
#include "report/header_text.h"
#include "report/interface/trials.h"
#include "report/time_text.h"
#include "wattune/core/version.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

std::string date_of(std::chrono::system_clock::time_point time) {
  if (time == std::chrono::system_clock::time_point()) return "date unknown";
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
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

Result<void> check_macro_names(const RunInfo& info) {
  std::map<std::string, std::string> parameter_of;
  for (const Parameter& parameter : info.parameters) {
    const auto [found, is_new] = parameter_of.emplace(parameter_macro(parameter.name), parameter.name);
    if (!is_new)
      return Error(ErrorCode::mismatch, fmt::format("two parameters have the same macro in a header, {}: {} and {}",
                                                    found->first, in_quotes(found->second), in_quotes(parameter.name)));
  }
  return {};
}

// Checks texts that are written into the header. Fails with invalid_argument if one would continue its definition on
// the next line or begin a comment.
Result<void> check_values(const Configuration& configuration) {
  for (std::size_t i = 0; i < configuration.values().size(); ++i) {
    const std::string text = replacement(configuration.values()[i]);
    if (text.ends_with('\\') || text.find("/*") != std::string::npos)
      return Error(ErrorCode::invalid_argument,
                   "a header cannot hold this value of " + in_quotes(configuration.names()[i]))
          .about(text);
  }
  return {};
}

bool is_default(const Choice& choice) {
  const std::vector<Value>& values = choice.info->default_values;
  return !values.empty() && choice.trial->configuration.values() == values;
}

std::string defines_of(const Choice& choice) {
  const std::string device = choice.info->device.name.empty() ? "unknown device" : choice.info->device.name;
  const std::string size =
      choice.info->problem_size.empty() ? "" : fmt::format(", problem size {}", choice.info->problem_size);
  std::string text = fmt::format(
      "/* {}: {}{}, {} on {}{}. */\n", in_comment(device), time_text(time_of(*choice.trial)), in_comment(size),
      choice.info->device.kind == DeviceKind::simulated ? "replayed" : "measured", date_of(choice.trial->finished_at),
      is_default(choice) ? "; it is the default, no other proved better" : "");
  const std::vector<Value>& values = choice.trial->configuration.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    text +=
        fmt::format("#define {} {}\n", parameter_macro(choice.trial->configuration.names()[i]), replacement(values[i]));
  return text;
}

// Lists the values of one member of the choices, which holds a macro. Each value is listed once, in the order of the
// choices.
std::vector<std::string> macros_of(const std::vector<Choice>& choices, std::string Choice::*macro) {
  std::vector<std::string> macros;
  for (const Choice& choice : choices)
    if (!(choice.*macro).empty() && std::ranges::count(macros, choice.*macro) == 0) macros.push_back(choice.*macro);
  return macros;
}

bool has_one_device(const std::vector<Choice>& choices) {
  return macros_of(choices, &Choice::device_macro).size() == 1;
}

std::string defined(const std::vector<std::string>& macros, const char* joined_by) {
  std::vector<std::string> conditions;
  for (const std::string& macro : macros) conditions.push_back(fmt::format("defined({})", macro));
  return fmt::format("{}", fmt::join(conditions, joined_by));
}

// Returns the preprocessor's condition for a choice. It tests the device if there are several devices, and the size if
// there are several sizes.
std::string condition_of(const Choice& choice, const std::vector<Choice>& choices) {
  std::vector<std::string> macros;
  if (!has_one_device(choices)) macros.push_back(choice.device_macro);
  if (differ_in_size(choices) && !choice.size_macro.empty()) macros.push_back(choice.size_macro);
  return defined(macros, " && ");
}

std::string refusal_of(const std::vector<Choice>& choices) {
  const std::vector<std::string> devices = macros_of(choices, &Choice::device_macro);
  const std::vector<std::string> sizes = macros_of(choices, &Choice::size_macro);
  if (!differ_in_size(choices)) return fmt::format("#error \"define one of: {}\"\n", fmt::join(devices, ", "));
  const std::string device = devices.size() == 1 ? "" : fmt::format("one of: {}; and ", fmt::join(devices, ", "));
  return fmt::format("#error \"define {}one of: {}\"\n", device, fmt::join(sizes, ", "));
}

// Returns the part of the header for the case that no macro chooses a set: a lookup function on the host, or an error.
std::string otherwise(const std::string& kernel, const std::vector<Choice>& choices) {
  const std::string lookup = differ_in_size(choices) ? lookup_of(kernel, choices) : std::string();
  if (lookup.empty()) return "#else\n" + refusal_of(choices);
  std::vector<std::string> macros = macros_of(choices, &Choice::device_macro);
  std::ranges::copy(macros_of(choices, &Choice::size_macro), std::back_inserter(macros));
  for (const char* device_code : {"__OPENCL_VERSION__", "__CUDACC_RTC__"}) macros.emplace_back(device_code);
  return fmt::format("#elif {}\n{}#else\n{}", defined(macros, " || "), refusal_of(choices), lookup);
}

// Returns the sets of definitions, each behind its condition. With one device and size there is no condition. With
// several, the application must choose, because the best configuration for one device or size may be slow for another.
std::string choice_of(const std::string& kernel, const std::vector<Choice>& choices) {
  if (choices.size() == 1)
    return fmt::format("/* {} is the only device. */\n", choices.front().device_macro) + defines_of(choices.front());
  std::string text;
  for (const Choice& choice : choices)
    text += fmt::format("#{} {}\n{}", text.empty() ? "if" : "elif", condition_of(choice, choices), defines_of(choice));
  return text + otherwise(kernel, choices) + "#endif\n";
}

std::string instruction(const std::string& kernel, const std::vector<Choice>& choices) {
  if (!differ_in_size(choices)) return "Choose a device with -D and the name of its macro.";
  const char* what = has_one_device(choices) ? "a size" : "a device and a size";
  std::string text = fmt::format("Choose {} with -D and the names of their macros", what);
  if (!lookup_of(kernel, choices).empty())
    text += fmt::format(",\n * or define none and ask {}() while the program runs", lookup_function(kernel));
  return text + ".";
}

}  // namespace

Result<std::string> write_header(const std::vector<ResultSet>& results) {
  WATTUNE_TRY(check_same_kernel(results));
  if (!results.empty()) WATTUNE_TRY(check_macro_names(results.front().info));
  WATTUNE_ASSIGN(const std::vector<Choice> choices, choices_of(results));
  if (choices.empty()) return Error(ErrorCode::not_found, "no result has a correct configuration to write a header of");
  for (const Choice& choice : choices) WATTUNE_TRY(check_values(choice.trial->configuration));
  const std::string& kernel = results.front().info.kernel_name;
  const std::string guard = fmt::format("WATTUNE_{}_H", kernel.empty() ? "KERNEL" : upper(identifier(kernel)));
  return fmt::format(
      "/* The best configuration of {} on each device{}, found by Wattune {}.\n"
      " * {} */\n"
      "#ifndef {}\n#define {}\n\n{}\n#endif /* {} */\n",
      kernel.empty() ? "the kernel" : in_comment(kernel), differ_in_size(choices) ? " for each problem size" : "",
      kVersion, instruction(kernel, choices), guard, guard, choice_of(kernel, choices), guard);
}

}  // namespace wattune::report
