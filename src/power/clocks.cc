#include "power/interface/clocks.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "backend/interface/board_reading.h"
#include "core/logging.h"
#include "core/stopwatch.h"
#include "power/board_journal.h"
#include "power/guardian_process.h"
#include "power/interface/controls.h"
#include "power/refusals.h"

namespace wattune::inline v0_1::power {

namespace {

using backend::BoardChoices;
using backend::BoardSetting;
using backend::nvml::KnownBoard;

bool is_meant(const JournalEntry& entry, const std::string& board) {
  return board.empty() || board == entry.uuid || board == entry.board;
}

StaleBoard restore_one(const JournalEntry& entry, const std::filesystem::path& program) {
  StaleBoard stale{entry.uuid, {}, {}};
  auto guardian = GuardianProcess::start(program);
  auto notes = guardian ? guardian->open(entry.board, nanoseconds_from_seconds(60)) : guardian.error();
  if (!notes) stale.restored = notes.error();
  if (notes && is_owed(state_folder(), entry.uuid))
    stale.restored = Error(ErrorCode::not_found, "it is no longer at " + entry.board + ", and may be as it was set");
  if (notes) stale.notes = *std::move(notes);
  return stale;
}

// A lease that reads the board itself and leaves all other tasks to the guardian.
class GuardedClocks : public ClockLease {
 public:
  GuardedClocks(const KnownBoard& known, std::string board, const BorrowOptions& options, GuardianProcess guardian,
                std::vector<std::string> notes)
      : known_(known),
        board_(std::move(board)),
        options_(options),
        guardian_(std::move(guardian)),
        notes_(std::move(notes)),
        keeper_([this](const std::stop_token& stop) { keep(stop); }) {}
  GuardedClocks(const GuardedClocks&) = delete;
  GuardedClocks& operator=(const GuardedClocks&) = delete;
  ~GuardedClocks() override {
    keeper_ = std::jthread();
    if (const auto ended = guardian_.ask({.task = GuardianTask::end}); ended) return;
    // If a guardian was killed, the next guardian restores what is in its journal.
    for (const StaleBoard& stale : restore_stale(board_, options_.guardian))
      if (!stale.restored) log_warning("the board {}: {}", board_, stale.restored.error().to_string());
  }

  const std::string& board() const override { return board_; }
  Result<BoardChoices> choices() override { return backend::nvml::board_choices(known_); }
  Result<BoardSetting> current() override { return backend::nvml::board_setting(known_); }
  Result<void> set(const BoardSetting& setting) override {
    WATTUNE_TRY(check_permission(board_, setting));
    return ask({.task = GuardianTask::set, .setting = setting});
  }
  Result<void> restore() override { return ask({.task = GuardianTask::give_back}); }
  const std::vector<std::string>& notes() const override { return notes_; }

  // Sends a message only now and then, because it takes longer than a kernel of microseconds.
  Result<void> renew() override {
    constexpr double kRenewShare = 0.1;
    const std::lock_guard lock(mutex_);
    since_borrower_ = Stopwatch();
    if (lost_) return *lost_;
    if (since_heard_.elapsed() < options_.lease * kRenewShare) return {};
    return ask_guardian({.task = GuardianTask::renew});
  }

 private:
  Result<void> ask(const GuardianRequest& request) {
    const std::lock_guard lock(mutex_);
    since_borrower_ = Stopwatch();
    if (lost_) return *lost_;
    return ask_guardian(request);
  }

  Result<void> ask_guardian(const GuardianRequest& request) {
    WATTUNE_TRY(guardian_.ask(request));
    since_heard_ = Stopwatch();
    return {};
  }

  // Renews the lease while the borrower waits for something. If the process is stopped, this thread is stopped, too.
  void keep(const std::stop_token& stop) {
    constexpr double kKeepShare = 0.25;
    const std::chrono::duration<double, std::nano> pause(options_.lease.value() * kKeepShare);
    std::unique_lock lock(mutex_);
    while (!lost_ && !stopped_.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); }))
      if (since_borrower_.elapsed() < options_.patience)
        if (const Result<void> renewed = ask_guardian({.task = GuardianTask::renew}); !renewed) lost_ = renewed.error();
  }

  const KnownBoard known_;
  const std::string board_;
  const BorrowOptions options_;
  GuardianProcess guardian_;
  const std::vector<std::string> notes_;
  std::mutex mutex_;  // guards guardian_ and the members below
  Stopwatch since_heard_;
  Stopwatch since_borrower_;   // time since the borrower's last call
  std::optional<Error> lost_;  // the Error with which the keeper learned of the guardian's end
  std::condition_variable_any stopped_;
  std::jthread keeper_;  // the last member, because its thread uses the others
};

}  // namespace

Result<std::unique_ptr<ClockLease>> borrow_clocks(const std::string& pci_bus_id, const BorrowOptions& options) {
  WATTUNE_TRY(check_permission(pci_bus_id, options.wanted));
  WATTUNE_ASSIGN(const KnownBoard board, backend::nvml::find_board(pci_bus_id));
  WATTUNE_ASSIGN(GuardianProcess guardian, GuardianProcess::start(options.guardian));
  WATTUNE_ASSIGN(std::vector<std::string> notes, guardian.open(pci_bus_id, options.lease));
  for (const std::string& note : notes) log_warning("{}", note);
  // By now the guardian has restored the settings that a dead process left.
  if (!options.take_over) WATTUNE_TRY(check_free(board, getpid(), options.has_context));
  return std::unique_ptr<ClockLease>(
      std::make_unique<GuardedClocks>(board, pci_bus_id, options, std::move(guardian), std::move(notes)));
}

std::optional<BoardSetting> held_setting(const std::string& pci_bus_id) {
  const Result<KnownBoard> board = backend::nvml::find_board(pci_bus_id);
  if (!board || !is_owed(state_folder(), backend::nvml::board_uuid(*board, pci_bus_id))) return std::nullopt;
  return backend::nvml::board_setting(*board);
}

std::vector<StaleBoard> restore_stale(const std::string& board, const std::filesystem::path& guardian) {
  std::vector<StaleBoard> all;
  const auto journals = find_journals(state_folder());
  if (!journals) return {{"the journals of boards cannot be listed", {}, journals.error()}};
  for (const Result<JournalEntry>& entry : *journals) {
    if (!entry) all.push_back({"a board", {}, entry.error()});
    if (entry && is_meant(*entry, board)) all.push_back(restore_one(*entry, guardian));
  }
  return all;
}

}  // namespace wattune::power
