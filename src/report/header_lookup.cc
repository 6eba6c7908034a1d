#include "report/header_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/header_text.h"

namespace wattune::inline v0_1::report {

namespace {

// Returns the numbers in the text of the problem size, such as 1024 and 768 in "1024x768".
std::vector<std::string> extents_of(const RunInfo& info) {
  std::vector<std::string> extents;
  bool inside = false;
  for (const char c : info.problem_size) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !inside) extents.emplace_back();
    if (digit) extents.back() += c;
    inside = digit;
  }
  return extents;
}

bool all_are(const std::vector<Choice>& choices, std::size_t parameter, bool (Value::*kind)() const) {
  return std::ranges::all_of(
      choices, [&](const Choice& choice) { return (choice.trial->configuration.values()[parameter].*kind)(); });
}

std::string type_of(const std::vector<Choice>& choices, std::size_t parameter) {
  if (all_are(choices, parameter, &Value::is_integral)) return "long long";
  return all_are(choices, parameter, &Value::is_number) ? "double" : "const char*";
}

std::string prefix_of(const std::string& kernel_name) {
  return "wattune_" + (identifier(kernel_name).empty() ? "kernel" : identifier(kernel_name));
}

std::string struct_of(const std::string& prefix, const std::vector<Choice>& choices) {
  const std::vector<std::string>& names = choices.front().trial->configuration.names();
  std::string fields;
  for (std::size_t i = 0; i < names.size(); ++i)
    fields += fmt::format("    {} {};\n", type_of(choices, i), parameter_macro(names[i]));
  return fmt::format(
      "typedef struct {0}_configuration {{\n"
      "  const char* device;\n"
      "  double problem_size[{1}];\n"
      "  const char* defines; /* lines to put before the kernel's source */\n"
      "  struct {{\n{2}  }} parameters;\n"
      "}} {0}_configuration;\n",
      prefix, extents_of(*choices.front().info).size(), fields);
}

std::string row_of(const Choice& choice, const std::vector<Choice>& choices) {
  const Configuration& configuration = choice.trial->configuration;
  std::string defines;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < configuration.values().size(); ++i) {
    const Value& value = configuration.values()[i];
    defines += fmt::format("#define {} {}\n", parameter_macro(configuration.names()[i]), replacement(value));
    values.push_back(type_of(choices, i) == "const char*" ? c_string(replacement(value)) : replacement(value));
  }
  return fmt::format("    {{{}, {{{}}}, {},\n     {{{}}}}},\n", c_string(choice.info->device.name),
                     fmt::join(extents_of(*choice.info), ", "), c_string(defines), fmt::join(values, ", "));
}

// Returns the code of the lookup, with a parameter for each extent. The lookup compares sizes by the product of the
// ratios of their extents.
std::string function_of(const std::string& prefix, std::size_t choices, std::size_t extents) {
  std::string parameters;
  std::string wanted;
  for (std::size_t i = 0; i < extents; ++i) {
    parameters += fmt::format(", double size_{}", i);
    wanted += fmt::format("{}size_{}", i == 0 ? "" : ", ", i);
  }
  return fmt::format(
      R"(/* The one for this device, as its driver names it, whose size is nearest; a null pointer for another device. */
WATTUNE_LOOKUP_FUNCTION const {0}_configuration* {0}_find(const char* device{3}) {{
  const double wanted[] = {{{4}}};
  const {0}_configuration* found = 0;
  double least = 0;
  for (int i = 0; i < {1}; ++i) {{
    const {0}_configuration* known = &{0}_configurations[i];
    int same = 0;
    double factor = 1;
    while (device[same] && device[same] == known->device[same]) ++same;
    for (int k = 0; k < {2}; ++k)
      factor *= wanted[k] > known->problem_size[k] ? wanted[k] / known->problem_size[k]
                                                   : known->problem_size[k] / wanted[k];
    if (device[same] != known->device[same] || (found && factor >= least)) continue;
    found = known;
    least = factor;
  }}
  return found;
}}
)",
      prefix, choices, extents, parameters, wanted);
}

}  // namespace

std::string lookup_function(const std::string& kernel_name) { return prefix_of(kernel_name) + "_find"; }

std::string lookup_of(const std::string& kernel_name, const std::vector<Choice>& choices) {
  const std::size_t extents = extents_of(*choices.front().info).size();
  const auto has_as_many = [&](const Choice& choice) { return extents_of(*choice.info).size() == extents; };
  if (extents == 0 || !std::ranges::all_of(choices, has_as_many)) return {};
  const std::string prefix = prefix_of(kernel_name);
  std::string rows;
  for (const Choice& choice : choices) rows += row_of(choice, choices);
  return fmt::format(
      "#if defined(__cplusplus) && __cplusplus >= 201402L\n"
      "#define WATTUNE_LOOKUP_TABLE static constexpr\n"
      "#define WATTUNE_LOOKUP_FUNCTION constexpr\n"
      "#else\n"
      "#define WATTUNE_LOOKUP_TABLE static const\n"
      "#define WATTUNE_LOOKUP_FUNCTION static inline\n"
      "#endif\n"
      "{0}"
      "WATTUNE_LOOKUP_TABLE {1}_configuration {1}_configurations[] = {{\n{2}}};\n"
      "{3}"
      "#undef WATTUNE_LOOKUP_TABLE\n"
      "#undef WATTUNE_LOOKUP_FUNCTION\n",
      struct_of(prefix, choices), prefix, rows, function_of(prefix, choices.size(), extents));
}

}  // namespace wattune::report
