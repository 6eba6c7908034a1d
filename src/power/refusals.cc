#include "power/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "power/process_identity.h"

namespace wattune::inline v0_1::power {

namespace {

using namespace backend::nvml;  // NVML's own names

constexpr const char* kTakeOver = "taking the board over sets it all the same";

Error refusal(ErrorCode code, std::string why) { return Error(code, std::move(why)).hint(kTakeOver); }

Result<void> check_mig(const KnownBoard& board) {
  unsigned current = NVML_FEATURE_DISABLED;
  unsigned pending = NVML_FEATURE_DISABLED;
  const nvmlReturn_t code = call(board.nvml->nvmlDeviceGetMigMode, board.device, &current, &pending);
  if (code != NVML_SUCCESS || current == NVML_FEATURE_DISABLED) return {};
  return refusal(ErrorCode::unavailable, "MIG is on: the clocks are those of all instances of the board");
}

Result<void> check_limit_is_default(const KnownBoard& board) {
  unsigned now = 0;
  unsigned standard = 0;
  if (call(board.nvml->nvmlDeviceGetPowerManagementLimit, board.device, &now) != NVML_SUCCESS) return {};
  if (call(board.nvml->nvmlDeviceGetPowerManagementDefaultLimit, board.device, &standard) != NVML_SUCCESS) return {};
  if (now == standard) return {};
  return refusal(ErrorCode::unavailable,
                 fmt::format("somebody has set the power limit of the board to {:g} W, from {:g} W by default",
                             now / 1e3, standard / 1e3));
}

Result<void> check_application_clocks_are_default(const KnownBoard& board) {
  const std::optional<ApplicationClocks> now = application_clocks(board);
  const std::optional<ApplicationClocks> standard = default_application_clocks(board);
  if (!now || !standard || now == standard) return {};
  return refusal(ErrorCode::unavailable,
                 fmt::format("somebody has set the application clocks of the board to {} MHz, with {} MHz of memory",
                             now->graphics, now->memory));
}

// Returns the processes that compute on the board; nullopt if NVML does not report them.
std::optional<std::vector<pid_t>> computing_processes(const KnownBoard& board) {
  const auto ask = board.nvml->nvmlDeviceGetComputeRunningProcesses_v3;
  constexpr unsigned kRoomForNewProcesses = 8;  // processes that may have come between two calls
  unsigned count = 0;
  nvmlReturn_t code = call(ask, board.device, &count, static_cast<nvmlProcessInfo_t*>(nullptr));
  std::vector<nvmlProcessInfo_t> processes;
  if (code == NVML_ERROR_INSUFFICIENT_SIZE) {
    processes.resize(count + kRoomForNewProcesses);
    count = static_cast<unsigned>(processes.size());
    code = call(ask, board.device, &count, processes.data());
  }
  if (code != NVML_SUCCESS) return std::nullopt;
  std::vector<pid_t> pids;
  for (unsigned i = 0; i < std::min<std::size_t>(count, processes.size()); ++i)
    pids.push_back(static_cast<pid_t>(processes[i].pid));
  return pids;
}

Error cannot_tell() {
  return refusal(ErrorCode::unavailable,
                 "it cannot be told whether other processes compute on the board (a container may hide them)");
}

Result<void> check_processes(const KnownBoard& board, pid_t user, bool has_context) {
  const std::optional<std::vector<pid_t>> all = computing_processes(board);
  if (!all) return cannot_tell();
  const auto other = std::ranges::find_if(*all, [&](pid_t pid) { return !descends_from(pid, user); });
  if (other != all->end())
    return refusal(ErrorCode::busy, fmt::format("process {} computes on the board, too", *other));
  return has_context && all->empty() ? cannot_tell() : Result<void>();
}

}  // namespace

Result<void> check_allowed(const KnownBoard& board) {
  if (!board.nvml->drives_real_boards || std::getenv("WATTUNE_LEAVE_CLOCKS") == nullptr) return {};
  return Error(ErrorCode::unavailable, "clocks of real boards are left alone here (WATTUNE_LEAVE_CLOCKS)")
      .hint("leave clock parameters out of the spec, or tune at the board's current clocks");
}

Result<void> check_free(const KnownBoard& board, pid_t user, bool has_context) {
  WATTUNE_TRY(check_mig(board));
  WATTUNE_TRY(check_limit_is_default(board));
  WATTUNE_TRY(check_application_clocks_are_default(board));
  return check_processes(board, user, has_context);
}

}  // namespace wattune::power
