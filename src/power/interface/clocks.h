// Borrows the clocks of a board: they are set through a guardian process, which restores them even if the borrower
// dies.
//
// The guardian is the program `wattune-guardian` in a session of its own. Only the guardian sets clocks of NVML's
// boards. It restores them when the lease ends, when this process ends in any way, and when it has heard nothing for
// the length of the lease. Each setting to restore is written to the disk before it is changed. If both processes are
// killed, the next borrow_clocks() or restore_stale() restores the settings. One thread at a time uses a lease.
//
//   WATTUNE_ASSIGN(const auto lease, power::borrow_clocks(device.info().pci_bus_id));
//   WATTUNE_TRY(lease->set({.graphics = Megahertz(1410)}));
//   WATTUNE_TRY(lease->restore());
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::power {

// The options of borrowing a board.
struct BorrowOptions {
  // The kinds of settings that will be set; the values do not matter. The permission for these kinds is checked at
  // once, that for others before they are set.
  backend::BoardSetting wanted = {};
  // Goes on even if another program has set the board, computes on it, or may do so.
  bool take_over = false;
  // True if this process, or one that it started, has a context on the board. Then a list of computing processes
  // without that process counts as incomplete.
  bool has_context = false;
  // Time without a message after which the guardian restores the board, for instance because the process is stopped.
  Nanoseconds lease = nanoseconds_from_seconds(120);
  // The longest time for which the borrower does not call renew(), because it waits for something such as a compiler.
  // For this long, a thread renews the lease in its place.
  Nanoseconds patience = {};
  // The guardian's program. If empty, it is `wattune-guardian` beside the running program, or else where Wattune is
  // installed.
  std::filesystem::path guardian = {};
};

// The control of a borrowed board. Its destructor restores the board.
class ClockLease : public backend::ClockControl {
 public:
  // Tells the guardian that this process lives; calling it a few times within the length of the lease is enough. set()
  // does the same. Fails with unavailable, giving the reason, if the guardian has restored the board.
  virtual Result<void> renew() = 0;
  // Returns what the guardian found and did when it began, such as restoring the settings that a dead process had left;
  // a line each.
  virtual const std::vector<std::string>& notes() const = 0;
};

// Borrows the board at this place of the PCI bus ("0000:3B:00.0"); nothing is set yet. Fails with unavailable if there
// is no NVML, no such board or no permission, if WATTUNE_LEAVE_CLOCKS is set, or if MIG is on or somebody else has set
// the board. Fails with busy if another process has borrowed the board or computes on it. take_over ignores MIG,
// others' settings and others' computing.
Result<std::unique_ptr<ClockLease>> borrow_clocks(const std::string& pci_bus_id, const BorrowOptions& options = {});

// Returns the clocks and the limit that a board reports while a process holds settings of the board through a guardian.
// Returns nullopt if no process does, or if that cannot be read. An idle board may report less than it is set to.
std::optional<backend::BoardSetting> held_setting(const std::string& pci_bus_id);

// The result of restoring a board on which a dead process had left something set.
struct StaleBoard {
  std::string board;               // UUID; a description if the UUID cannot be read
  std::vector<std::string> notes;  // what was done, a line each
  Result<void> restored;           // busy if another process uses the board now
};

// Restores settings whose tuner and guardian are both dead, on all boards of this machine or on one board, named by
// UUID or place on the PCI bus. Returns an empty list if there is nothing to restore.
std::vector<StaleBoard> restore_stale(const std::string& board = "", const std::filesystem::path& guardian = {});

}  // namespace wattune::power
