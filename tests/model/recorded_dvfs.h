// Recorded kernels at several clocks of four boards (../shared/data/dvfs). V100 and RTX 8000 have features, at ten
// clocks; Titan X and GTX 1080 Ti have none.
#pragma once

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "model/interface/clock_advisor.h"
#include "source_dir.h"
#include "store/interface/files.h"

namespace wattune::inline v0_1::model {

struct RecordedKernel {
  std::string kernel;
  std::string input;
  KernelOverClocks over_clocks;  // its group is the benchmark; runs by clock, ascending
};

// True if the row is a glitch of the sensor. In four rows of the RTX 8000 the power falls by half between 1605 and 1710
// MHz, as that of no kernel does.
inline bool is_glitch(const std::string& board, const std::vector<std::string>& cells) {
  static const std::set<std::string> kInputs = {"input000", "input001", "input002", "input003"};
  return board == "rtx8000" && cells[0] == "mixbench-cuda-alt" && cells[1] == "benchmark_int" &&
         kInputs.contains(cells[2]);
}

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
  return cells;
}

// Adds a row. Its columns are benchmark, kernel, argNo, core_frequency, memory_frequency, time (ms), average_power (W),
// then the activity of seven parts of the GPU.
inline void add_recorded_row(const std::vector<std::string>& cells, std::vector<RecordedKernel>& kernels) {
  const auto same = [&](const RecordedKernel& known) {
    return known.over_clocks.group == cells[0] && known.kernel == cells[1] && known.input == cells[2];
  };
  auto found = std::ranges::find_if(kernels, same);
  if (found == kernels.end())
    found = kernels.insert(kernels.end(), {cells[1], cells[2], {.group = cells[0], .runs = {}}});
  KernelOverClocks& kernel = found->over_clocks;
  kernel.runs.push_back(
      {Megahertz(std::stod(cells[3])), nanoseconds_from_ms(std::stod(cells[5])), Watts(std::stod(cells[6]))});
  if (kernel.runs.back().clock < std::ranges::max(kernel.runs, {}, &ClockRun::clock).clock) return;
  kernel.features.clear();  // features at the highest clock count
  for (std::size_t i = 7; i < cells.size(); ++i) kernel.features.push_back(std::stod(cells[i]));
}

// Loads "v100" or "rtx8000", without glitches. Fails with not_found or unavailable as reading the files does.
inline Result<std::vector<RecordedKernel>> recorded_board(const std::string& board) {
  std::vector<RecordedKernel> kernels;
  for (const char* part : {"_dvfs_real.csv", "_dvfs_microbenchmark.csv.xz"}) {
    const auto file = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data/dvfs" / (board + part);
    WATTUNE_ASSIGN(const std::string text, store::read_maybe_compressed(file));
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      const auto cells = cells_of(line);
      if (!is_glitch(board, cells)) add_recorded_row(cells, kernels);
    }
  }
  for (RecordedKernel& kernel : kernels) std::ranges::sort(kernel.over_clocks.runs, {}, &ClockRun::clock);
  return kernels;
}

// Adds a row. Micro-benchmarks whose names differ only after the first underscore are one group, and so are an
// application's kernels. If a name has several rows at a clock, each begins a kernel of its own.
inline void add_plain_row(const std::string& name, const ClockRun& run, std::vector<RecordedKernel>& kernels) {
  const auto takes = [&](const RecordedKernel& known) {
    return known.kernel == name &&
           std::ranges::find(known.over_clocks.runs, run.clock, &ClockRun::clock) == known.over_clocks.runs.end();
  };
  auto found = std::ranges::find_if(kernels, takes);
  if (found == kernels.end())
    found = kernels.insert(kernels.end(), {name, "", {.group = name.substr(0, name.find('_')), .runs = {}}});
  found->over_clocks.runs.push_back(run);
}

// Columns of a file that has time (ms) and power (W) but no features.
struct PlainColumns {
  std::size_t core, memory, time, power;
};

inline Result<std::vector<RecordedKernel>> recorded_plain(const std::vector<std::string>& files, const PlainColumns& at,
                                                          const std::string& memory_clock) {
  std::vector<RecordedKernel> kernels;
  for (const std::string& file : files) {
    const auto path = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data/dvfs" / file;
    WATTUNE_ASSIGN(const std::string text, store::read_maybe_compressed(path));
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      const auto cells = cells_of(line);
      if (cells[at.memory] != memory_clock) continue;
      add_plain_row(cells[0],
                    {Megahertz(std::stod(cells[at.core])), nanoseconds_from_ms(std::stod(cells[at.time])),
                     Watts(std::stod(cells[at.power]))},
                    kernels);
    }
  }
  for (RecordedKernel& kernel : kernels) std::ranges::sort(kernel.over_clocks.runs, {}, &ClockRun::clock);
  return kernels;
}

// Loads 16 core clocks at the memory's higher clock.
inline Result<std::vector<RecordedKernel>> recorded_titan_x() {
  return recorded_plain({"titanx_ptxmodel_micro.csv.xz", "titanx_ptxmodel_real.csv"}, {2, 1, 3, 4}, "3505");
}
// Loads five core clocks at the memory's highest clock.
inline Result<std::vector<RecordedKernel>> recorded_gtx1080ti() {
  return recorded_plain({"gtx1080ti_core_mem_power.csv"}, {1, 2, 5, 6}, "5500");
}

}  // namespace wattune::model
