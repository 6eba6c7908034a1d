// Recordings of kernels at eight clocks or more, with the time and the power at each clock (../shared/data).
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/interface/energy.h"
#include "model/recorded_dvfs.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::model {

// Kernels of one board that were all measured at the same clocks.
struct ClockRecording {
  std::string name;
  std::vector<RecordedKernel> kernels;
};

// Returns the kernels that were recorded at enough clocks. Their features are removed.
inline ClockRecording recording_of(std::string name, std::vector<RecordedKernel> kernels) {
  constexpr std::size_t kLeastClocks = 8;
  std::erase_if(kernels, [](const RecordedKernel& each) { return each.over_clocks.runs.size() < kLeastClocks; });
  for (RecordedKernel& kernel : kernels) kernel.over_clocks.features.clear();
  return {std::move(name), std::move(kernels)};
}

// Returns the kernels with the runs of each kernel sorted by clock.
inline std::vector<RecordedKernel> ascending(const std::map<std::string, RecordedKernel>& by_name) {
  std::vector<RecordedKernel> all;
  for (const auto& [name, kernel] : by_name) {
    all.push_back(kernel);
    std::ranges::sort(all.back().over_clocks.runs, {}, &ClockRun::clock);
  }
  return all;
}

// Loads sweeps over the clocks of a board whose power was capped. The columns of the file are app, gpu, memory clock,
// core clock, cap, time (s), energy (Wh). All sweeps of an application form one group.
inline Result<std::vector<RecordedKernel>> recorded_under_caps(const std::string& gpu) {
  const auto path = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data/dvfs/a100_rtxpro6000_freq_powercap.csv";
  WATTUNE_ASSIGN(const std::string text, store::read_maybe_compressed(path));
  std::map<std::string, RecordedKernel> sweeps;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const auto cells = cells_of(line);
    if (cells[1] != gpu) continue;
    const double seconds = std::stod(cells[5]);
    RecordedKernel& sweep = sweeps[cells[0] + cells[2] + "," + cells[4]];
    sweep.over_clocks.group = cells[0];
    sweep.over_clocks.runs.push_back({Megahertz(std::stod(cells[3])), nanoseconds_from_seconds(seconds),
                                      Watts(std::stod(cells[6]) * 3600.0 / seconds)});
  }
  return ascending(sweeps);
}

// Returns the values of all parameters except the clock, which identify the code.
inline std::string code_of(const Configuration& configuration) {
  std::string code;
  for (std::size_t i = 0; i < configuration.names().size(); ++i)
    if (configuration.names()[i] != "nvml_gr_clock") code += configuration.values()[i].to_string() + ",";
  return code;
}

// Loads a tuned space that has the clock as one of its parameters. Each combination of the other parameters counts as a
// kernel; all kernels form one group.
inline Result<std::vector<RecordedKernel>> recorded_codes(const std::string& file) {
  WATTUNE_ASSIGN(const ResultSet results,
                 store::load_results(std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data" / file));
  std::map<std::string, RecordedKernel> codes;
  for (const Trial& trial : results.trials) {
    const std::optional<Joules> energy = energy_of(trial.observation);
    if (!trial.observation.ok() || !energy) continue;
    RecordedKernel& kernel = codes[code_of(trial.configuration)];
    kernel.over_clocks.group = results.info.kernel_name;
    const Nanoseconds time = trial.observation.statistics->median;
    kernel.over_clocks.runs.push_back(
        {Megahertz(trial.configuration.find("nvml_gr_clock")->as_real()), time, *energy / time});
  }
  return ascending(codes);
}

inline Result<std::vector<ClockRecording>> clock_recordings() {
  std::vector<ClockRecording> all;
  WATTUNE_ASSIGN(auto p100, recorded_plain({"p100_ddvfs_apps.csv"}, {2, 1, 3, 4}, "715"));
  all.push_back(recording_of("P100, 1 Hz samples", std::move(p100)));
  for (const auto& [name, file] :
       {std::pair("RTX 4000 Ada, codes of a GEMM",
                  "energy_ada4000_wmma/wmma_complex_gemm__RTX4000Ada_energy_clock.json.xz"),
        std::pair("RTX A4000, FP32 load", "energy_a100_gemm/fp32_power_curve__A4000_10clocks.json.xz"),
        std::pair("A100, FP32 load", "energy_a100_gemm/fp32_power_curve__A100_81clocks.json.xz")}) {
    WATTUNE_ASSIGN(auto codes, recorded_codes(file));
    all.push_back(recording_of(name, std::move(codes)));
  }
  for (const auto& [name, file] : {std::pair("V100", "v100"), std::pair("RTX 8000", "rtx8000")}) {
    WATTUNE_ASSIGN(auto kernels, recorded_board(file));
    all.push_back(recording_of(name, std::move(kernels)));
  }
  for (const char* memory : {"810", "3505"}) {
    WATTUNE_ASSIGN(auto kernels,
                   recorded_plain({"titanx_ptxmodel_micro.csv.xz", "titanx_ptxmodel_real.csv"}, {2, 1, 3, 4}, memory));
    all.push_back(recording_of(std::string("Titan X, memory at ") + memory + " MHz", std::move(kernels)));
  }
  WATTUNE_ASSIGN(auto capped, recorded_under_caps("rtxpro6000"));
  all.push_back(recording_of("RTX PRO 6000 under caps", std::move(capped)));
  return all;
}

}  // namespace wattune::model
