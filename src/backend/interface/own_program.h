// Finds the programs of Wattune that the library starts, and describes child processes for posix_spawn().
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

// Returns a copy of the descriptor whose number is higher than those that child processes use. Fails with unavailable.
Result<Descriptor> move_up(Descriptor descriptor);

// Returns pointers to the texts, followed by a null pointer, as exec() takes arguments and environments.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

// The descriptions that posix_spawn() takes, for a child to which the terminal's signals are not sent. They are freed
// by the destructor.
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
