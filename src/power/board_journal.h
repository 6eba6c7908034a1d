// BoardJournal records the settings of a board that must be restored later, before they are changed. It also holds the
// lock without which no process may set the board's clocks.
//
// All controllers of a machine share one folder, /var/lib/wattune or the one that WATTUNE_STATE_DIR names. A board has
// two files there. The guardian locks UUID.lock, which names the tuner, as long as it lives. UUID.journal exists while
// something must be restored (docs/formats/power-state.md). A process that gets the lock and finds a journal knows that
// the guardian that wrote it is dead.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backend/interface/board_control.h"
#include "backend/interface/descriptor.h"
#include "power/process_identity.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::power {

struct JournalEntry {
  std::string uuid;
  std::string board;  // the board's place on the PCI bus
  std::string boot;   // boot_id() when the journal was written
  ProcessIdentity tuner;
  backend::nvml::BoardDebt debt;
  bool unsealed = false;  // true if the entry was read without a checksum, as older versions wrote it

  bool operator==(const JournalEntry&) const = default;
};

std::filesystem::path state_folder();

// Returns the journals of all boards, in the order of their file names; an unreadable one is an Error at its place in
// the list. Fails with invalid_argument if others may write to the folder, or if it may not be read.
Result<std::vector<Result<JournalEntry>>> find_journals(const std::filesystem::path& folder);

// True if the board has a journal, which means that settings must be restored.
bool is_owed(const std::filesystem::path& folder, const std::string& uuid);

class BoardJournal {
 public:
  // Takes the lock for `tuner`. Waits up to 10 s for a guardian whose tuner is dead. Fails with busy, naming the
  // process, if another process controls the board. Fails with invalid_argument or io_error if the folder cannot be
  // written or if others may write there.
  static Result<BoardJournal> lock(const std::filesystem::path& folder, const std::string& uuid,
                                   const ProcessIdentity& tuner);

  // Reads the journal; nullopt if nothing must be restored. Fails with parse_error if it is damaged or of another
  // board, with invalid_argument if it belongs to a user whom this process must not trust.
  Result<std::optional<JournalEntry>> read() const;
  // Writes the entry, which is on the disk when this function returns. An old journal without a checksum is kept under
  // another name.
  Result<void> write(const JournalEntry& entry);
  Result<void> clear();

 private:
  BoardJournal(std::filesystem::path file, backend::Descriptor lock) : file_(std::move(file)), lock_(std::move(lock)) {}

  std::filesystem::path file_;
  backend::Descriptor lock_;
};

}  // namespace wattune::power
