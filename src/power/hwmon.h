// Hwmon: what Linux's amdgpu driver tells of AMD's boards in files. No real board has been tried.
//
// The folder of sysfs is an argument, so that tests bring one of their own. Nothing is ever written.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/power/board.h"

namespace wattune::power {

class Hwmon {
 public:
  explicit Hwmon(std::filesystem::path sysfs = "/sys") : sysfs_(std::move(sysfs)) {}

  // By PCI bus id or by the id that amdgpu calls unique_id. unavailable: it has no files of such a board.
  Result<Board> open(const std::string& name) const;
  // All boards of AMD's that have such files.
  BoardsFound find() const;

 private:
  std::filesystem::path devices() const { return sysfs_ / "bus" / "pci" / "devices"; }

  const std::filesystem::path sysfs_;
};

}  // namespace wattune::power
