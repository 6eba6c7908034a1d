// The guardian: a process that sets the clocks of one board for a tuner and gives them back whatever becomes of that.
//
// It is the program `wattune-guardian`, started by borrow_clocks() in a session of its own before anything is set. It
// opens NVML itself, takes the board's lock, writes down what it is about to owe (board_journal.h), and restores when
// the tuner ends or asks for it, when it was not heard of for the length of its lease, and on SIGTERM. The terminal's
// signals do not reach it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/nvml/board_control.h"
#include "power/board_journal.h"
#include "power/guardian_message.h"

namespace wattune::power {

// The descriptor on which a guardian finds its socket.
inline constexpr int kGuardianDescriptor = 3;

class Guardian {
 public:
  explicit Guardian(MessageSocket tuner) : tuner_(std::move(tuner)) {}

  // Until nothing is left to do; whether all is given back.
  bool serve();

 private:
  void answer(const Result<void>& done, bool over = false);
  Result<void> grant(const GuardianRequest& request);
  Result<void> open(const GuardianRequest& request);
  Result<void> pay_old_debt();
  Result<void> pay(const JournalEntry& entry);
  Result<void> set(const backend::BoardSetting& setting);
  Result<void> give_back();
  // What is owed from here on is on the disk when this returns.
  Result<void> record(const backend::nvml::BoardDebt& debt);

  MessageSocket tuner_;
  Nanoseconds lease_ = nanoseconds_from_seconds(60);  // until the tuner names another
  JournalEntry entry_;                                // as it is on the disk; without debt: there is none
  std::optional<BoardJournal> journal_;
  std::unique_ptr<backend::nvml::BoardControl> control_;
  std::vector<std::string> notes_;  // for the next answer
  bool ended_ = false;
};

// The whole of the program: serves the tuner that started it; returns the exit status.
int run_guardian();

}  // namespace wattune::power
