#include <fmt/format.h>

#include "cli/program/command_tree.h"

namespace wattune::cli {

namespace {

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? std::string() : std::string(separator)) + word;
  return text;
}

std::string words_of_commands(const CommandTree& tree) {
  std::vector<std::string> names;
  for (const CommandEntry& command : tree.commands) names.push_back(command.name);
  return join(names, " ");
}

std::string words_of_options(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return join(names, " ");
}

// Puts a text into single quotes for a shell.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// Returns the bash code that completes the word after an option, or a positional argument.
std::string bash_words(const OptionEntry& option) {
  if (!option.choices.empty())
    return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))", shell_quoted(join(option.choices, " ")));
  if (option.takes_file()) return "COMPREPLY=($(compgen -f -- \"$word\"))";
  return "COMPREPLY=()";
}

std::string bash_command(const CommandEntry& command) {
  std::string text = fmt::format("    {})\n      case \"$previous\" in\n", command.name);
  for (const OptionEntry& option : command.options) {
    if (option.takes_value())
      text += fmt::format("        {}) {}; return ;;\n", join(option.names, "|"), bash_words(option));
  }
  text += "      esac\n";
  if (!command.positionals.empty()) {
    text +=
        fmt::format("      if [[ \"$word\" != -* ]]; then {}; return; fi\n", bash_words(command.positionals.front()));
  }
  return text + fmt::format("      options={}\n      ;;\n", shell_quoted(words_of_options(command)));
}

// Escapes brackets, colons and backslashes, which mean something in descriptions of zsh.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const OptionEntry& option) {
  if (!option.choices.empty()) return fmt::format("({})", join(option.choices, " "));
  return option.takes_file() ? "_files" : " ";
}

std::string zsh_command(const CommandEntry& command) {
  std::string text = fmt::format("        {})\n          _arguments", command.name);
  for (const OptionEntry& option : command.options) {
    for (const std::string& name : option.names) {
      std::string spec = fmt::format("{}[{}]", name, zsh_text(option.description));
      if (option.takes_value()) spec += fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
      text += " \\\n            " + shell_quoted(spec);
    }
  }
  for (const OptionEntry& positional : command.positionals) {
    text += " \\\n            " +
            shell_quoted(fmt::format("*:{}:{}", zsh_text(positional.names.front()), zsh_action(positional)));
  }
  return text + "\n          ;;\n";
}

// Returns the arguments of fish's `complete` for the value that an option takes.
std::string fish_value(const OptionEntry& option) {
  if (!option.takes_value()) return {};
  if (!option.choices.empty()) return " -x -a " + shell_quoted(join(option.choices, " "));
  return option.takes_file() ? " -r -F" : " -x";
}

std::string fish_command(const CommandEntry& command) {
  const std::string condition = shell_quoted("__fish_seen_subcommand_from " + command.name);
  std::string text;
  for (const OptionEntry& option : command.options) {
    text += fmt::format("complete -c wattune -n {}", condition);
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    text += fish_value(option) + " -d " + shell_quoted(option.description) + "\n";
  }
  for (const OptionEntry& positional : command.positionals) {
    text += fmt::format("complete -c wattune -n {}{}\n", condition, fish_value(positional));
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandTree& tree) {
  std::string text =
      "# bash completion for wattune: source <(wattune completion bash)\n"
      "_wattune() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" options\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n";
  text +=
      fmt::format("    COMPREPLY=($(compgen -W {} -- \"$word\"))\n    return\n  fi\n  case \"${{COMP_WORDS[1]}}\" in\n",
                  shell_quoted(words_of_commands(tree) + " " + words_of_options(tree.program)));
  for (const CommandEntry& command : tree.commands) text += bash_command(command);
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "}\n"
         "complete -o filenames -F _wattune wattune\n";
}

std::string zsh_completion(const CommandTree& tree) {
  std::string text =
      "#compdef wattune\n"
      "# zsh completion for wattune: wattune completion zsh > \"${fpath[1]}/_wattune\"\n"
      "_wattune() {\n"
      "  local line state\n"
      "  _arguments -C '1: :->command' '*::argument:->arguments'\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a commands=(\n";
  for (const CommandEntry& command : tree.commands) {
    text += fmt::format("        {}\n", shell_quoted(command.name + ":" + zsh_text(command.description)));
  }
  text += "      )\n      _describe command commands\n      ;;\n    arguments)\n      case $line[1] in\n";
  for (const CommandEntry& command : tree.commands) text += zsh_command(command);
  return text +
         "      esac\n"
         "      ;;\n"
         "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _wattune ]; then _wattune \"$@\"; else compdef _wattune wattune; fi\n";
}

std::string fish_completion(const CommandTree& tree) {
  std::string text = "# fish completion for wattune: wattune completion fish | source\ncomplete -c wattune -f\n";
  for (const CommandEntry& command : tree.commands) {
    text += fmt::format("complete -c wattune -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        shell_quoted(command.description));
  }
  for (const CommandEntry& command : tree.commands) text += fish_command(command);
  return text;
}

}  // namespace wattune::cli
