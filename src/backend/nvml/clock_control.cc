#include "wattune/backend/clock_control.h"

#include "backend/interface/board_control.h"

namespace wattune::inline v0_1::backend {

Result<std::unique_ptr<ClockControl>> open_clock_control(const std::string& pci_bus_id) {
  WATTUNE_ASSIGN(const nvml::KnownBoard board, nvml::find_board(pci_bus_id));
  if (board.nvml->drives_real_boards)
    return Error(ErrorCode::unavailable, "clocks of real boards are not set: control of them comes with its guardian")
        .hint("power::borrow_clocks() starts one");
  return std::unique_ptr<ClockControl>(std::make_unique<nvml::BoardControl>(board, pci_bus_id));
}

}  // namespace wattune::backend
