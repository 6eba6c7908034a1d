// Finds the optimum of a size of the matrices. Every configuration is measured quickly, and those within 3 % of the
// best are then measured in turns. A file keeps the optima, a line of JSON for each size, because a search takes longer
// than the runs that the optimum judges.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine.h"
#include "wattune/core/configuration.h"
#include "wattune/core/units.h"
#include "wattune/dynamic/key.h"

namespace batched_gemm {

struct Optimum {
  std::string configuration;
  wattune::Nanoseconds time;
  // The times of all configurations that ran. The key is Configuration::to_string().
  std::map<std::string, wattune::Nanoseconds> times;

  // Returns the names and values of the configuration's parameters.
  wattune::dynamic::NamedValues values() const;
};

struct ScreeningOptions {
  std::size_t configurations = 0;                 // number drawn at random, besides those of the forecast; all if 0
  std::vector<wattune::Configuration> also = {};  // measured in any case
  std::size_t compile_processes = 2;
  std::uint64_t seed = 1;
};

// Measures configurations and returns the best one. Fails with launch_failed if all of them fail.
wattune::Result<Optimum> find_optimum(Machine& machine, const Sizes& sizes, const wattune::KernelSpec& spec,
                                      const ScreeningOptions& options);

// A file of optima. It may also have lines for other devices, kernels and numbers of bytes, which are kept but not
// used.
class OptimumFile {
 public:
  // Reads the file. If the path is empty, optima are not kept. Fails with parse_error, naming the line.
  static wattune::Result<OptimumFile> open(const std::filesystem::path& path, const Machine& machine,
                                           const std::string& source);

  const Optimum* find(const Sizes& sizes) const;
  wattune::Result<void> add(const Sizes& sizes, Optimum optimum);

 private:
  // Reads a line. Returns false if the line does not have the form of an optimum.
  bool read_line(const std::string& line);

  std::filesystem::path path_;
  std::string identity_;  // of the lines that count
  std::map<std::string, Optimum> known_;
};

}  // namespace batched_gemm
