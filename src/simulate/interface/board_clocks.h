// BoardClocks sets the clocks and the limit of a simulated board through a backend::ClockControl, like those of a real
// board. The board has no place on a PCI bus, so board() returns its name.
//
// The caller owns the board and this object, and the board must outlive this object. Only one thread at a time may use
// them. A setting made in another way stays until set() changes it. restore() restores the limit that was set before,
// but no locks, because locks of real boards cannot be read either.
//
//   simulate::SimulatedBoard board(*simulate::find_board_model("GT640"));
//   simulate::BoardClocks clocks(board);
//   WATTUNE_TRY(clocks.set({.graphics = Megahertz(836), .memory = Megahertz(324)}));
#pragma once

#include <optional>
#include <string>

#include "simulate/interface/simulated_board.h"
#include "wattune/backend/clock_control.h"

namespace wattune::inline v0_1::simulate {

class BoardClocks final : public backend::ClockControl {
 public:
  explicit BoardClocks(SimulatedBoard& board) : board_(board) {}
  BoardClocks(const BoardClocks&) = delete;
  BoardClocks& operator=(const BoardClocks&) = delete;
  ~BoardClocks() override { static_cast<void>(restore().has_value()); }

  const std::string& board() const override { return board_.model().name; }
  Result<backend::BoardChoices> choices() override;
  Result<void> set(const backend::BoardSetting& setting) override;
  Result<backend::BoardSetting> current() override;
  Result<void> restore() override;

 private:
  void set_graphics(std::optional<Megahertz> clock);
  void set_memory(std::optional<Megahertz> clock);
  void set_limit(std::optional<Watts> limit);

  SimulatedBoard& board_;
  bool locks_graphics_ = false;
  bool locks_memory_ = false;
  std::optional<Watts> limit_before_;
};

}  // namespace wattune::simulate
