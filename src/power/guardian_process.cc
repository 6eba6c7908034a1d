#include "power/guardian_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "backend/interface/environment.h"
#include "backend/interface/own_program.h"
#include "backend/interface/start_process.h"
#include "power/guardian.h"

namespace wattune::inline v0_1::power {

namespace {

namespace fs = std::filesystem;
using backend::Descriptor;

// Longest wait for an answer: loading a driver or waiting for a busy one takes seconds, and so does the end of another
// guardian.
constexpr Nanoseconds kLongestAnswerWait = nanoseconds_from_seconds(60);

Error no_start(const std::string& what, int code) {
  return Error(ErrorCode::unavailable,
               fmt::format("the guardian of the clocks cannot be started: {}: {}", what, std::strerror(code)));
}

Result<pid_t> spawn(const fs::path& program, const Descriptor& socket) {
  backend::SpawnPlan plan(POSIX_SPAWN_SETSID);
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&plan.files, each, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&plan.files, socket.get(), kGuardianDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&plan.files, kGuardianDescriptor + 1);
  std::string name = program.string();
  char* const arguments[] = {name.data(), nullptr};
  std::vector<std::string> variables = backend::worker::passed_environment({});
  const std::vector<char*> environment = backend::pointers_to(variables);
  pid_t pid = -1;
  const int failure = backend::start_patiently(
      [&] { return posix_spawn(&pid, name.c_str(), &plan.files, &plan.attributes, arguments, environment.data()); });
  if (failure != 0) return no_start(name, failure);
  return pid;
}

}  // namespace

Result<GuardianProcess> GuardianProcess::start(const fs::path& program) {
  const Result<fs::path> found = program.empty() ? backend::find_own_program("wattune-guardian") : program;
  if (!found) return found.error();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return no_start("making a socket", errno);
  Descriptor ours(ends[0]);
  WATTUNE_ASSIGN(const Descriptor theirs, backend::move_up(Descriptor(ends[1])));
  WATTUNE_ASSIGN(const pid_t pid, spawn(*found, theirs));
  return GuardianProcess(pid, MessageSocket(std::move(ours)));
}

GuardianProcess::~GuardianProcess() {
  using std::chrono::milliseconds;
  constexpr milliseconds kPause{1};
  constexpr int kTries = 5000;
  socket_.close();
  for (int i = 0; pid_ > 0 && i < kTries && waitpid(pid_, nullptr, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(kPause);
}

Result<std::vector<std::string>> GuardianProcess::ask(const GuardianRequest& request) {
  const Result<void> sent = socket_.send(to_text(request));
  const Result<std::string> text = socket_.receive(sent ? kLongestAnswerWait : Nanoseconds());
  if (!text)
    return Error(ErrorCode::unavailable, "the guardian of the clocks is gone, or does not answer")
        .hint("`wattune power --restore` gives the board back");
  WATTUNE_ASSIGN(GuardianAnswer answer, answer_from(*text));
  if (answer.error) return *std::move(answer.error);
  if (!answer.over) return std::move(answer.notes);
  const std::string why = answer.notes.empty() ? "it was told to end" : answer.notes.back();
  return Error(ErrorCode::unavailable, fmt::format("the guardian has given the clocks back: {}", why));
}

Result<std::vector<std::string>> GuardianProcess::open(const std::string& pci_bus_id, Nanoseconds lease) {
  const ProcessIdentity self = identity_of(getpid()).value_or(ProcessIdentity{getpid()});
  return ask({.task = GuardianTask::open, .board = pci_bus_id, .tuner = self, .lease = lease});
}

}  // namespace wattune::power
