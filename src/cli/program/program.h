// The program `wattune`: its command line as a CLI11 tree, and the function that runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/program/command.h"

namespace wattune::cli {

struct Program {
  std::unique_ptr<CLI::App> app;
  std::vector<Command> commands;
  std::unique_ptr<int> verbosity = std::make_unique<int>(0);  // number of times that -v was given
};

Program make_program();

// Parses the command line, runs the subcommand and prints its error, if any. Returns the exit status of the process.
int run_program(const Program& program, int argc, const char* const* argv);

}  // namespace wattune::cli
