// BoardClocks: sets the clocks and the power limit of configurations on the board of a device.
//
// Without clock or power parameters it does nothing. Boards of NVML are borrowed (power/clocks.h); other devices have a
// control of their own. Its destructor restores all settings.
//
//   WATTUNE_ASSIGN(BoardClocks clocks, BoardClocks::open(parameters, device, options));
//   WATTUNE_TRY(clocks.apply(configuration));
//   WATTUNE_TRY(clocks.settle(spin));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "power/interface/clocks.h"
#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/observation.h"
#include "wattune/core/parameter.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

// Returns the options for borrowing a board. The patience of the lease exceeds the longest waits of the tuner: for a
// compiler (tried twice), for a run, or for a reference.
power::BorrowOptions borrow_options(const EvaluatorOptions& options, Nanoseconds reference_limit);

// Runs a kernel `runs` times.
using Spin = std::function<Result<std::vector<Sample>>(std::size_t runs)>;

class BoardClocks {
 public:
  // Opens the control of the device's board. The device must outlive the control. Fails with unavailable if the spec
  // has clock parameters but the device has no control of its clocks. Other errors are those of power::borrow_clocks(),
  // which reads all of `options` except `wanted` and `has_context`; these are set here.
  static Result<BoardClocks> open(const std::vector<Parameter>& parameters, backend::Device& device,
                                  const power::BorrowOptions& options);

  // Returns the control of the board, for callers without a configuration; nullptr if there are no clock or power
  // parameters.
  backend::ClockControl* control() const { return control_.get(); }

  // True if look() must be called before apply().
  bool must_look() const { return must_look_; }
  // Looks for another program's clock lock. Such a lock cannot be read. It shows in the clock at which a kernel runs
  // before any clock is set. Fails with unavailable if there seems to be a lock, otherwise with errors of the runs.
  Result<void> look(const Spin& spin);

  // Sets the clocks and the limit of this configuration, unless they are set already. Fails with invalid_argument if
  // the board has no such clock or limit, or reports another value afterwards. Other errors do not depend on the
  // configuration: unavailable if setting is not permitted, or if the lease is over.
  Result<void> apply(const Configuration& configuration);

  // Checks that the settings are still in place. Fails with unavailable if the lease ran out meanwhile.
  Result<void> confirm() { return lease_ != nullptr ? lease_->renew() : Result<void>(); }

  // Returns the present settings; nullopt if the board has its own clocks.
  const std::optional<backend::BoardSetting>& applied() const { return applied_; }

  // Runs the kernel until the clock of a borrowed board no longer changes, for at most a second. It does this once
  // after each change of settings. Fails with invalid_argument if the clock is more than a step off the setting, though
  // power and heat do not hold it down. Otherwise fails with errors of the runs.
  Result<void> settle(const Spin& spin);

 private:
  Result<void> borrow(backend::Device& device, power::BorrowOptions options);
  Result<backend::BoardSetting> setting_of(const Configuration& configuration) const;
  Result<void> verify(const backend::BoardSetting& wanted) const;

  std::vector<Parameter> parameters_;               // the parameters that are set on the board
  std::shared_ptr<backend::ClockControl> control_;  // restores the board when destroyed; nullptr without parameters_
  power::ClockLease* lease_ = nullptr;              // the same object as `control_`, if the board is borrowed
  bool must_look_ = false;
  Megahertz least_free_;  // lowest clock at which the board runs if nothing holds it down
  std::optional<backend::BoardSetting> applied_;
  bool settled_ = false;            // true if the present setting has been verified
  std::optional<Error> disobeyed_;  // the error if the board did not reach a setting, which is then not tried again
};

}  // namespace wattune::tune
