#include "backend/interface/compiler_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

#include "backend/interface/polling.h"
#include "backend/interface/start_process.h"

namespace wattune::inline v0_1::backend {

namespace {

bool kept_in_group = false;

// The programs and folders that abandon_programs() ends and removes.
struct Belongings {
  std::mutex mutex;
  std::set<pid_t> programs;
  std::set<std::filesystem::path> folders;
};

// Returns the only instance. It is never destroyed, because threads may outlive main().
Belongings& belongings() {
  static auto* const all = new Belongings;
  return *all;
}

// A program that runs as long as this object exists.
class Running {
 public:
  explicit Running(pid_t program) : program_(program) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    const std::lock_guard lock(belongings().mutex);
    belongings().programs.erase(program_);
  }

 private:
  const pid_t program_;
};

// Starts the program in a process group of its own, unless this process is a worker. Returns errno if the program
// cannot be started, 0 otherwise.
int spawn(const std::vector<std::string>& command, const std::filesystem::path& log, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The calling thread may block signals, so that another thread gets them. The child must not inherit the blocking.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int group = kept_in_group ? 0 : POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | group));
  const std::lock_guard lock(belongings().mutex);
  const int failure = start_patiently(
      [&] { return posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ); });
  if (failure == 0) belongings().programs.insert(child);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

// Reaps a killed program, but waits only for a limited time. A program that is stuck in a file system (a lost network
// share) does not end.
void reap_killed(pid_t child) {
  constexpr Nanoseconds kReapLimit = nanoseconds_from_seconds(10);
  const Polling polling;
  while (waitpid(child, nullptr, WNOHANG) == 0 && polling.elapsed() < kReapLimit) polling.pause();
}

}  // namespace

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string death_of(const std::string& program, int status) {
  if (!WIFSIGNALED(status)) return {};
  const std::string name = signal_name(WTERMSIG(status));
  const char* const cause = WTERMSIG(status) == SIGKILL ? ", perhaps because memory ran out" : "";
  return fmt::format("{} was killed by {}{}", program, name, cause);
}

Result<TemporaryFolder> TemporaryFolder::create() {
  const std::lock_guard lock(belongings().mutex);
  WATTUNE_ASSIGN(OwnFolder folder, OwnFolder::create("wattune-compiler-"));
  belongings().folders.insert(folder.path());
  return TemporaryFolder(std::move(folder));
}

TemporaryFolder::~TemporaryFolder() {
  if (!folder_) return;
  folder_->remove();
  const std::lock_guard lock(belongings().mutex);
  belongings().folders.erase(folder_->path());
}

void abandon_programs() {
  belongings().mutex.lock();
  for (const pid_t program : belongings().programs) kill(kept_in_group ? program : -program, SIGKILL);
  for (const std::filesystem::path& folder : belongings().folders) remove_own_folder(folder);
}

Result<int> run_program(const std::vector<std::string>& command, const std::filesystem::path& log, Nanoseconds limit) {
  pid_t child = 0;
  const int failure = spawn(command, log, child);
  if (failure == ENOENT) return Error(ErrorCode::not_found, "no such program").about(command[0]);
  if (failure != 0)
    return Error(ErrorCode::unavailable, fmt::format("cannot be started: {}", std::strerror(failure)))
        .about(command[0]);
  const Running running(child);
  const Polling polling;
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return Error(ErrorCode::io_error, "was lost while it ran").about(command[0]);
    if (polling.elapsed() > limit) break;
    polling.pause();
  }
  kill(kept_in_group ? child : -child, SIGKILL);
  reap_killed(child);
  return Error(ErrorCode::timeout, fmt::format("took longer than {:g} ms", to_ms(limit))).about(command[0]);
}

std::string written_to(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void keep_programs_in_group() { kept_in_group = true; }

}  // namespace wattune::backend
