// Rounds of kill -9, of the tuner, of its workers, or of both, at random moments, and then a run that resumes. Nothing
// finished is lost, nothing measured twice, no configuration blamed, and no process left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run_program.h"

namespace wattune::cli_test {

struct KillRounds {
  // The command line of a run. Options for the output file and against a final are added, since a final measures
  // configurations again.
  std::vector<std::string> tune;
  int configurations = 0;  // of the spec; more than all rounds can measure
  int rounds = 0;
  std::uint64_t longest_us = 0;  // a run is killed after a random time below this
};

void expect_nothing_lost(const TempFolder& folder, const KillRounds& options);

}  // namespace wattune::cli_test
