#include "cli/program/command_tree.h"

#include <CLI/CLI.hpp>

namespace wattune::cli {

namespace {

// Returns the choices that a type name such as "random|exhaustive" lists; empty if it lists none.
std::vector<std::string> split_choices(const std::string& type_name) {
  if (type_name.find('|') == std::string::npos) return {};
  std::vector<std::string> choices;
  for (std::size_t begin = 0; begin <= type_name.size();) {
    const std::size_t end = std::min(type_name.find('|', begin), type_name.size());
    choices.push_back(type_name.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

OptionEntry read_option(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name(true));
  if (option.get_type_size_max() > 0) entry.value = option.get_type_name();
  entry.choices = split_choices(entry.value);
  entry.description = option.get_description();
  entry.default_value = option.get_default_str();
  return entry;
}

CommandEntry read_command(const CLI::App& app) {
  CommandEntry command{.name = app.get_name(),
                       .description = app.get_description(),
                       .footer = app.get_footer(),
                       .options = {},
                       .positionals = {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? command.positionals : command.options).push_back(read_option(*option));
  }
  return command;
}

}  // namespace

CommandTree read_command_tree(const CLI::App& program) {
  CommandTree tree{.program = read_command(program), .commands = {}};
  for (const CLI::App* app : program.get_subcommands(nullptr)) {
    if (!app->get_group().empty()) tree.commands.push_back(read_command(*app));
  }
  return tree;
}

}  // namespace wattune::cli
