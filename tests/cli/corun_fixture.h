// Runs of `wattune corun` in a folder of their own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/run_program.h"

namespace wattune::cli_test {

class Corun : public testing::Test {
 protected:
  Finished corun(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "corun");
    return run_wattune(folder_, arguments);
  }
  // Runs FMA and random reads, or other kernels, with one wave on a simulated GPU.
  Finished simulated(std::vector<std::string> arguments, const std::string& kernels = "C,L") {
    arguments.insert(arguments.begin(), {"--device", "simulated:H100", "--waves", "1", "--kernels", kernels});
    return corun(arguments);
  }
  // Runs kernels on a small GPU, on which a sweep takes milliseconds.
  Finished small(std::vector<std::string> arguments, const std::string& kernels = "PC,TEA,BS") {
    if (std::ranges::find(arguments, "--waves") == arguments.end()) arguments.insert(arguments.end(), {"--waves", "1"});
    arguments.insert(arguments.begin(), {"--device", "simulated:C2050", "--kernels", kernels});
    return corun(arguments);
  }
  // Returns the single line of a command that ends before anything runs.
  std::string refused(const std::vector<std::string>& arguments) {
    const Finished finished = corun(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  }

  TempFolder folder_;
};

}  // namespace wattune::cli_test
