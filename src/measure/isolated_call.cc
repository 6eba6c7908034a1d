#include "measure/isolated_call.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <span>
#include <string>

#include "backend/polling.h"

namespace wattune::measure {

namespace {

// What a child leaves in shared memory beside the arguments.
struct Report {
  bool returned;  // otherwise the reference ended the process itself, with whatever status
  char message[4000];
};

constexpr std::size_t kAlignment = 64;  // of each argument, for vectorised references
constexpr int kThrew = 2;               // the child's exit status; its message is in the Report
constexpr int kInterrupts[] = {SIGINT, SIGTERM};

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Memory that a forked child shares: its Report, then every argument.
class SharedArguments {
 public:
  static Result<SharedArguments> copy_of(const std::vector<HostArgument>& arguments) {
    std::size_t bytes = aligned(sizeof(Report));
    for (const HostArgument& argument : arguments) bytes += aligned(argument.bytes.size());
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return Error(ErrorCode::unavailable, fmt::format("no memory for the reference's {} bytes of arguments", bytes));
    return SharedArguments(std::span(static_cast<std::byte*>(memory), bytes), arguments);
  }
  SharedArguments(SharedArguments&& other) noexcept
      : memory_(std::exchange(other.memory_, {})), data_(std::move(other.data_)) {}
  SharedArguments& operator=(SharedArguments&&) = delete;
  ~SharedArguments() {
    if (!memory_.empty()) munmap(memory_.data(), memory_.size());
  }

  Report& report() const { return *reinterpret_cast<Report*>(memory_.data()); }
  void* const* data() const { return data_.data(); }

  void copy_back(std::vector<HostArgument>& arguments) const {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      std::copy_n(static_cast<const std::byte*>(data_[i]), arguments[i].bytes.size(), arguments[i].bytes.begin());
  }

 private:
  SharedArguments(std::span<std::byte> memory, const std::vector<HostArgument>& arguments) : memory_(memory) {
    std::byte* next = memory.data() + aligned(sizeof(Report));
    for (const HostArgument& argument : arguments) {
      std::ranges::copy(argument.bytes, next);
      data_.push_back(next);
      next += aligned(argument.bytes.size());
    }
  }

  std::span<std::byte> memory_;
  std::vector<void*> data_;
};

void say(Report& report, const char* text) { std::strncpy(report.message, text, sizeof report.message - 1); }

[[noreturn]] void run_child(ReferenceSignature function, const SharedArguments& shared,
                            const std::vector<std::size_t>& lengths) {
  // It ends with the tuner, whose handlers and connections to workers it has inherited.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : kInterrupts) signal(number, SIG_DFL);
  try {
    function(shared.data(), lengths.data());
  } catch (const std::exception& exception) {
    say(shared.report(), exception.what());
    _exit(kThrew);
  } catch (...) {
    say(shared.report(), "of an unknown type");
    _exit(kThrew);
  }
  shared.report().returned = true;
  _exit(0);
}

// How the child ended, as waitpid() tells it.
Result<int> wait_for(pid_t child, Nanoseconds limit) {
  const backend::Polling polling;
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return Error(ErrorCode::unavailable, "the reference's process was lost");
    if (polling.elapsed() > limit) break;
    polling.pause();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return Error(ErrorCode::timeout, fmt::format("the reference took longer than {:g} s", to_seconds(limit)));
}

Result<void> judge(int status, const Report& report) {
  if (WIFSIGNALED(status) && std::ranges::count(kInterrupts, WTERMSIG(status)) > 0)
    return Error(ErrorCode::cancelled, "the reference was interrupted");
  if (WIFSIGNALED(status)) {
    return Error(ErrorCode::invalid_argument, fmt::format("the reference crashed: {}", strsignal(WTERMSIG(status))))
        .hint("does it stay within the arguments' lengths?");
  }
  if (WEXITSTATUS(status) == kThrew)
    return Error(ErrorCode::invalid_argument, fmt::format("the reference threw an exception: {}", report.message));
  if (!report.returned)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the reference ended the process with status {}", WEXITSTATUS(status)));
  return {};
}

}  // namespace

Result<void> call_isolated(ReferenceSignature function, std::vector<HostArgument>& arguments, Nanoseconds limit) {
  WATTUNE_ASSIGN(const SharedArguments shared, SharedArguments::copy_of(arguments));
  std::vector<std::size_t> lengths;
  for (const HostArgument& argument : arguments) lengths.push_back(argument.length);

  const pid_t child = fork();
  if (child < 0) return Error(ErrorCode::unavailable, "cannot start a process for the reference");
  if (child == 0) run_child(function, shared, lengths);
  WATTUNE_ASSIGN(const int status, wait_for(child, limit));
  WATTUNE_TRY(judge(status, shared.report()));
  shared.copy_back(arguments);
  return {};
}

}  // namespace wattune::measure
