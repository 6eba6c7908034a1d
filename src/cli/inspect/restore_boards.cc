#include "cli/inspect/restore_boards.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/program/terminal.h"

namespace wattune::cli {

namespace {

// True if the board was restored, or if it is in use and so need not be restored yet.
bool is_well(const power::StaleBoard& board) {
  return board.restored || board.restored.error().code() == ErrorCode::busy;
}

}  // namespace

std::string restore_text(const std::vector<power::StaleBoard>& boards) {
  std::string text;
  for (const power::StaleBoard& each : boards) {
    for (const std::string& note : each.notes) text += note + "\n";
    if (!each.restored) text += fmt::format("{}: {}\n", each.board, each.restored.error().to_string());
  }
  return text.empty() ? "no board has settings that a dead process left\n" : text;
}

Result<ExitStatus> restore_boards(const std::string& board) {
  const std::vector<power::StaleBoard> boards = power::restore_stale(board);
  const bool printed = print_result(restore_text(boards));
  return printed && std::ranges::all_of(boards, is_well) ? ExitStatus::good : ExitStatus::environment;
}

Result<void> check_given_back(const std::string& board) {
  for (power::StaleBoard& stale : power::restore_stale(board))
    if (!is_well(stale)) return std::move(stale.restored).error().with_context("the board is not as it was");
  return {};
}

}  // namespace wattune::cli
