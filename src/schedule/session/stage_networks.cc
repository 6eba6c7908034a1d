#include "schedule/session/stage_networks.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "store/interface/files.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::schedule {

namespace {

Result<BoardNetworks> learned_from_recordings(const CorunOptions& options, const std::string& board) {
  std::vector<RecordedKernel> kernels;
  for (const std::string& file : options.networks.recordings) {
    WATTUNE_ASSIGN(const ResultSet recording, store::load_results(file));
    auto kernel = recorded_kernel(recording, options.profiles, board);
    if (!kernel) return std::move(kernel).error().at({file});
    kernels.push_back(*std::move(kernel));
  }
  return train_networks(board, kernels);
}

Result<BoardNetworks> learned(const CorunOptions& options, const std::string& board,
                              const simulate::GpuModel* simulated) {
  if (!options.networks.recordings.empty()) return learned_from_recordings(options, board);
  if (simulated != nullptr) return train_networks(*simulated);
  return Error(ErrorCode::unavailable, "there are no networks for this board, and nothing to train them on")
      .about(board)
      .hint("name a file of networks, or recordings of kernels at several clocks");
}

}  // namespace

Result<std::optional<BoardNetworks>> networks_of(const CorunOptions& options, const std::string& board,
                                                 const simulate::GpuModel* simulated) {
  if (!options.networks.decide) return std::optional<BoardNetworks>();
  const std::string& file = options.networks.file;
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) {
    WATTUNE_ASSIGN(BoardNetworks networks, learned(options, board, simulated));
    if (!file.empty()) WATTUNE_TRY(store::write_file(file, write_networks(networks), false));
    return std::optional(std::move(networks));
  }
  if (!options.networks.recordings.empty())
    return Error(ErrorCode::already_exists, "the file has networks already, so that the recordings would not be used")
        .at({file})
        .hint("leave out the recordings, or name another file");
  WATTUNE_ASSIGN(const std::string text, store::read_regular_file(file));
  WATTUNE_ASSIGN(BoardNetworks networks, read_networks(text, file, board));
  return std::optional(std::move(networks));
}

ClockChoice with_clocks_of(const std::optional<BoardNetworks>& networks, ClockChoice choice) {
  if (networks && choice.clocks.empty()) choice.clocks = networks->clocks;
  return choice;
}

}  // namespace wattune::schedule
