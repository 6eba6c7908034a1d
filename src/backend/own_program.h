// Programs of Wattune's own that the library starts: where they are, and how a child process is described.
#pragma once

#include <spawn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "backend/descriptor.h"
#include "wattune/core/result.h"

namespace wattune::backend {

// The program of this name: beside the running one, in bin or libexec/wattune beside the folder of the library that
// holds this code, or where the library that is linked was installed. unavailable.
Result<std::filesystem::path> find_own_program(const std::string& name);

// A copy of it out of the way of the numbers that a child gives its descriptors. unavailable.
Result<Descriptor> move_up(Descriptor descriptor);

// Returns pointers to the texts and a null pointer behind them, as programs are given arguments and environments.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

// posix_spawn's descriptions of a child that no signal of the terminal reaches, freed at the end.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  // POSIX_SPAWN_SETPGROUP: it leads a process group; POSIX_SPAWN_SETSID: a session, which outlives this one.
  explicit SpawnPlan(short leads);
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan();
};

}  // namespace wattune::backend
