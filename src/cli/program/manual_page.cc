#include <fmt/format.h>

#include "cli/program/command_tree.h"
#include "wattune/core/version.h"

namespace wattune::cli {

namespace {

// Escapes text for troff, in which backslashes and dashes are special, and a leading dot or quote starts a request.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool line_start = result.empty() || result.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

constexpr std::size_t kTagWidth = 60;  // largest width in columns; a longer list of alternatives is put into the text

std::string one_of(const std::string& alternatives) {
  std::string result;
  for (const char c : alternatives) result += c == '|' ? ", " : std::string(1, c);
  return result;
}

std::string describe(const OptionEntry& option) {
  std::string text = ".TP\n";
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  const bool listed = option.value.size() > kTagWidth;
  if (option.takes_value() && option.value != option.names.front() && !listed)
    names += fmt::format(" \\fI{}\\fR", escaped(option.value));
  text += names + "\n" + escaped(option.description) + ".";
  if (listed) text += fmt::format(" One of {}.", escaped(one_of(option.value)));
  if (!option.default_value.empty()) text += fmt::format(" Default: {}.", escaped(option.default_value));
  return text + "\n";
}

std::string describe(const CommandEntry& command) {
  std::string synopsis = fmt::format("wattune {}", command.name);
  for (const OptionEntry& positional : command.positionals) synopsis += " " + positional.names.front();
  std::string text = fmt::format(".SS \"{} [options]\"\n{}.\n", escaped(synopsis), escaped(command.description));
  for (const OptionEntry& positional : command.positionals) text += describe(positional);
  for (const OptionEntry& option : command.options) text += describe(option);
  return text + fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.footer));
}

}  // namespace

std::string manual_page(const CommandTree& tree) {
  std::string text = fmt::format(
      ".TH WATTUNE 1 \"\" \"wattune {}\" \"User Commands\"\n"
      ".SH NAME\nwattune \\- tunes GPU kernels\n"
      ".SH SYNOPSIS\n\\fBwattune\\fR \\fICOMMAND\\fR [options]\n"
      ".SH DESCRIPTION\n"
      "Wattune takes a parametrised kernel, searches its configurations for the fastest correct one, and writes the\n"
      "result as a header, JSON, T4 or Kernel Tuner's cache.\n"
      ".SH COMMANDS\n",
      kVersion);
  for (const CommandEntry& command : tree.commands) text += describe(command);
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nSuccess.\n"
      ".TP\n1\nThe run ended, but no configuration was correct.\n"
      ".TP\n2\nThe command line or a file is wrong. Nothing was overwritten.\n"
      ".TP\n3\nNo device, a device that was lost, a file system that is full, or a bug.\n"
      ".TP\n130\nInterrupted. The results so far are in the journal.\n";
  return text;
}

}  // namespace wattune::cli
