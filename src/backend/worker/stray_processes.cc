#include "backend/worker/stray_processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace wattune::inline v0_1::backend::worker {

namespace {

namespace fs = std::filesystem;

// Tells whether a process has the mark. The environment of a zombie is empty, and that of another user's process cannot
// be read.
bool has_mark(const fs::path& process, const std::string& mark) {
  std::ifstream stream(process / "environ", std::ios::binary);
  for (std::string variable; std::getline(stream, variable, '\0');)
    if (variable == mark) return true;
  return false;
}

std::vector<pid_t> marked(const std::string& mark) {
  std::vector<pid_t> processes;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    pid_t process = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (failure == std::errc() && *end == '\0' && has_mark(entry.path(), mark)) processes.push_back(process);
  }
  return processes;
}

}  // namespace

std::string new_mark() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return fmt::format("WATTUNE_WORKER_{}_{}=1", getpid(), now);
}

void end_strays(const std::string& mark) {
  constexpr int kTries = 50;  // processes that a driver holds cannot be killed
  constexpr timespec kPause{0, 2'000'000};
  for (int i = 0; i < kTries; ++i) {
    const std::vector<pid_t> strays = marked(mark);
    if (strays.empty()) return;
    for (const pid_t stray : strays) kill(stray, SIGKILL);
    nanosleep(&kPause, nullptr);
  }
}

}  // namespace wattune::backend::worker
