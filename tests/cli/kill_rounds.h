// kill -9 of the tuner, of its workers, and of both, at random moments, then a run that goes on: nothing finished is
// lost, nothing measured twice, no configuration blamed, no process left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run_program.h"

namespace wattune::cli_test {

struct KillRounds {
  // The command line of a run. What says where results go is added, and that there is no final, in which configurations
  // are measured again.
  std::vector<std::string> tune;
  int configurations = 0;  // of the spec; more than all rounds get done
  int rounds = 0;
  std::uint64_t longest_us = 0;  // a run is killed after a random time below that
};

void expect_nothing_lost(const TempFolder& folder, const KillRounds& options);

}  // namespace wattune::cli_test
