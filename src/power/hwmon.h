// Hwmon reads the sensors of AMD's boards from files of Linux's amdgpu driver. It has never been run on a real board.
//
// The folder of sysfs is an argument, so that tests can pass their own. Nothing is ever written.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {

class Hwmon {
 public:
  explicit Hwmon(std::filesystem::path sysfs = "/sys") : sysfs_(std::move(sysfs)) {}

  // Opens a board by PCI bus id, or by the id that amdgpu calls unique_id. Fails with unavailable if there are no files
  // of such a board.
  Result<Board> open(const std::string& name) const;
  // Opens all of AMD's boards that have such files.
  BoardsFound find() const;

 private:
  std::filesystem::path devices() const { return sysfs_ / "bus" / "pci" / "devices"; }

  const std::filesystem::path sysfs_;
};

}  // namespace wattune::power
