// kill -9 of the tuner, of its workers, and of both, at random moments, then a run that goes on: nothing finished is
// lost, nothing measured twice, no configuration blamed, no process left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run_program.h"

namespace wattune::cli_test {

struct KillRounds {
  std::vector<std::string> tune;  // the command line of a run, for a spec named "add"
  int configurations = 0;         // of the spec; more than all rounds get done
  int rounds = 0;
  std::uint64_t longest_us = 0;  // a run is killed after a random time below that
};

void expect_nothing_lost(const TempFolder& folder, const KillRounds& options);

}  // namespace wattune::cli_test
