// KillCount: whether what somebody killed from outside is to be tried again.
//
// A process that is killed by a hand is tried again, as it says nothing of what ran. What kills itself, or is killed
// each time because memory runs out, must come to an end all the same.
//
//   KillCount kills;
//   do result = compile();
//   while (!result && kills.allow_another(result.error()));
#pragma once

#include <cstdint>
#include <filesystem>

#include "wattune/core/result.h"

namespace wattune::backend {

class KillCount {
 public:
  // Counts for one thing that is tried; `vmstat` tells how often the system killed because memory ran out.
  explicit KillCount(std::filesystem::path vmstat = "/proc/vmstat");

  // Counts the kill that is the error's; false for any other error. False, too, after ten kills, and after the second
  // one in whose time memory ran out.
  bool allow_another(const Error& error);
  // Counts a kill.
  bool allow_another();

 private:
  std::uint64_t kills_of_system() const;

  const std::filesystem::path vmstat_;
  std::uint64_t of_system_;  // when it was last asked
  int kills_ = 0;
  int lacked_memory_ = 0;
};

}  // namespace wattune::backend
