#include "wattune/power/board.h"

#include <algorithm>
#include <iterator>

#include "power/hwmon.h"
#include "power/interface/characterise.h"
#include "power/nvml_board.h"

namespace wattune::inline v0_1::power {

namespace {

using backend::nvml::NvmlApi;

Result<Board> open_through_nvml(const std::string& name) {
  WATTUNE_ASSIGN(const NvmlApi* nvml, backend::nvml::nvml_api());
  WATTUNE_ASSIGN(const backend::nvml::nvmlDevice_t device, find_nvml_board(*nvml, name));
  return open_nvml_board(*nvml, device, name);
}

// Adopts earlier measurements of this board. If they cannot be used, Board::missing says why, and the board is used
// without them.
void adopt_stored(Board& board) {
  const Result<Characterisation> stored = load_characterisation(board);
  if (stored)
    adopt(board, *stored);
  else if (stored.error().code() != ErrorCode::not_found)
    board.missing.push_back(stored.error().to_string());
}

}  // namespace

Result<Board> open_board(const std::string& name) {
  if (name.empty())
    return Error(ErrorCode::unavailable, "a device that does not say where it is on the PCI bus has no sensors");
  Result<Board> board = Hwmon().open(name);
  if (!board) board = open_through_nvml(name);
  if (board) adopt_stored(*board);
  return board;
}

BoardsFound find_boards() {
  BoardsFound found = Hwmon().find();
  const Result<const NvmlApi*> nvml = backend::nvml::nvml_api();
  BoardsFound more = nvml ? find_nvml_boards(**nvml) : BoardsFound{{}, {nvml.error().to_string()}};
  std::ranges::move(more.boards, std::back_inserter(found.boards));
  std::ranges::move(more.problems, std::back_inserter(found.problems));
  std::ranges::for_each(found.boards, adopt_stored);
  return found;
}

}  // namespace wattune::power
