#include "backend/worker/processor_wait.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace wattune::inline v0_1::backend::worker {

namespace {

namespace fs = std::filesystem;

// Returns how long the threads of a process and of its descendants have waited for a processor so far. Threads that end
// meanwhile are left out.
std::optional<Nanoseconds> waited(pid_t process) {
  Nanoseconds total;
  bool told = false;
  std::error_code failed;
  fs::directory_iterator thread(fs::path("/proc") / std::to_string(process) / "task", failed);
  for (; !failed && thread != fs::directory_iterator(); thread.increment(failed)) {
    double ran = 0.0;
    double ready = 0.0;
    if (std::ifstream(thread->path() / "schedstat") >> ran >> ready) told = true;
    total += Nanoseconds(ready);
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) total += waited(child).value_or(Nanoseconds());
  }
  return told ? std::optional(total) : std::nullopt;
}

}  // namespace

ProcessorWait::ProcessorWait(pid_t process) : process_(process), before_(waited(process)) {}

bool ProcessorWait::was_long() const {
  constexpr double kLongWaitShare = 0.25;
  const std::optional<Nanoseconds> now = waited(process_);
  return !before_ || !now || *now - *before_ >= stopwatch_.elapsed() * kLongWaitShare;
}

}  // namespace wattune::backend::worker
