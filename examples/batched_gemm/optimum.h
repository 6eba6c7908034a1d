// Finds the optimum of a size. Every configuration is screened quickly, and those within 3 % of the best are then
// measured in turns. A file keeps the result, with a line of JSON for each size, because finding it takes longer than
// the runs that it judges.
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
  // The times of all configurations that ran, by Configuration::to_string().
  std::map<std::string, wattune::Nanoseconds> times;

  // Returns the names and values of the configuration.
  wattune::dynamic::NamedValues values() const;
};

struct ScreeningOptions {
  std::size_t configurations = 0;                 // number drawn at random, besides those of the forecast; all if 0
  std::vector<wattune::Configuration> also = {};  // measured in any case
  std::size_t compile_processes = 2;
  std::uint64_t seed = 1;
};

// Measures the configurations and returns the best. Fails with launch_failed if no configuration works.
wattune::Result<Optimum> find_optimum(Machine& machine, const Sizes& sizes, const wattune::KernelSpec& spec,
                                      const ScreeningOptions& options);

// A file of optima. Only lines of one device, kernel and number of bytes count; others stay in the file unread.
class OptimumFile {
 public:
  // Reads the file. With an empty path nothing is kept. Fails with parse_error and the line.
  static wattune::Result<OptimumFile> open(const std::filesystem::path& path, const Machine& machine,
                                           const std::string& source);

  const Optimum* find(const Sizes& sizes) const;
  wattune::Result<void> add(const Sizes& sizes, Optimum optimum);

 private:
  // Reads a line. Returns false if it is not a line of such a file.
  bool read_line(const std::string& line);

  std::filesystem::path path_;
  std::string identity_;  // of the lines that count
  std::map<std::string, Optimum> known_;
};

}  // namespace batched_gemm
