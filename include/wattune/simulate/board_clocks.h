// Clocks of a simulated board, as those of a real one are set: through a backend::ClockControl.
//
// The caller owns both, and the board outlives its clocks; one thread at a time.
//
//   simulate::SimulatedBoard board(*simulate::find_board_model("GT640"));
//   simulate::BoardClocks clocks(board);
//   WATTUNE_TRY(clocks.set({.graphics = Megahertz(836), .memory = Megahertz(324)}));
#pragma once

#include <string>

#include "wattune/backend/clock_control.h"
#include "wattune/simulate/simulated_board.h"

namespace wattune::simulate {

class BoardClocks final : public backend::ClockControl {
 public:
  explicit BoardClocks(SimulatedBoard& board) : board_(board) {}
  ~BoardClocks() override { static_cast<void>(restore().has_value()); }

  const std::string& board() const override { return board_.model().name; }
  Result<backend::BoardChoices> choices() override;
  Result<void> set(const backend::BoardSetting& setting) override;
  Result<backend::BoardSetting> current() override;
  Result<void> restore() override;

 private:
  SimulatedBoard& board_;
};

}  // namespace wattune::simulate
