// Guardian is the process that sets the clocks of one board for a tuner and restores them whatever happens to the
// tuner.
//
// It is the program `wattune-guardian`, started by borrow_clocks() in a session of its own before anything is set. It
// opens NVML itself, takes the board's lock, and records each setting to restore before changing it (board_journal.h).
// It restores the board when the tuner ends or asks for it, when no request comes for the length of its lease, and on
// SIGTERM. Signals of the terminal do not reach it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/interface/board_control.h"
#include "power/board_journal.h"
#include "power/guardian_message.h"

namespace wattune::inline v0_1::power {

// The descriptor on which a guardian finds its socket.
inline constexpr int kGuardianDescriptor = 3;

class Guardian {
 public:
  explicit Guardian(MessageSocket tuner) : tuner_(std::move(tuner)) {}

  // Serves the tuner until it ends or asks for the end. Returns true if everything is restored.
  bool serve();

 private:
  void answer(const Result<void>& done, bool over = false);
  Result<void> grant(const GuardianRequest& request);
  Result<void> open(const GuardianRequest& request);
  Result<void> pay_old_debt();
  Result<void> pay(const JournalEntry& entry);
  Result<void> set(const backend::BoardSetting& setting);
  Result<void> give_back();
  // Records the settings to restore. They are on the disk when this function returns.
  Result<void> record(const backend::nvml::BoardDebt& debt);

  MessageSocket tuner_;
  Nanoseconds lease_ = nanoseconds_from_seconds(60);  // the length of the lease until the tuner sets another
  JournalEntry entry_;                                // the journal's entry as it is on the disk; there is no file if
                                                      // nothing must be restored
  std::optional<BoardJournal> journal_;
  std::unique_ptr<backend::nvml::BoardControl> control_;
  std::vector<std::string> notes_;  // notes for the tuner, which the next answer carries
  bool ended_ = false;
};

// Runs the whole program: serves the tuner that started it and returns the exit status.
int run_guardian();

}  // namespace wattune::power
