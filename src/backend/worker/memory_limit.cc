#include "backend/worker/memory_limit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <new>
#include <string>

#include "backend/worker/supervisor.h"
#include "wattune/backend/worker.h"

namespace wattune::backend {

namespace worker {
namespace {

std::uint64_t half_of_limit = 0;  // with what the program takes by itself

[[noreturn]] void end_without_memory() { _exit(out_of_memory); }

// Of private memory, which is the sixth number of statm. Allocates nothing, for a signal's handler.
std::uint64_t allocated_bytes() {
  constexpr int kPlace = 6;
  char text[256];
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  const char* at = text;
  const char* const end = text + std::max<ssize_t>(size, 0);
  std::uint64_t pages = 0;
  for (int i = 0; i < kPlace; ++i) {
    at = std::from_chars(at, end, pages).ptr;
    if (at != end) ++at;
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// LLVM aborts when malloc() gives nothing. Containers grow by doubling, so that one that could not grow any more had
// taken half of the limit.
void abort_without_memory(int) {
  if (allocated_bytes() >= half_of_limit) end_without_memory();
}

}  // namespace

void limit_memory(std::uint64_t bytes) {
  std::set_new_handler(end_without_memory);
  if (bytes == 0) return;
  // Sanitizers reserve terabytes for themselves.
  const std::uint64_t before = allocated_bytes();
  half_of_limit = before + bytes / 2;
  const rlimit most{before + bytes, before + bytes};
  setrlimit(RLIMIT_DATA, &most);
  signal(SIGABRT, abort_without_memory);
}

}  // namespace worker

namespace {

// What the machine has, or the container: cgroups of version 2 and 1.
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
