#include "cli/program/program.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <sstream>

#include "cli/program/advice.h"
#include "cli/program/interrupt.h"
#include "cli/program/main.h"
#include "cli/program/terminal.h"
#include "core/interface/suggest.h"
#include "report/interface/text.h"
#include "wattune/core/log.h"
#include "wattune/core/version.h"

namespace wattune::cli {

namespace {

ExitStatus exit_status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::unavailable:
    case ErrorCode::busy:
    case ErrorCode::io_error:
    case ErrorCode::device_lost:
    case ErrorCode::internal: return ExitStatus::environment;
    case ErrorCode::cancelled: return ExitStatus::interrupted;
    default: return ExitStatus::user_error;
  }
}

int fail(const Error& error) {
  print_error(with_options(error).to_string());
  return static_cast<int>(exit_status_of(error.code()));
}

// A formatter that wraps help texts. CLI11 2.1 writes each text in one line of any length.
class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string name = make_option_name(option, option->get_positional());
    const std::string lines = report::wrapped(name + CLI::Formatter::make_option_opts(option), width() - kIndent);
    return CLI::detail::find_and_replace(lines.substr(name.size()), "\n", "\n" + std::string(kIndent, ' '));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return in_column(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream line;
    CLI::detail::format_help(line, command->get_display_name(true), in_column(command->get_description()),
                             get_column_width());
    return line.str();
  }

 private:
  static constexpr std::size_t kIndent = 6;
  static constexpr std::size_t kLeastColumnWidth = 24;  // least width of the right column

  std::size_t width() const { return std::max(terminal_width(STDOUT_FILENO), get_column_width() + kLeastColumnWidth); }
  std::string in_column(const std::string& text) const { return report::wrapped(text, width() - get_column_width()); }
};

std::vector<std::string> known_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

std::vector<std::string> known_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

// Returns the subcommand that was parsed, or the program itself.
const CLI::App& parsed_app(const CLI::App& program) {
  const std::vector<CLI::App*> parsed = program.get_subcommands();
  return parsed.empty() ? program : *parsed.front();
}

std::string help_hint(const CLI::App& app) {
  return fmt::format("see `wattune{} --help`", app.get_parent() != nullptr ? " " + app.get_name() : "");
}

Error unexpected_argument(const CLI::App& program) {
  const CLI::App& app = parsed_app(program);
  const std::string argument = program.remaining(true).front();
  if (&app == &program && !argument.starts_with("-")) {
    std::string advice = suggest(argument, known_commands(program));
    if (argument.ends_with(".toml")) advice = fmt::format("wattune tune {}", argument);
    return Error(ErrorCode::invalid_argument, "unknown command")
        .about(argument)
        .hint(advice.empty() ? help_hint(program) : std::move(advice));
  }
  const std::string name = argument.substr(0, argument.find('='));
  const std::vector<std::string> known = known_options(app);
  if (std::ranges::count(known, name) > 0)
    return Error(ErrorCode::invalid_argument, "this option stands before its command")
        .about(argument)
        .hint(fmt::format("wattune {} {}", app.get_name(), argument));
  std::string advice = name.starts_with("--") ? suggest(name, known) : std::string();
  const std::string choice = argument.substr(std::min(argument.find_first_not_of('-'), argument.size()));
  if (advice.empty() && choice.find('=') != std::string::npos && std::ranges::count(known, "--configuration") > 0)
    advice = fmt::format("--configuration {}", choice);
  if (advice.empty()) advice = help_hint(app);
  return Error(ErrorCode::invalid_argument, "unexpected argument").about(argument).hint(std::move(advice));
}

// Returns the option whose value is missing according to the error; empty for other errors.
std::string option_without_value(const CLI::App& program, const CLI::ParseError& parse_error) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&parse_error) == nullptr) return {};
  const std::string message = parse_error.what();
  const std::string name = message.substr(0, message.find(':'));
  const std::vector<std::string> known = known_options(parsed_app(program));
  return std::ranges::count(known, name) > 0 ? name : std::string();
}

// Turns a parse error of CLI11 into an Error.
Error to_error(const CLI::App& program, const CLI::ParseError& parse_error) {
  if (!program.remaining(true).empty()) return unexpected_argument(program);
  if (program.get_subcommands().empty())
    return Error(ErrorCode::invalid_argument, "a command is needed").hint(help_hint(program));
  if (const std::string name = option_without_value(program, parse_error); !name.empty())
    return Error(ErrorCode::invalid_argument, fmt::format("{} needs a value", name))
        .hint(help_hint(parsed_app(program)));
  std::string message = parse_error.what();
  std::ranges::replace(message, '\n', ' ');
  Error error(ErrorCode::invalid_argument, std::move(message));
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&parse_error) != nullptr;
  return missing ? std::move(error).hint(help_hint(parsed_app(program))) : error;
}

