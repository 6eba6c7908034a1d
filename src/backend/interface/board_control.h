// BoardControl: sets the clocks and the power limit of a board, and remembers what it must restore. Only this class
// calls NVML's setters.
//
// For a real board, only the guardian process makes one (power/guardian.h), because a killed process restores nothing.
// All other code borrows the clocks (power/interface/clocks.h).
#pragma once

#include <optional>
#include <string>

#include "backend/interface/board_reading.h"

namespace wattune::inline v0_1::backend::nvml {

// The settings that are still to be restored: locks of clocks, and the former values of other settings.
struct BoardDebt {
  bool graphics_lock = false;
  bool memory_lock = false;
  std::optional<ApplicationClocks> application = {};
  std::optional<unsigned> limit_mw = {};

  bool operator==(const BoardDebt&) const = default;
};

// The control of one board through NVML.
class BoardControl : public ClockControl {
 public:
  // Controls a board. `debt` holds settings that another process left behind; restore() also restores them.
  BoardControl(const KnownBoard& known, std::string board, BoardDebt debt = {})
      : known_(known), board_(std::move(board)), debt_(debt) {}
  BoardControl(const BoardControl&) = delete;
  BoardControl& operator=(const BoardControl&) = delete;
  ~BoardControl() override { (void)restore(); }

  const std::string& board() const override { return board_; }
  Result<BoardChoices> choices() override;
  Result<void> set(const BoardSetting& setting) override;
  Result<BoardSetting> current() override { return board_setting(known_); }
  // Restores the settings. A setting that cannot be restored stays in the debt. Power limit and application clocks can
  // be read before they are set, but locks cannot.
  Result<void> restore() override;

  const BoardDebt& debt() const { return debt_; }
  // Returns the debt that set(setting) would leave, without setting anything. Errors are those of set().
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

// Opens a board, even a real one; only the guardian may call this function. `debt` is as in the constructor. Fails with
// unavailable.
Result<std::unique_ptr<BoardControl>> open_board_control(const std::string& pci_bus_id, const BoardDebt& debt = {});

}  // namespace wattune::backend::nvml
