// BoardNetworks: the networks of Jiao et al. (model/interface/clock_networks.h), trained for one board. They choose
// pairs and clocks from the features of each kernel alone, even if no pair has run.
//
// The types are values and the functions are pure, so any thread may use them. A forecaster borrows its networks.
//
//   WATTUNE_ASSIGN(const auto networks, schedule::train_networks(*simulate::find_gpu_model("GT640")));
//   WATTUNE_TRY(store::write_file("gt640.networks", schedule::write_networks(networks), false));
//   const auto forecaster = schedule::network_forecaster(networks, machine->limits(), networks.clocks);
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/interface/clock_networks.h"
#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/trial.h"
#include "wattune/core/units.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/profile_record.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::schedule {

// The networks of a board.
struct BoardNetworks {
  std::string board;                          // "simulated GT640", or the name of the device
  std::vector<backend::BoardSetting> clocks;  // the clocks that were tried, sorted by memory clock
  double memory_bandwidth = 0.0;              // the highest bandwidth that the GPU reaches, in GB/s
  std::vector<model::ClockNetworks> members;  // networks with different seeds, whose answers are averaged

  // Predicts the most operations per joule and the clocks for it, which may lie between levels.
  model::BestClocks at(const model::KernelFeatures& features) const;
};

// Number of networks that are trained, unless a test asks for fewer.
inline constexpr std::size_t kNetworkMembers = 5;

// Returns the name under which the networks of a simulated GPU are kept: "simulated GT640".
std::string simulated_board(const simulate::GpuModel& gpu);

// Trains networks for a simulated GPU, on 190 micro-kernels and 25 like those of Jiao et al. They run in the fast
// fidelity at all clocks of the board. Fails with unavailable if the GPU has no board; otherwise with errors of
// ClockNetworks::train().
Result<BoardNetworks> train_networks(const simulate::GpuModel& gpu, std::size_t members = kNetworkMembers);

// A kernel whose energy was recorded at several clocks.
struct RecordedKernel {
  model::KernelFeatures features;  // features at the highest clocks
  double operations = 0.0;         // operations of one run
  struct Point {
    backend::BoardSetting clocks;
    Joules energy;  // energy of one run at each of the clocks
  };
  std::vector<Point> points;
};

// Finds the clocks and energies of a recording. The features come from the profile with the name of the recording's
// kernel. At each setting of the clocks the least energy counts. Fails with not_found if no such profile has features.
// Fails with mismatch if the profile or the recording is of another board. Fails with invalid_argument if fewer than
// two settings have an energy, or if a memory clock is unknown.
Result<RecordedKernel> recorded_kernel(const ResultSet& recording, const StoredProfiles& profiles,
                                       const std::string& board);
// Trains networks on recordings of one board. Fails with invalid_argument if there are fewer than 16 recordings, if no
// kernel moves data from or to DRAM, or if only some of the recordings tell the memory clock.
Result<BoardNetworks> train_networks(std::string board, std::span<const RecordedKernel> kernels,
                                     std::size_t members = kNetworkMembers);

// Returns the text of a file (docs/formats/networks.md), with a sealed line for each member.
std::string write_networks(const BoardNetworks& networks);
// Parses the text of a file of networks. Fails with parse_error if it is no such text, if a line is damaged, or if a
// network has another shape. Fails with mismatch if the networks are of another board.
Result<BoardNetworks> read_networks(std::string_view text, const std::filesystem::path& file, const std::string& board);

// Returns the one of these settings that is nearest to the predicted clocks: first in the cores' clock, then in the
// memory's. Precondition: there is a setting.
backend::BoardSetting nearest_setting(const model::BestClocks& predicted,
                                      std::span<const backend::BoardSetting> settings);

// Returns a forecaster for operations per joule. For each ratio that fits, it predicts the pair at the one of these
// settings that the networks prefer; at the board's own clocks if the list is empty. Speeds are those at the highest
// clocks. A pair for which the networks predict nothing above 0 never runs together. Precondition: kernels have
// features.
Forecaster network_forecaster(const BoardNetworks& networks, const MachineLimits& limits,
                              std::vector<backend::BoardSetting> settings);

}  // namespace wattune::schedule
