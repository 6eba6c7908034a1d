#include "power/guardian.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "power/refusals.h"

namespace wattune::inline v0_1::power {

namespace {

using backend::nvml::BoardControl;
using backend::nvml::BoardDebt;

// Restores the board. Tries several times, because the driver may be busy ending a kernel.
Result<void> restore_patiently(BoardControl& control) {
  constexpr int kTries = 3;
  constexpr std::chrono::milliseconds kPause{200};
  Result<void> restored = control.restore();
  for (int i = 1; i < kTries && !restored; ++i) {
    std::this_thread::sleep_for(kPause);
    restored = control.restore();
  }
  return restored;
}

// Makes SIGTERM end the wait for the tuner, as if the tuner had hung up. Ignores all other signals of a terminal or a
// shell.
void choose_signals() {
  for (const int each : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}) signal(each, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = [](int) { ::shutdown(kGuardianDescriptor, SHUT_RD); };
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

bool Guardian::serve() {
  while (!ended_) {
    const Result<std::string> text = tuner_.receive(lease_);
    if (!text && text.error().code() == ErrorCode::timeout)
      notes_.push_back(fmt::format("nothing was heard of the process for {:g} s", to_seconds(lease_)));
    if (!text) break;
    const Result<GuardianRequest> request = request_from(*text);
    answer(request ? grant(*request) : Result<void>(request.error()));
  }
  const Result<void> restored = give_back();
  if (!ended_) answer(restored, true);  // gives the reason to a tuner that asks later
  return restored.has_value();
}

void Guardian::answer(const Result<void>& done, bool over) {
  GuardianAnswer answer{{}, std::move(notes_), over};
  notes_.clear();
  if (!done) answer.error = done.error();
  (void)tuner_.send(to_text(answer));
}

Result<void> Guardian::grant(const GuardianRequest& request) {
  ended_ = request.task == GuardianTask::end;
  switch (request.task) {
    case GuardianTask::open: return open(request);
    case GuardianTask::set: return set(request.setting);
    case GuardianTask::renew: return {};
    case GuardianTask::give_back:
    case GuardianTask::end: return give_back();
  }
  return Error(ErrorCode::parse_error, "the guardian does not know this request");
}

Result<void> Guardian::open(const GuardianRequest& request) {
  lease_ = request.lease;
  WATTUNE_ASSIGN(const backend::nvml::KnownBoard board, backend::nvml::find_board(request.board));
  WATTUNE_TRY(check_allowed(board));
  entry_ = {backend::nvml::board_uuid(board, request.board), request.board, boot_id(), request.tuner, {}};
  WATTUNE_ASSIGN(journal_, BoardJournal::lock(state_folder(), entry_.uuid, request.tuner));
  WATTUNE_TRY(pay_old_debt());
  WATTUNE_ASSIGN(control_, backend::nvml::open_board_control(request.board));
  return {};
}

// Restores the settings that a journal records. The guardian that wrote it is dead, because it held the lock. A boot id
// other than the journal's does not prove that the board was reset, because sandboxes and virtual machines have boot
// ids of their own. Restoring twice is harmless.
Result<void> Guardian::pay_old_debt() {
  WATTUNE_ASSIGN(const std::optional<JournalEntry> old, journal_->read());
  if (!old) return {};
  if (old->unsealed)
    notes_.push_back(fmt::format(
        "the journal of {} is unsealed: an older Wattune wrote it without a checksum, so that damage may not show",
        entry_.uuid));
  const bool same_start = old->boot == entry_.boot;
  if (same_start && old->tuner != entry_.tuner && lives(old->tuner))
    return Error(ErrorCode::busy, fmt::format("process {} set the clocks of the board {} and has lost its guardian",
                                              old->tuner.pid, entry_.uuid))
        .hint("end that process; then `wattune power --restore` gives the board back");
  return pay(*old);
}

Result<void> Guardian::pay(const JournalEntry& entry) {
  WATTUNE_ASSIGN(const auto control, backend::nvml::open_board_control(entry_.board, entry.debt));
  if (Result<void> restored = restore_patiently(*control); !restored)
    return std::move(restored).error().with_context(
        fmt::format("what process {} left set on {}", entry.tuner.pid, entry.uuid));
  notes_.push_back(fmt::format("{} has the settings back that process {} had changed", entry.uuid, entry.tuner.pid));
  return journal_->clear();
}

Result<void> Guardian::set(const backend::BoardSetting& setting) {
  if (!control_) return Error(ErrorCode::unavailable, "the guardian has no board");
  WATTUNE_ASSIGN(const BoardDebt debt, control_->debt_after(setting));
  WATTUNE_TRY(record(debt));
  const Result<void> done = control_->set(setting);
  WATTUNE_TRY(record(control_->debt()));
  return done;
}

Result<void> Guardian::give_back() {
  if (!control_) return {};
  const Result<void> restored = restore_patiently(*control_);
  WATTUNE_TRY(record(control_->debt()));
  return restored;
}

Result<void> Guardian::record(const BoardDebt& debt) {
  if (debt == entry_.debt) return {};
  entry_.debt = debt;
  return debt == BoardDebt() ? journal_->clear() : journal_->write(entry_);
}

int run_guardian() {
  choose_signals();
  // The tuned program may use up the system's memory; the process that restores must be the last to be killed.
  std::ofstream("/proc/self/oom_score_adj") << -900;
  return Guardian(MessageSocket(backend::Descriptor(kGuardianDescriptor))).serve() ? 0 : 1;
}

}  // namespace wattune::power
