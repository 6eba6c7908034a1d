#include "cli/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "cli/command.h"

namespace wattune::cli {

namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

// Only calls that POSIX allows in a handler.
void on_signal(int) {
  const int saved_errno = errno;
  if (stop_requested.exchange(true)) _exit(static_cast<int>(ExitStatus::interrupted));
  constexpr std::string_view kNote = "\nstopping after the evaluation in flight; once more stops at once\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kNote.data(), kNote.size());
  errno = saved_errno;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_requested = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &previous_interrupt_);
  sigaction(SIGTERM, &action, &previous_terminate_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_interrupt_, nullptr);
  sigaction(SIGTERM, &previous_terminate_, nullptr);
}

const std::atomic<bool>& InterruptGuard::requested() const { return stop_requested; }

}  // namespace wattune::cli
