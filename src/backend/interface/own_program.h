// The programs of Wattune that the library starts: where they are, and how a child process is described.
#pragma once

#include <spawn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "backend/interface/descriptor.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend {

// Finds the program of this name. Looks in the folder of the library that holds this code, and in bin and
// libexec/wattune beside this folder. Then it looks in the same places from the running program, and where the linked
// library was installed. So a Python module finds its own worker, whatever lies beside the interpreter. Fails with
// unavailable.
Result<std::filesystem::path> find_own_program(const std::string& name);

// Returns a copy whose number is above those that a child gives its descriptors. Fails with unavailable.
Result<Descriptor> move_up(Descriptor descriptor);

// Returns pointers to the texts and a null pointer behind them, as programs are given arguments and environments.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

// posix_spawn's descriptions of a child that no signal of the terminal reaches, freed at the end.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  // Describes a child that leads a process group (POSIX_SPAWN_SETPGROUP) or a session that outlives this one
  // (POSIX_SPAWN_SETSID).
  explicit SpawnPlan(short leads);
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan();
};

}  // namespace wattune::backend
