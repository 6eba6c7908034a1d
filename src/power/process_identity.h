// Identifies processes, even if the system uses their numbers again. Also identifies the starts of the machine
// (boot_id()).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace wattune::inline v0_1::power {

struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start = 0;  // moment of its start, in clock ticks since the machine started

  bool operator==(const ProcessIdentity&) const = default;
};

// Finds the identity of a process; nullopt if there is no such process, or if it has ended and waits for its parent.
std::optional<ProcessIdentity> identity_of(pid_t pid);
bool lives(const ProcessIdentity& process);

// True if `pid` is `ancestor`, or if `ancestor` started it directly or through other processes.
bool descends_from(pid_t pid, pid_t ancestor);

// Returns an id that is different after each start of the machine.
std::string boot_id();

}  // namespace wattune::power
