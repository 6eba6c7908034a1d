#include "backend/worker/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>

#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::backend {

namespace worker {
namespace {

[[noreturn]] void end_without_memory() { _exit(out_of_memory); }

// Returns the bytes of private writable memory, the sixth number of statm.
std::uint64_t allocated_bytes() {
  constexpr int kPlace = 6;
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int i = 0; i < kPlace; ++i) statm >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void limit_memory(std::uint64_t bytes) {
  std::set_new_handler(end_without_memory);
  if (bytes == 0) return;
  // The limit counts in addition to the memory in use, because sanitizers reserve terabytes for themselves.
  const std::uint64_t before = allocated_bytes();
  const rlimit most{before + bytes, before + bytes};
  setrlimit(RLIMIT_DATA, &most);
}

}  // namespace worker

namespace {

// Returns the memory of the machine, or that of the container, which cgroups of version 2 or 1 give.
std::uint64_t available_bytes() {
  std::uint64_t least =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (std::uint64_t bytes = 0; std::ifstream(file) >> bytes) least = std::min(least, bytes);
  return least;
}

}  // namespace

std::uint64_t default_memory_limit() { return available_bytes() / 4 * 3; }

}  // namespace wattune::backend
