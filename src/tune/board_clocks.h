// BoardClocks: the clocks and the power limit that configurations name, on the board of a device.
//
// Without such parameters it asks the device for nothing, sets nothing and starts nothing. Boards of NVML are borrowed
// (power/clocks.h), other devices are asked for their own control. What was set is restored when it ends.
//
//   WATTUNE_ASSIGN(BoardClocks clocks, BoardClocks::open(parameters, device, options));
//   WATTUNE_TRY(clocks.apply(configuration));
//   WATTUNE_TRY(clocks.settle(spin));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/observation.h"
#include "wattune/core/parameter.h"
#include "wattune/power/clocks.h"

namespace wattune::tune {

// Runs a kernel so many times.
using Spin = std::function<Result<std::vector<Sample>>(std::size_t runs)>;

class BoardClocks {
 public:
  // The device outlives it. Errors of power::borrow_clocks(), of whose options `wanted` and `has_context` are not read;
  // unavailable: the spec has clock parameters, but the device has no control of its clocks.
  static Result<BoardClocks> open(const std::vector<Parameter>& parameters, backend::Device& device,
                                  const power::BorrowOptions& options);

  // That sets the board, for those who need no configuration; nullptr: there are no such parameters.
  backend::ClockControl* control() const { return control_.get(); }

  // Whether look() is to be called before apply().
  bool must_look() const { return must_look_; }
  // Somebody else's lock cannot be read; it shows in what a kernel runs at before anything is set. unavailable: there
  // seems to be one. Errors of the runs.
  Result<void> look(const Spin& spin);

  // Sets what this configuration names, unless it is set already. invalid_argument: the board has no such clock or
  // limit, or says that it has another. Other Errors are no configuration's: unavailable (not permitted, or the lease
  // is over).
  Result<void> apply(const Configuration& configuration);

  // Whether what was set is set still, as it is not where the lease ran out meanwhile. unavailable: it is not.
  Result<void> confirm() { return lease_ != nullptr ? lease_->renew() : Result<void>(); }

  // What is set; none: the board has its own clocks.
  const std::optional<backend::BoardSetting>& applied() const { return applied_; }

  // Of a borrowed board, once after each change: runs the kernel until its clock stands, at most a second.
  // invalid_argument: it stands further than a step from what was set, though power and heat do not hold it down.
  // Errors of the runs.
  Result<void> settle(const Spin& spin);

 private:
  Result<void> borrow(backend::Device& device, power::BorrowOptions options);
  Result<backend::BoardSetting> setting_of(const Configuration& configuration) const;
  Result<void> verify(const backend::BoardSetting& wanted) const;

  std::vector<Parameter> parameters_;               // that are set on the board
  std::shared_ptr<backend::ClockControl> control_;  // restores at its end; none: there are no such parameters
  power::ClockLease* lease_ = nullptr;              // the same, where the board is borrowed
  bool must_look_ = false;
  Megahertz least_free_;  // that it runs at when nobody holds it down
  std::optional<backend::BoardSetting> applied_;
  bool settled_ = false;            // and verified
  std::optional<Error> disobeyed_;  // the board did not take what is set, and is not asked again
};

}  // namespace wattune::tune
