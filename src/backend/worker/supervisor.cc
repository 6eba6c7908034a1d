#include "backend/worker/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "backend/interface/start_process.h"
#include "backend/worker/memory_limit.h"
#include "backend/worker/worker_folder.h"

namespace wattune::inline v0_1::backend::worker {

namespace {

using std::chrono::milliseconds;

// The time in which a worker whose client closed the connection may end by itself, and after that, in which its
// compilers may remove their files.
constexpr milliseconds kHangUpPatience{100};
constexpr milliseconds kForever{-1};

// The signals that a supervisor waits for and reads from a descriptor.
class Signals {
 public:
  Signals() {
    sigemptyset(&taken_);
    for (const int each : {SIGCHLD, SIGTERM}) sigaddset(&taken_, each);
    sigprocmask(SIG_BLOCK, &taken_, &before_);
    descriptor_ = signalfd(-1, &taken_, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() { close(descriptor_); }

  int descriptor() const { return descriptor_; }
  // Reads all signals that have come; returns true if another process sent a SIGTERM.
  bool take_all() const {
    bool told = false;
    for (signalfd_siginfo each{}; read(descriptor_, &each, sizeof each) == sizeof each;)
      told |= each.ssi_signo == SIGTERM && each.ssi_pid != static_cast<std::uint32_t>(getpid());
    return told;
  }
  // Restores the signal mask in the worker, which handles signals as every program does.
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t taken_;
  sigset_t before_;
  int descriptor_ = -1;
};

struct WorkerEnd {
  int status = 0;                // status in the form of waitpid()
  std::uint64_t most_bytes = 0;  // largest memory that the worker has used
};

class Supervisor {
 public:
  explicit Supervisor(const Signals& signals) : signals_(signals) {}

  // Watches until the worker and all that it started have ended.
  WorkerEnd watch(pid_t worker) {
    worker_ = worker;
    while (!hung_up_ && !over()) pause(kForever);
    if (hung_up_) end_in_order();
    while (!all_gone()) {
      kill_children();
      pause(milliseconds(10));
    }
    return end_;
  }

 private:
  bool over() const { return ended_ || told_to_end_; }

  void end_in_order() {
    wait(kHangUpPatience);
    if (over()) return;
    kill(0, SIGTERM);  // goes to the whole process group; the worker itself ignores it
    wait(kHangUpPatience);
  }

  void wait(milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (auto left = limit; !over() && left > milliseconds(0);
         left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now()))
      pause(left);
  }

  // Waits for a signal or a change of a child, but no longer than `limit`.
  void pause(milliseconds limit) {
    pollfd entries[] = {{signals_.descriptor(), POLLIN, 0}, {hung_up_ ? -1 : kWorkerDescriptor, POLLRDHUP, 0}};
    poll(entries, std::size(entries), static_cast<int>(limit.count()));
    hung_up_ |= entries[1].revents != 0;
    told_to_end_ |= signals_.take_all();
    reap();
  }

  void reap() {
    int status = 0;
    rusage usage{};
    for (pid_t child; (child = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
      if (child != worker_) continue;
      ended_ = true;
      end_ = {status, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
    }
  }

  bool all_gone() const { return waitid(P_ALL, 0, nullptr, WEXITED | WNOWAIT | WNOHANG) != 0 && errno == ECHILD; }

  // Kills the child processes. Their own children then become children of this process, and are killed by the next
  // call.
  void kill_children() const {
    if (!ended_) kill(worker_, SIGKILL);
    const std::string self = std::to_string(getpid());
    std::ifstream children("/proc/self/task/" + self + "/children");
    for (pid_t child = 0; children >> child;) kill(child, SIGKILL);
  }

  const Signals& signals_;
  pid_t worker_ = -1;
  bool ended_ = false;
  bool hung_up_ = false;
  bool told_to_end_ = false;
  WorkerEnd end_;
};

void be_the_first_to_end() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

// Installs a handler that does nothing. SIG_IGN is not used, because programs that the worker starts would inherit it.
void ignore_the_call_to_compilers() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

// Tells whether a worker that aborted had run out of memory: LLVM aborts when malloc() returns nothing. LLVM's
// containers double their size by copying. So when a container could not grow any more, the worker had used only about
// a third of the limit.
bool lacked_memory(const WorkerEnd& end, std::uint64_t limit) {
  return WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGABRT && limit > 0 && end.most_bytes >= limit / 4;
}

[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  sigset_t all;
  sigfillset(&all);
  signal(WTERMSIG(status), SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  raise(WTERMSIG(status));
  _exit(no_supervision);
}

}  // namespace

void supervise(std::uint64_t memory_limit_bytes) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Signals signals;
  WorkerFolder folder;
  const pid_t supervisor = getpid();
  pid_t worker = -1;
  const int failure = start_patiently([&] { return (worker = fork()) < 0 ? errno : 0; });
  if (failure != 0) {
    std::fprintf(stderr, "cannot fork: %s\n", std::strerror(failure));
    _exit(no_supervision);
  }
  if (worker > 0) {
    const WorkerEnd end = Supervisor(signals).watch(worker);
    folder.remove();
    if (lacked_memory(end, memory_limit_bytes)) _exit(out_of_memory);
    end_as(end.status);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(no_supervision);
  ignore_the_call_to_compilers();
  signals.restore();
  be_the_first_to_end();
  limit_memory(memory_limit_bytes);
  folder.use();
}

}  // namespace wattune::backend::worker
