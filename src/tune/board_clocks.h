// BoardClocks: the clocks and the power limit that configurations name, on the board of a device.
//
// Without such parameters it asks the device for nothing and sets nothing. What it set is restored when it ends.
//
//   WATTUNE_ASSIGN(BoardClocks clocks, BoardClocks::open(parameters, device));
//   WATTUNE_TRY(clocks.apply(configuration));
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/parameter.h"

namespace wattune::tune {

class BoardClocks {
 public:
  // The device outlives it. unavailable: the spec has clock parameters, but the device has no control of its clocks.
  static Result<BoardClocks> open(const std::vector<Parameter>& parameters, backend::Device& device);

  // Sets what this configuration names, unless it is set already, and reads it back. invalid_argument: the board has
  // no such clock, or runs at another one. Other Errors are no configuration's: unavailable (not permitted).
  Result<void> apply(const Configuration& configuration);

 private:
  Result<backend::BoardSetting> setting_of(const Configuration& configuration) const;
  Result<void> verify(const backend::BoardSetting& wanted) const;

  // The device owns the control; this owns what is set.
  struct Restore {
    void operator()(backend::ClockControl* control) const { (void)control->restore(); }
  };

  std::vector<Parameter> parameters_;                        // that are set on the board
  std::unique_ptr<backend::ClockControl, Restore> control_;  // none: there are no such parameters
  std::optional<backend::BoardSetting> applied_;
};

}  // namespace wattune::tune
