// The options of the program, a plain value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "wattune/dynamic/policy.h"

namespace fourier {

enum class RunMode {
  oracle,  // the best configuration is known from the beginning
  paper,   // random search, every call of which runs to its end (Petrovic et al. 2020, 5.3)
  ours,    // search by the policy, within a budget
  foreign  // the optimum of another case, such as another size
};

struct Options {
  std::string device = "auto";
  RunMode mode = RunMode::ours;
  int size = 128;
  int samples = 1500;  // of one call
  int buffers = 4;     // buffers of samples, which calls take in turns
  std::uint64_t calls = 1280;
  double seconds = 0.0;                                                  // of a run; if 0, `calls` end it
  std::optional<std::uint64_t> configurations = 50;                      // most to explore; all without it
  wattune::dynamic::Safety safety = wattune::dynamic::Safety::screened;  // of RunMode::ours
  int repetitions = 1;
  std::uint64_t seed = 1;
  bool blocking = false;         // the calling thread compiles
  bool resident = false;         // samples are uploaded once, not in every call
  std::uint64_t wait_every = 1;  // calls after which the application waits for the device
  double share = 0.02;           // the budget, as a share of the time
  std::optional<double> longest_ms = {};
  std::size_t compile_processes = 2;
  int niceness = 19;                          // of the compile processes and of the screening process
  std::filesystem::path optimum;              // file for the results of the offline pass; nothing is kept if empty
  bool only_known = false;                    // the offline pass measures nothing
  std::optional<std::uint64_t> offline = {};  // configurations of the offline pass; all without it
  std::filesystem::path foreign;              // file of results for RunMode::foreign
  std::filesystem::path spec;
  bool json = false;
};

// Parses the options. Exits with a message for --help and for wrong options.
Options parse_options(int argc, char** argv);

}  // namespace fourier
