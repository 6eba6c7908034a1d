// Recorded sweeps over clocks, if they are present (../shared/data).
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/interface/pareto.h"
#include "model/interface/power_curve.h"
#include "source_dir.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::model {

inline std::filesystem::path recorded(const std::string& file) {
  return std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data" / file;
}

inline const std::string kA100Sweep = "energy_a100_gemm/fp32_power_curve__A100_81clocks.json.xz";
inline const std::string kA4000Sweep = "energy_a100_gemm/fp32_power_curve__A4000_10clocks.json.xz";
inline const std::string kCapsAndClocks = "dvfs/a100_rtxpro6000_freq_powercap.csv";

struct RecordedPoint {
  PowerSample sample;
  Joules energy;  // of one run
};

// Loads a sweep of Kernel Tuner's synthetic load, by the clock that was asked for.
inline Result<std::vector<RecordedPoint>> recorded_sweep(const std::string& file) {
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(recorded(file)));
  std::vector<RecordedPoint> points;
  for (const Trial& trial : results.trials) {
    const Observation& seen = trial.observation;
    const Watts power(value_of(seen, "nvml_power").value());
    const Megahertz asked(trial.configuration.find("nvml_gr_clock")->as_real());
    points.push_back({{.clock = Megahertz(value_of(seen, "core_freq").value()), .power = power, .asked = asked},
                      power * seen.statistics->mean});
  }
  std::ranges::sort(points, {}, [](const RecordedPoint& point) { return *point.sample.asked; });
  return points;
}

inline std::vector<PowerSample> samples_of(const std::vector<RecordedPoint>& points) {
  std::vector<PowerSample> samples;
  for (const RecordedPoint& point : points) samples.push_back(point.sample);
  return samples;
}

// A run of giordano/gpu-power-frequency-benchmarks: one application on one GPU under a clock and a cap.
struct CappedRun {
  double clock = 0.0;   // MHz
  double cap = 0.0;     // W
  double energy = 0.0;  // Wh
};

// Loads runs. Columns are app, gpu, mem_clock_mhz, core_clock_mhz, power_cap_w, time_s, energy_wh, bandwidth_gbs.
inline std::vector<CappedRun> recorded_caps(const std::string& application, const std::string& gpu) {
  std::vector<CappedRun> runs;
  std::ifstream file(recorded(kCapsAndClocks));
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() < 7 || cells[0] != application || cells[1] != gpu) continue;
    runs.push_back({std::stod(cells[3]), std::stod(cells[4]), std::stod(cells[6])});
  }
  return runs;
}

// Least energy with clock or cap at its default, the highest, as a share of the energy with both at their defaults.
struct Savings {
  double by_clock = 1.0;
  double by_cap = 1.0;
};
inline Savings savings_of(const std::vector<CappedRun>& runs) {
  double clock = 0.0, cap = 0.0;
  for (const CappedRun& run : runs) clock = std::max(clock, run.clock), cap = std::max(cap, run.cap);
  double standard = 0.0, by_clock = 1e300, by_cap = 1e300;
  for (const CappedRun& run : runs) {
    if (run.clock == clock && run.cap == cap) standard = run.energy;
    if (run.cap == cap) by_clock = std::min(by_clock, run.energy);
    if (run.clock == clock) by_cap = std::min(by_cap, run.energy);
  }
  return {by_clock / standard, by_cap / standard};
}

}  // namespace wattune::model
