// Which process one means, though numbers of processes are used again and machines are restarted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace wattune::power {

struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start = 0;  // in the kernel's ticks since it was started

  bool operator==(const ProcessIdentity&) const = default;
};

// None: there is no such process, or it has ended and waits for its parent.
std::optional<ProcessIdentity> identity_of(pid_t pid);
bool lives(const ProcessIdentity& process);

// Whether `pid` is `ancestor` or was started by it, over however many steps.
bool descends_from(pid_t pid, pid_t ancestor);

// Another one after each start of the machine.
std::string boot_id();

}  // namespace wattune::power
