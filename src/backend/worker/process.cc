#include "backend/worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <vector>

#include "backend/interface/compiler_program.h"
#include "backend/interface/environment.h"
#include "backend/interface/own_program.h"
#include "backend/interface/start_process.h"
#include "backend/worker/stray_processes.h"
#include "core/logging.h"

namespace wattune::inline v0_1::backend::worker {

namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kEndPatience = nanoseconds_from_ms(500);  // the time for a worker to end by itself

Error cannot_start(const std::string& what, int code) {
  return Error(ErrorCode::unavailable,
               fmt::format("the worker process cannot be started: {}: {}", what, std::strerror(code)))
      .native(code, strerrorname_np(code) ? strerrorname_np(code) : "");
}

Result<fs::path> find_program(const WorkerOptions& options) {
  if (!options.executable.empty()) return options.executable;
  return find_own_program("wattune-worker");
}

// Two connected descriptors: `ours` is for this process, `theirs` for the child.
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

// Makes a pipe that never blocks the child: text that does not fit into it is dropped.
Result<Pair> make_error_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return cannot_start("making a pipe", errno);
  Pair pair{Descriptor(ends[0]), Descriptor(ends[1])};
  WATTUNE_ASSIGN(pair.theirs, move_up(std::move(pair.theirs)));
  return pair;
}

// Returns a descriptor of the process. It is empty before Linux 5.3, which introduced such descriptors.
Descriptor descriptor_of(pid_t process) { return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0))); }

std::string how_ended(int status) {
  if (WIFSIGNALED(status)) return "by " + signal_name(WTERMSIG(status));
  return fmt::format("with status {}", WEXITSTATUS(status));
}

std::string without_memory(std::uint64_t limit) {
  if (limit == 0) return "worker ran out of memory";
  return fmt::format("worker reached its memory limit of {:.4g} MB", static_cast<double>(limit) / 1e6);
}

