#include "backend/interface/kill_count.h"

#include <fstream>
#include <string>
#include <utility>

#include "core/logging.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::backend {

KillCount::KillCount(std::filesystem::path vmstat) : vmstat_(std::move(vmstat)), of_system_(kills_of_system()) {}

bool KillCount::allow_another(const Error& error) { return killed_from_outside(error) && allow_another(); }

bool KillCount::allow_another() {
  constexpr int kMostKills = 10;
  constexpr int kMostWithoutMemory = 2;
  ++kills_;
  const std::uint64_t now = kills_of_system();
  if (now != std::exchange(of_system_, now)) ++lacked_memory_;
  const bool allowed = kills_ < kMostKills && lacked_memory_ < kMostWithoutMemory;
  if (allowed) log_info("killed from outside, the {}. time: tried again", kills_);
  return allowed;
}

std::uint64_t KillCount::kills_of_system() const {
  std::ifstream lines(vmstat_);
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;)
    if (name == "oom_kill") return value;
  return 0;
}

}  // namespace wattune::backend
