// Command: a subcommand of the program, with its options and its action.
//
// Every function add_X() is in a file X.cc. It declares options, whose values live as long as the returned Command, and
// returns the action that runs once they are parsed. Results go to standard output, all else to standard error. An
// Error becomes one line and an exit status, in program.cc.
#pragma once

#include <functional>

#include "cli/program/app.h"
#include "wattune/core/result.h"

namespace wattune::cli {

// The exit statuses of the program, as docs/cli.md promises them.
enum class ExitStatus {
  good = 0,
  nothing_correct = 1,  // the command ran, but no configuration was correct
  user_error = 2,
  environment = 3,  // no device, device lost, disk full
  interrupted = 130,
};

struct Command {
  CLI::App* app = nullptr;
  std::function<Result<ExitStatus>()> run;
};

Command add_tune(CLI::App& program);
Command add_space(CLI::App& program);
Command add_compile(CLI::App& program);
Command add_run(CLI::App& program);
Command add_devices(CLI::App& program);
Command add_power(CLI::App& program);
Command add_show(CLI::App& program);
Command add_analyze(CLI::App& program);
Command add_advise(CLI::App& program);
Command add_slice(CLI::App& program);
Command add_profile(CLI::App& program);
Command add_corun(CLI::App& program);
Command add_score(CLI::App& program);
Command add_strategies(CLI::App& program);
Command add_export(CLI::App& program);
Command add_merge(CLI::App& program);
Command add_report(CLI::App& program);
Command add_init(CLI::App& program);
Command add_completion(CLI::App& program);
Command add_man(CLI::App& program);

}  // namespace wattune::cli
