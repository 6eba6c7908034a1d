#include "wattune/power/clocks.h"

#include <unistd.h>

#include "backend/nvml/board_reading.h"
#include "core/logging.h"
#include "core/stopwatch.h"
#include "power/board_journal.h"
#include "power/guardian_process.h"
#include "power/refusals.h"
#include "wattune/power/controls.h"

namespace wattune::power {

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
  if (notes) stale.notes = *std::move(notes);
  return stale;
}

// Reads the board itself and leaves all else to the guardian.
class GuardedClocks : public ClockLease {
 public:
  GuardedClocks(const KnownBoard& known, std::string board, const BorrowOptions& options, GuardianProcess guardian,
                std::vector<std::string> notes)
      : known_(known),
        board_(std::move(board)),
        options_(options),
        guardian_(std::move(guardian)),
        notes_(std::move(notes)) {}
  GuardedClocks(const GuardedClocks&) = delete;
  GuardedClocks& operator=(const GuardedClocks&) = delete;
  ~GuardedClocks() override {
    if (const auto ended = guardian_.ask({.wish = Wish::end}); ended) return;
    // A guardian that was killed left a journal, which the next one pays.
    for (const StaleBoard& stale : restore_stale(board_, options_.guardian))
      if (!stale.restored) log_warning("the board {}: {}", board_, stale.restored.error().to_string());
  }

  const std::string& board() const override { return board_; }
  Result<BoardChoices> choices() override { return backend::nvml::board_choices(known_); }
  Result<BoardSetting> current() override { return backend::nvml::board_setting(known_); }
  Result<void> set(const BoardSetting& setting) override {
    WATTUNE_TRY(check_permission(board_, setting));
    return ask({.wish = Wish::set, .setting = setting});
  }
  Result<void> restore() override { return ask({.wish = Wish::give_back}); }
  const std::vector<std::string>& notes() const override { return notes_; }

  // A message costs little, but a kernel of microseconds less.
  Result<void> renew() override {
    constexpr double kPart = 0.1;
    if (since_heard_.elapsed() < options_.lease * kPart) return {};
    return ask({.wish = Wish::renew});
  }

 private:
  Result<void> ask(const GuardianRequest& request) {
    WATTUNE_TRY(guardian_.ask(request));
    since_heard_ = Stopwatch();
    return {};
  }

  const KnownBoard known_;
  const std::string board_;
  const BorrowOptions options_;
  GuardianProcess guardian_;
  const std::vector<std::string> notes_;
  Stopwatch since_heard_;
};

}  // namespace

Result<std::unique_ptr<ClockLease>> borrow_clocks(const std::string& pci_bus_id, const BorrowOptions& options) {
  WATTUNE_TRY(check_permission(pci_bus_id, options.wanted));
  WATTUNE_ASSIGN(const KnownBoard board, backend::nvml::find_board(pci_bus_id));
  WATTUNE_ASSIGN(GuardianProcess guardian, GuardianProcess::start(options.guardian));
  WATTUNE_ASSIGN(std::vector<std::string> notes, guardian.open(pci_bus_id, options.lease));
  for (const std::string& note : notes) log_warning("{}", note);
  // What a dead process had left set is no longer there.
  if (!options.take_over) WATTUNE_TRY(check_free(board, getpid(), options.has_context));
  return std::unique_ptr<ClockLease>(
      std::make_unique<GuardedClocks>(board, pci_bus_id, options, std::move(guardian), std::move(notes)));
}

std::vector<StaleBoard> restore_stale(const std::string& board, const std::filesystem::path& guardian) {
  std::vector<StaleBoard> all;
  for (const Result<JournalEntry>& entry : find_journals(state_folder())) {
    if (!entry) all.push_back({"a board", {}, entry.error()});
    if (entry && is_meant(*entry, board)) all.push_back(restore_one(*entry, guardian));
  }
  return all;
}

}  // namespace wattune::power
