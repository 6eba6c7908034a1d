// BoardJournal: what is owed to a board, on the disk before it is owed, and the lock of the one who may set its clocks.
//
// All controllers of a machine share one folder, /var/lib/wattune or what WATTUNE_STATE_DIR names. Of a board it has
// two files: UUID.lock, which the guardian locks as long as it lives and which names the tuner, and UUID.journal, which
// is there while something is owed (docs/formats/power-state.md). Who gets the lock and finds a journal knows that the
// guardian who wrote it is dead.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backend/descriptor.h"
#include "backend/nvml/board_control.h"
#include "power/process_identity.h"
#include "wattune/core/result.h"

namespace wattune::power {

struct JournalEntry {
  std::string uuid;
  std::string board;  // its place on the PCI bus
  std::string boot;   // boot_id() when it was written
  ProcessIdentity tuner;
  backend::nvml::BoardDebt debt;
  bool unsealed = false;  // read without a checksum, as an older Wattune wrote it

  bool operator==(const JournalEntry&) const = default;
};

std::filesystem::path state_folder();

// Of all boards, in the order of their names. Errors of files that cannot be read come in their places. Errors of the
// folder: invalid_argument, because others may write there or nobody may look into it.
Result<std::vector<Result<JournalEntry>>> find_journals(const std::filesystem::path& folder);

// Whether there is a journal of the board.
bool is_owed(const std::filesystem::path& folder, const std::string& uuid);

class BoardJournal {
 public:
  // For `tuner`. Waits a little for a guardian whose tuner is dead. busy: another process controls the board, which is
  // named; invalid_argument, io_error: the folder cannot be written, or others may write there.
  static Result<BoardJournal> lock(const std::filesystem::path& folder, const std::string& uuid,
                                   const ProcessIdentity& tuner);

  // None: nothing is owed. parse_error: it is damaged, or of another board; invalid_argument: it belongs to a user who
  // might mislead this one.
  Result<std::optional<JournalEntry>> read() const;
  // It is on the disk when this returns. One without a checksum keeps its bytes under another name.
  Result<void> write(const JournalEntry& entry);
  Result<void> clear();

 private:
  BoardJournal(std::filesystem::path file, backend::Descriptor lock) : file_(std::move(file)), lock_(std::move(lock)) {}

  std::filesystem::path file_;
  backend::Descriptor lock_;
};

}  // namespace wattune::power
