// CommandTree: the command line as plain values, read from the CLI11 tree, so that completions and the manual page
// always say what the program takes.
#pragma once

#include <string>
#include <vector>

#include "cli/program/app.h"

namespace wattune::cli {

struct OptionEntry {
  std::vector<std::string> names;    // "--output", "-o"; a positional argument has only its name
  std::string value;                 // "FILE"; empty for a flag
  std::vector<std::string> choices;  // the only allowed values; empty if all values are allowed
  std::string description;
  std::string default_value;

  bool takes_value() const { return !value.empty(); }
  bool takes_file() const { return value == "FILE"; }
};

struct CommandEntry {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> positionals;
};

struct CommandTree {
  CommandEntry program;
  std::vector<CommandEntry> commands;  // subcommands, without hidden ones
};

CommandTree read_command_tree(const CLI::App& program);

// Returns the completion script of a shell, or the manual page in troff.
std::string bash_completion(const CommandTree& tree);
std::string zsh_completion(const CommandTree& tree);
std::string fish_completion(const CommandTree& tree);
std::string manual_page(const CommandTree& tree);

}  // namespace wattune::cli