int print_help(const CLI::App& program) {
  const CLI::App& app = parsed_app(program);
  const std::string parent = &app == &program ? "" : program.get_name();
  return print_result(app.help(parent)) ? 0 : static_cast<int>(ExitStatus::environment);
}

// Turns the words `help` and `version` into the options of these names. `help COMMAND` becomes `COMMAND --help`, if
// that command exists.
std::vector<std::string> with_words_as_options(const CLI::App& program, int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const bool is_alone = arguments.size() == 1;
  if (is_alone && arguments.front() == "version") return {"--version"};
  if (is_alone && arguments.front() == "help") return {"--help"};
  if (arguments.size() != 2 || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  if (std::ranges::count(known_commands(program), arguments.front()) > 0) arguments.emplace_back("--help");
  return arguments;
}

// Tells whether the user asked the command for one JSON document.
bool wants_json(const CLI::App& command) {
  const CLI::Option* const option = command.get_option_no_throw("--json");
  return option != nullptr && option->count() > 0;
}

// Runs the command. The library reports failures as Errors; exceptions mean that memory or threads ran out.
Result<ExitStatus> run_command(const Command& command) {
  const InterruptGuard guard;
  try {
    return command.run();
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::unavailable, "out of memory");
  } catch (const std::exception& exception) {
    return Error(ErrorCode::internal, exception.what());
  }
}

// Starts the log at the level that -v gives, or otherwise at that of the environment.
Result<void> start_log(int verbosity) {
  constexpr std::array kLevels{LogLevel::off, LogLevel::info, LogLevel::debug, LogLevel::trace};
  LogLevel level = kLevels[static_cast<std::size_t>(std::min(verbosity, 3))];
  if (verbosity == 0) {
    WATTUNE_ASSIGN(level, log_level_of_environment());
  }
  set_log_level(level);
  log_to_standard_error();
  return {};
}

}  // namespace

Program make_program() {
  Program program{.app = std::make_unique<CLI::App>("Wattune tunes kernels for GPUs and processors.", "wattune"),
                  .commands = {}};
  CLI::App& app = *program.app;
  app.set_version_flag("--version,-V", fmt::format("wattune {}", kVersion), "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.formatter(std::make_shared<WrappingFormatter>());
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.require_subcommand(1);
  app.footer(
      "Getting started:\n"
      "  wattune init                       write a spec and a kernel to start from\n"
      "  wattune tune kernel.toml           tune it on the best device\n"
      "  wattune show kernel.journal.jsonl  see how it went\n\n"
      "`wattune COMMAND --help` explains a command and gives examples.");
  for (const auto add : {add_tune,       add_space,   add_compile, add_run,   add_devices,    add_power, add_show,
                         add_report,     add_export,  add_merge,   add_slice, add_profile,    add_corun, add_score,
                         add_strategies, add_analyze, add_advise,  add_init,  add_completion, add_man}) {
    program.commands.push_back(add(app));
    if (!program.commands.back().app->get_group().empty()) program.commands.back().app->group("Commands");
    program.commands.back().app->add_flag("--verbose,-v", *program.verbosity,
                                          "Print a log on standard error; -vv and -vvv print more");
  }
  return program;
}

int run_program(const Program& program, int argc, const char* const* argv) {
  try {
    std::vector<std::string> arguments = with_words_as_options(*program.app, argc, argv);
    std::ranges::reverse(arguments);  // reversed, because CLI11 takes arguments from the end of the list
    program.app->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return print_help(*program.app);
  } catch (const CLI::CallForVersion& version) {
    return print_result(fmt::format("{}\n", version.what())) ? 0 : static_cast<int>(ExitStatus::environment);
  } catch (const CLI::ParseError& error) {
    return fail(to_error(*program.app, error));
  }
  for (const Command& command : program.commands) {
    if (!command.app->parsed()) continue;
    if (const Result<void> started = start_log(*program.verbosity); !started) return fail(started.error());
    if (wants_json(*command.app)) reserve_standard_output();
    const Result<ExitStatus> status = run_command(command);
    return status ? static_cast<int>(*status) : fail(status.error());
  }
  return static_cast<int>(ExitStatus::user_error);
}

int run_wattune(int argc, const char* const* argv) { return run_program(make_program(), argc, argv); }

}  // namespace wattune::cli
