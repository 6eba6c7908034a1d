// BoardControl: sets the clocks and the power limit of a board, and knows what it owes the board for that. Nothing else
// in Wattune calls what sets.
//
// On a real board only the guardian makes one (power/guardian.h), because a process that is killed restores nothing:
// whoever else wants to set clocks borrows them (power/clocks.h).
#pragma once

#include <optional>
#include <string>

#include "backend/nvml/board_reading.h"

namespace wattune::backend::nvml {

// What must be given back: locks that were made, and what other settings were before.
struct BoardDebt {
  bool graphics_lock = false;
  bool memory_lock = false;
  std::optional<ApplicationClocks> application = {};
  std::optional<unsigned> limit_mw = {};

  bool operator==(const BoardDebt&) const = default;
};

class BoardControl : public ClockControl {
 public:
  // `debt` is what somebody else left behind, which restore() pays.
  BoardControl(const KnownBoard& known, std::string board, BoardDebt debt = {})
      : known_(known), board_(std::move(board)), debt_(debt) {}
  BoardControl(const BoardControl&) = delete;
  BoardControl& operator=(const BoardControl&) = delete;
  ~BoardControl() override { (void)restore(); }

  const std::string& board() const override { return board_; }
  Result<BoardChoices> choices() override;
  Result<void> set(const BoardSetting& setting) override;
  Result<BoardSetting> current() override { return board_setting(known_); }
  // What could not be given back is owed still. What can be read back is: limit and application clocks, but no locks.
  Result<void> restore() override;

  const BoardDebt& debt() const { return debt_; }
  // What is owed after this is set, which it is not here. Errors as of set().
  Result<BoardDebt> debt_after(const BoardSetting& setting);

 private:
  Result<void> check(const BoardSetting& setting);
  Result<void> owe_clocks(ClockMeans means, bool BoardDebt::*lock, const char* what, BoardDebt& debt) const;
  Result<void> set_memory(const BoardSetting& setting);
  Result<void> set_graphics(const BoardSetting& setting);
  Result<void> set_application(const BoardSetting& setting);
  Result<void> set_limit(unsigned milliwatts);
  Result<void> unlock_graphics();
  Result<void> unlock_memory();
  Result<void> restore_application();
  Result<void> restore_limit();

  const KnownBoard known_;
  const std::string board_;
  std::optional<BoardChoices> choices_;
  BoardDebt debt_;
};

// For the guardian alone, real boards included; `debt` as above.
Result<std::unique_ptr<BoardControl>> open_board_control(const std::string& pci_bus_id, const BoardDebt& debt = {});

}  // namespace wattune::backend::nvml
