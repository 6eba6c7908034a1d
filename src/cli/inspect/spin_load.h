// SpinLoad: a kernel that only multiplies and adds, for as long as it is asked to, so that a board draws power
// (power/interface/characterise.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "power/interface/characterise.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

class SpinLoad : public power::KnownLoad {
 public:
  // Stores the selector. The device is opened only in prepare(), because a context costs power.
  SpinLoad(std::string selector, tune::DriverHost where) : selector_(std::move(selector)), where_(std::move(where)) {}

  Result<void> prepare() override;
  Result<void> run(Nanoseconds time) override;

 private:
  Result<void> compile();
  // Finds the number of loop iterations with which the kernel takes about 5 ms. That is short enough to end in time,
  // and long enough for its launch to cost almost nothing.
  Result<void> calibrate();
  // Launches the kernel `times` times in one request, so that there is no pause between launches. Returns the time of
  // the last launch.
  Result<Nanoseconds> launch(std::size_t times);

  const std::string selector_;
  const tune::DriverHost where_;
  std::unique_ptr<backend::Device> device_;
  std::unique_ptr<backend::Kernel> kernel_;
  std::unique_ptr<backend::Buffer> buffer_;
  std::unique_ptr<backend::Stream> stream_;
  int turns_ = 4096;
  Nanoseconds takes_;  // time of one launch
};

}  // namespace wattune::cli
