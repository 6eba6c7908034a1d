// KillCount: decides whether a task is tried again after its process was killed from outside.
//
// A process that a person killed is tried again, because the kill says nothing about the code that ran. But code that
// kills itself, or is killed each time because memory runs out, must not be tried for ever.
//
//   KillCount kills;
//   do result = compile();
//   while (!result && kills.allow_another(result.error()));
#pragma once

#include <cstdint>
#include <filesystem>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

class KillCount {
 public:
  // Begins to count kills for one task; `vmstat` names the file that counts the system's kills for lack of memory.
  explicit KillCount(std::filesystem::path vmstat = "/proc/vmstat");

  // Counts a kill, if the error is that of a kill from outside. Returns false for any other error, after ten kills, and
  // after the second kill for lack of memory.
  bool allow_another(const Error& error);
  // Counts a kill from outside. Returns false after ten kills, and after the second kill for lack of memory.
  bool allow_another();

 private:
  std::uint64_t kills_of_system() const;

  const std::filesystem::path vmstat_;
  std::uint64_t of_system_;  // the system's number of kills for lack of memory, when it was last read
  int kills_ = 0;
  int lacked_memory_ = 0;
};

}  // namespace wattune::backend
