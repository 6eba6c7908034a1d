#include "power/process_identity.h"

#include <fstream>
#include <sstream>

namespace wattune::inline v0_1::power {

namespace {

struct ProcessStatus {
  char state = 0;
  pid_t parent = 0;
  std::uint64_t start = 0;
};

// Parses the file of proc(5): "pid (name) state ppid ...". The name may hold any character, and the start time is the
// 22nd word.
std::optional<ProcessStatus> status_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  std::istringstream words(line.substr(line.rfind(')') + 1));
  constexpr int kWordsBetween = 17;
  ProcessStatus status;
  std::string skipped;
  words >> status.state >> status.parent;
  for (int i = 0; i < kWordsBetween; ++i) words >> skipped;
  words >> status.start;
  return words ? std::optional(status) : std::nullopt;
}

}  // namespace

std::optional<ProcessIdentity> identity_of(pid_t pid) {
  const std::optional<ProcessStatus> status = status_of(pid);
  if (!status || status->state == 'Z' || status->state == 'X') return std::nullopt;
  return ProcessIdentity{pid, status->start};
}

bool lives(const ProcessIdentity& process) { return identity_of(process.pid) == process; }

bool descends_from(pid_t pid, pid_t ancestor) {
  while (pid > 0 && pid != ancestor) {
    const std::optional<ProcessStatus> status = status_of(pid);
    pid = status ? status->parent : 0;
  }
  return pid == ancestor;
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace wattune::power
