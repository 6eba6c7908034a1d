// BoardClocks: sets the clocks and the power limit of configurations on the board of a device.
//
// Without such parameters it asks the device for nothing, sets nothing and starts nothing. Boards of NVML are borrowed
// (power/clocks.h); other devices are asked for their own control. Its destructor restores what was set.
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

// Returns the options of a lease whose patience is longer than anything that the tuner waits for: a compiler, tried
// twice, a run, a reference.
power::BorrowOptions borrow_options(const EvaluatorOptions& options, Nanoseconds reference_limit);

// Runs a kernel `runs` times.
using Spin = std::function<Result<std::vector<Sample>>(std::size_t runs)>;

class BoardClocks {
 public:
  // Opens the control of the device's board; the device outlives it. Fails as power::borrow_clocks(), which reads all
  // of `options` except `wanted` and `has_context`; with unavailable if the spec has clock parameters but the device
  // has no control of its clocks.
  static Result<BoardClocks> open(const std::vector<Parameter>& parameters, backend::Device& device,
                                  const power::BorrowOptions& options);

  // Returns the control of the board, for callers without a configuration; nullptr if there are no such parameters.
  backend::ClockControl* control() const { return control_.get(); }

  // True if look() must be called before apply().
  bool must_look() const { return must_look_; }
  // Looks for somebody else's lock, which cannot be read: it shows in the clock at which a kernel runs before anything
  // is set. Fails with unavailable if there seems to be one, otherwise with errors of the runs.
  Result<void> look(const Spin& spin);

  // Sets what this configuration names, unless it is set already. Fails with invalid_argument if the board has no such
  // clock or limit, or says that it has another. Other errors concern no configuration: unavailable if setting is not
  // permitted, or if the lease is over.
  Result<void> apply(const Configuration& configuration);

  // Checks that what was set is still set. Fails with unavailable if the lease ran out meanwhile.
  Result<void> confirm() { return lease_ != nullptr ? lease_->renew() : Result<void>(); }

  // Returns what is set; nullopt if the board has its own clocks.
  const std::optional<backend::BoardSetting>& applied() const { return applied_; }

  // Runs the kernel until the clock of a borrowed board stands, at most a second, once after each change. Fails with
  // invalid_argument if the clock stands further than a step from what was set, though power and heat do not hold it
  // down; otherwise with errors of the runs.
  Result<void> settle(const Spin& spin);

 private:
  Result<void> borrow(backend::Device& device, power::BorrowOptions options);
  Result<backend::BoardSetting> setting_of(const Configuration& configuration) const;
  Result<void> verify(const backend::BoardSetting& wanted) const;

  std::vector<Parameter> parameters_;               // those that are set on the board
  std::shared_ptr<backend::ClockControl> control_;  // restores at its end; nullptr without such parameters
  power::ClockLease* lease_ = nullptr;              // the same object, if the board is borrowed
  bool must_look_ = false;
  Megahertz least_free_;  // least clock at which it runs when nobody holds it down
  std::optional<backend::BoardSetting> applied_;
  bool settled_ = false;            // set and verified
  std::optional<Error> disobeyed_;  // the error if the board did not obey; it is not asked again
};

}  // namespace wattune::tune