// Children that have not ended although they were killed. They are reaped when they have ended. Any thread may call all
// functions.
class Unkillable {
 public:
  void add(pid_t child) {
    const std::lock_guard lock(mutex_);
    children_.push_back(child);
  }
  void reap() {
    const std::lock_guard lock(mutex_);
    std::erase_if(children_, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> children_;
};

Unkillable& unkillable() {
  static Unkillable children;
  return children;
}

// Returns the part of this process's environment that workers get, with variables of the same names replaced by those
// of `own`.
std::vector<std::string> environment_with(const std::vector<std::string>& own, const std::vector<std::string>& named) {
  std::vector<std::string> variables = passed_environment(named);
  for (const std::string& each : own) {
    const std::string beginning = each.substr(0, each.find('=') + 1);
    std::erase_if(variables, [&](const std::string& variable) { return variable.starts_with(beginning); });
    variables.push_back(each);
  }
  return variables;
}

Result<pid_t> spawn(const std::string& program, const WorkerOptions& options, const SpawnPlan& plan,
                    const std::string& mark) {
  std::string name = program;
  std::string memory_limit = std::to_string(options.memory_limit_bytes.value_or(0));
  std::string niceness = std::to_string(options.niceness);
  char* const arguments[] = {name.data(), memory_limit.data(), niceness.data(), nullptr};
  const std::string log = fmt::format("WATTUNE_LOG={}", to_string(log_level()));
  std::vector<std::string> variables = environment_with({mark, log}, options.environment);
  const std::vector<char*> environment = pointers_to(variables);
  pid_t pid = -1;
  const int failure = start_patiently(
      [&] { return posix_spawn(&pid, name.c_str(), &plan.files, &plan.attributes, arguments, environment.data()); });
  if (failure != 0) return cannot_start(name, failure);
  return pid;
}

}  // namespace

WorkerProcess::WorkerProcess(WorkerOptions options, std::string mark, pid_t pid, Channel channel, ErrorStream errors)
    : options_(std::move(options)),
      mark_(std::move(mark)),
      name_(fmt::format("worker {}", pid)),
      pid_(pid),
      channel_(std::move(channel)),
      errors_(std::move(errors)) {
  log_debug("{}: started {}", name_, options_.executable.string());
}

Result<WorkerProcess> WorkerProcess::start(const WorkerOptions& options) {
  unkillable().reap();
  WATTUNE_ASSIGN(const fs::path program, find_program(options));
  WATTUNE_ASSIGN(Pair socket, make_socket());
  Pair errors;
  SpawnPlan plan(POSIX_SPAWN_SETPGROUP);
  if (!options.show_output) {
    WATTUNE_ASSIGN(errors, make_error_pipe());
    posix_spawn_file_actions_addopen(&plan.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.files, errors.theirs.get(), STDERR_FILENO);
  }
  posix_spawn_file_actions_addopen(&plan.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.files, socket.theirs.get(), kWorkerDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&plan.files, kWorkerDescriptor + 1);

  std::string mark = new_mark();
  WATTUNE_ASSIGN(const pid_t pid, spawn(program.string(), options, plan, mark));
  WorkerOptions started = options;
  started.executable = program;
  return WorkerProcess(std::move(started), std::move(mark), pid, Channel(std::move(socket.ours), descriptor_of(pid)),
                       ErrorStream(std::move(errors.ours)));
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : options_(std::move(other.options_)),
      mark_(std::move(other.mark_)),
      name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      status_(other.status_),
      killed_by_us_(other.killed_by_us_),
      channel_(std::move(other.channel_)),
      errors_(std::move(other.errors_)) {}

WorkerProcess::~WorkerProcess() {
  channel_.close();
  if (!reap_within(kEndPatience)) kill();
  forget_errors();
}

std::string WorkerProcess::kill() {
  if (pid_ < 0) return {};
  log_debug("{}: is being killed", name_);
  killed_by_us_ = true;
  ::kill(pid_, SIGTERM);  // the supervisor then kills all others
  if (reap_within(options_.end_limit)) return {};
  unkillable().add(pid_);
  return fmt::format("its processes (supervisor {}) do not end although they were killed, so the driver keeps them",
                     std::exchange(pid_, -1));
}

bool WorkerProcess::reap_within(Nanoseconds limit) {
  const Deadline deadline = deadline_in(limit);
  while (pid_ >= 0) {
    const pid_t reaped = waitpid(pid_, &status_, WNOHANG);
    // ECHILD means that the application itself reaps all children. Then it remains unknown how this child ended.
    if (reaped == pid_ || (reaped < 0 && errno == ECHILD)) {
      log_debug("{}: ended {}", name_, reaped == pid_ ? how_ended(status_) : "unseen");
      if (reaped == pid_) ::kill(-pid_, SIGKILL);  // processes that the child started must not outlive it
      // If the supervisor itself was killed, processes below it may still run.
      if (reaped != pid_ || (WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL)) end_strays(mark_);
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

void WorkerProcess::forget_errors() { errors_.take(name_); }

// Returns the last line that is not empty, without control characters, which could change the terminal.
std::string WorkerProcess::last_words() {
  constexpr std::size_t kMostLastWordBytes = 200;
  std::string words = errors_.take(name_);
  words.resize(words.find_last_not_of(" \n") + 1);
  words.erase(0, words.find_last_of('\n') + 1);
  std::erase_if(words, [](unsigned char c) { return std::iscntrl(c) != 0; });
  if (words.size() > kMostLastWordBytes) words.resize(kMostLastWordBytes);
  return words;
}

Error WorkerProcess::end_by_itself(bool answered) const {
  if (WIFSIGNALED(status_)) {
    const std::string name = signal_name(WTERMSIG(status_));
    return Error(ErrorCode::device_lost, "worker killed by " + name).native(WTERMSIG(status_), name);
  }
  const int status = WEXITSTATUS(status_);
  if (status == out_of_memory)
    return Error(ErrorCode::device_lost, without_memory(options_.memory_limit_bytes.value_or(0)));
  if (status != bad_message || answered)
    return Error(ErrorCode::device_lost, fmt::format("worker exited with status {}", status));
  return Error(ErrorCode::device_lost,
               fmt::format("{} is of another build than this program", options_.executable.string()))
      .hint("install both from one build");
}

Error WorkerProcess::explain_end(bool answered) {
  if (!reap_within(kEndPatience)) kill();
  if (killed_by_us_) return Error(ErrorCode::device_lost, "worker closed its connection");
  const Error end = end_by_itself(answered);
  const std::string words = last_words();
  if (words.empty()) return end;
  return Error(end.code(), end.message() + ": " + words)
      .native(end.native_code(), end.native_name())
      .hint(end.advice());
}

}  // namespace wattune::backend::worker
