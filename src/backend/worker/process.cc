#include "backend/worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace wattune::backend::worker {

namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kPatience = nanoseconds_from_ms(500);  // for a worker that was asked to end, or hung up

Error cannot_start(const std::string& what, int code) {
  return Error(ErrorCode::unavailable,
               fmt::format("the worker process cannot be started: {}: {}", what, std::strerror(code)))
      .native(code, strerrorname_np(code) ? strerrorname_np(code) : "");
}

Result<fs::path> find_program(const WorkerOptions& options) {
  if (!options.executable.empty()) return options.executable;
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path places[] = {here / "wattune-worker", here.parent_path() / "libexec/wattune/wattune-worker",
                             fs::path(WATTUNE_LIBEXEC_DIR) / "wattune-worker"};
  for (const fs::path& place : places)
    if (access(place.c_str(), X_OK) == 0) return place;
  return Error(ErrorCode::unavailable, "the program wattune-worker was not found")
      .hint(fmt::format("looked for {}, {} and {}", places[0].string(), places[1].string(), places[2].string()));
}

// Out of the way of the numbers that the child gives its descriptors.
Result<Descriptor> move_up(Descriptor descriptor) {
  constexpr int kFirstFree = 10;
  Descriptor moved(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kFirstFree));
  if (moved.get() < 0) return cannot_start("duplicating a descriptor", errno);
  return moved;
}

// Two connected descriptors: what stays here, and what the child gets.
struct Pair {
  Descriptor ours;
  Descriptor theirs;
};

Result<Pair> make_socket() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return cannot_start("making a socket", errno);
  Pair pair{Descriptor(ends[0]), Descriptor(ends[1])};
  WATTUNE_ASSIGN(pair.theirs, move_up(std::move(pair.theirs)));
  return pair;
}

// Never blocks the child: what does not fit while nobody reads is dropped.
Result<Pair> make_error_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return cannot_start("making a pipe", errno);
  Pair pair{Descriptor(ends[0]), Descriptor(ends[1])};
  WATTUNE_ASSIGN(pair.theirs, move_up(std::move(pair.theirs)));
  return pair;
}

// posix_spawn's descriptions of a child, freed at the end.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnPlan() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

// Set from here, so that the child needs to know nothing. What is refused is refused: the worker works without.
void restrain(pid_t pid, const WorkerOptions& options) {
  const rlimit no_core{0, 0};
  prlimit(pid, RLIMIT_CORE, &no_core, nullptr);
  if (options.memory_limit_bytes > 0) {
    const rlimit memory{options.memory_limit_bytes, options.memory_limit_bytes};
    prlimit(pid, RLIMIT_DATA, &memory, nullptr);
  }
  const Descriptor score(open(fmt::format("/proc/{}/oom_score_adj", pid).c_str(), O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kFirst = "1000";
  [[maybe_unused]] const ssize_t ignored = write(score.get(), kFirst.data(), kFirst.size());
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const WorkerOptions& options) {
  WATTUNE_ASSIGN(const fs::path program, find_program(options));
  WATTUNE_ASSIGN(Pair socket, make_socket());
  Pair errors;
  SpawnPlan plan;
  if (!options.show_output) {
    WATTUNE_ASSIGN(errors, make_error_pipe());
    posix_spawn_file_actions_addopen(&plan.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.files, errors.theirs.get(), STDERR_FILENO);
  }
  posix_spawn_file_actions_addopen(&plan.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.files, socket.theirs.get(), kWorkerDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&plan.files, kWorkerDescriptor + 1);

  std::string name = program.string();
  char* const arguments[] = {name.data(), nullptr};
  pid_t pid = -1;
  if (const int code = posix_spawn(&pid, name.c_str(), &plan.files, &plan.attributes, arguments, environ); code != 0)
    return cannot_start(name, code);
  restrain(pid, options);
  return WorkerProcess(pid, Channel(std::move(socket.ours)), std::move(errors.ours));
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(other.status_),
      killed_by_us_(other.killed_by_us_),
      channel_(std::move(other.channel_)),
      errors_(std::move(other.errors_)),
      standard_error_(std::move(other.standard_error_)) {}

WorkerProcess::~WorkerProcess() {
  channel_.close();
  if (!reap_within(kPatience)) kill();
}

void WorkerProcess::kill() {
  if (pid_ < 0) return;
  killed_by_us_ = true;
  ::kill(-pid_, SIGKILL);  // its group: drivers start compilers and linkers
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

bool WorkerProcess::reap_within(Nanoseconds limit) {
  const Deadline deadline = deadline_in(limit);
  while (pid_ >= 0) {
    const pid_t reaped = waitpid(pid_, &status_, WNOHANG);
    // ECHILD: the application reaps all children by itself, so how this one ended stays unknown.
    if (reaped == pid_ || (reaped < 0 && errno == ECHILD)) {
      if (reaped == pid_) ::kill(-pid_, SIGKILL);  // what it started does not outlive it
      pid_ = -1;
    } else if (std::chrono::steady_clock::now() > *deadline) {
      return false;
    } else {
      const timespec nap{0, 200'000};
      nanosleep(&nap, nullptr);
    }
  }
  return true;
}

void WorkerProcess::drain_errors() {
  constexpr std::size_t kKept = 4096;
  char piece[4096];
  for (ssize_t n; (n = read(standard_error_.get(), piece, sizeof piece)) > 0;)
    errors_.append(piece, static_cast<std::size_t>(n));
  if (errors_.size() > kKept) errors_.erase(0, errors_.size() - kKept);
}

// The last line that is not empty.
std::string WorkerProcess::last_words() {
  drain_errors();
  errors_.resize(errors_.find_last_not_of(" \n") + 1);
  return errors_.substr(errors_.find_last_of('\n') + 1);
}

Error WorkerProcess::explain_end() {
  if (!reap_within(kPatience)) kill();
  std::string message;
  std::pair<int, std::string> native;
  if (killed_by_us_) {
    message = "worker closed its connection";
  } else if (WIFSIGNALED(status_)) {
    native = {WTERMSIG(status_), signal_name(WTERMSIG(status_))};
    message = "worker killed by " + native.second;
  } else {
    message = fmt::format("worker exited with status {}", WEXITSTATUS(status_));
  }
  const std::string words = last_words();
  if (!words.empty()) message += ": " + words;
  return Error(ErrorCode::device_lost, std::move(message)).native(native.first, std::move(native.second));
}

}  // namespace wattune::backend::worker
