// The optimum of a size: every configuration is screened quickly, and those within 3 % of the best are then measured in
// turns. Kept in a file, a line of JSON for each size, because it takes longer than the runs that it judges.
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
  // Of all configurations that ran, by Configuration::to_string().
  std::map<std::string, wattune::Nanoseconds> times;

  // Of the configuration, as names and values.
  wattune::dynamic::NamedValues values() const;
};

struct ScreeningOptions {
  std::size_t configurations = 0;  // so many, drawn at random, besides those that the forecast says; 0: all
  std::vector<wattune::Configuration> also = {};  // whether they are drawn or not
  std::size_t compile_processes = 2;
  std::uint64_t seed = 1;
};

// launch_failed: no configuration works.
wattune::Result<Optimum> find_optimum(Machine& machine, const Sizes& sizes, const wattune::KernelSpec& spec,
                                      const ScreeningOptions& options);

// Of one device, kernel and number of bytes; lines of others are left alone.
class OptimumFile {
 public:
  // An empty path keeps nothing. parse_error, with the line.
  static wattune::Result<OptimumFile> open(const std::filesystem::path& path, const Machine& machine,
                                           const std::string& source);

  const Optimum* find(const Sizes& sizes) const;
  wattune::Result<void> add(const Sizes& sizes, Optimum optimum);

 private:
  // False: it is none of these lines.
  bool read_line(const std::string& line);

  std::filesystem::path path_;
  std::string identity_;  // of the lines that count
  std::map<std::string, Optimum> known_;
};

}  // namespace batched_gemm
