// Clocks and limit of a simulated board, as those of a real one are set: through a backend::ClockControl. It is on no
// bus: board() is its name.
//
// The caller owns both, and the board outlives its clocks; one thread at a time. What somebody else has set stays until
// set() changes it. As with real boards, whose locks cannot be read, restore() gives back limits that were there
// before, but no locks.
//
//   simulate::SimulatedBoard board(*simulate::find_board_model("GT640"));
//   simulate::BoardClocks clocks(board);
//   WATTUNE_TRY(clocks.set({.graphics = Megahertz(836), .memory = Megahertz(324)}));
#pragma once

#include <optional>
#include <string>

#include "wattune/backend/clock_control.h"
#include "wattune/simulate/simulated_board.h"

namespace wattune::simulate {

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
