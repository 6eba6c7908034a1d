#include <CLI/CLI.hpp>
#include <map>

#include "cli/program/command.h"
#include "cli/program/command_tree.h"
#include "cli/program/terminal.h"
#include "core/interface/suggest.h"

namespace wattune::cli {

namespace {

ExitStatus print_text(const std::string& text) {
  return print_document(text) ? ExitStatus::good : ExitStatus::environment;
}

Result<ExitStatus> run_completion(const CLI::App& program, const std::string& shell) {
  using Generate = std::string (*)(const CommandTree&);
  static const std::map<std::string, Generate> generators = {
      {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};
  const auto generator = generators.find(shell);
  if (generator == generators.end()) {
    return Error(ErrorCode::invalid_argument, "unknown shell")
        .about(shell)
        .hint(suggest(shell, {"bash", "fish", "zsh"}));
  }
  return print_text(generator->second(read_command_tree(program)));
}

}  // namespace

Command add_completion(CLI::App& program) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* app = program.add_subcommand("completion", "Print a completion script for a shell");
  app->add_option("SHELL", *shell, "The shell")->type_name("bash|zsh|fish")->required();
  app->footer(
      "Examples:\n"
      "  source <(wattune completion bash)\n"
      "  wattune completion zsh > \"${fpath[1]}/_wattune\"\n"
      "  wattune completion fish | source");
  return {app, [&program, shell] { return run_completion(program, *shell); }};
}

Command add_man(CLI::App& program) {
  CLI::App* app = program.add_subcommand("man", "Print the manual page");
  app->group("");  // hidden from users, because only the build needs the command
  return {app, [&program]() -> Result<ExitStatus> { return print_text(manual_page(read_command_tree(program))); }};
}

}  // namespace wattune::cli
