#include "cli/program/interrupt.h"

#include <unistd.h>

#include "backend/interface/compiler_program.h"
#include "cli/program/command.h"
#include "cli/program/terminal.h"

namespace wattune::cli {

namespace {

std::atomic<bool> can_stop{false};
std::atomic<bool> stop_made{false};

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGINT, SIGTERM}) sigaddset(&set, each);
  return set;
}

// Prints a note on a line of its own, since the terminal may show ^C or a progress line.
void say(std::string_view text) {
  if (stderr_is_terminal()) print_note("");
  print_note(text);
}

void take_interrupt() {
  if (can_stop && !stop_made.exchange(true))
    return say("stopping after the evaluations in flight; once more stops at once");
  backend::abandon_programs();
  say("wattune: interrupted");
  _exit(static_cast<int>(ExitStatus::interrupted));
}

void take_interrupts(const std::atomic<bool>& over) {
  const sigset_t set = interrupts();
  for (int number = 0; sigwait(&set, &number) == 0 && !over;) take_interrupt();
}

}  // namespace

InterruptGuard::InterruptGuard() {
  const sigset_t set = interrupts();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  thread_ = std::thread(take_interrupts, std::cref(over_));
}

InterruptGuard::~InterruptGuard() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

StopRequest::StopRequest() {
  stop_made = false;
  can_stop = true;
}

StopRequest::~StopRequest() { can_stop = false; }

const std::atomic<bool>& StopRequest::made() const { return stop_made; }

}  // namespace wattune::cli
