// Clocks of a board, borrowed: set through a guardian, which gives them back whatever becomes of the borrower.
//
// The guardian is the program `wattune-guardian` in a session of its own. It alone sets clocks of NVML's boards, and
// restores when the lease ends, when this process ends in whatever way, and when it was not heard of for the length of
// the lease. What it owes a board is on the disk before it is set, so that, where both are killed, the next
// borrow_clocks() or restore_stale() gives it back. One thread at a time uses a lease.
//
//   WATTUNE_ASSIGN(const auto lease, power::borrow_clocks(device.info().pci_bus_id));
//   WATTUNE_TRY(lease->set({.graphics = Megahertz(1410)}));
//   WATTUNE_TRY(lease->restore());
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::power {

struct BorrowOptions {
  // What will be set, by any values: the permission for it is looked for at once, for the rest before it is set.
  backend::BoardSetting wanted = {};
  // Goes on though somebody else has set the board, computes on it, or might.
  bool take_over = false;
  // This process, or one that it started, has a context on the board, which the list of processes that compute there
  // must show to be believed.
  bool has_context = false;
  // The guardian restores when it has heard nothing for so long, as of a process that is stopped.
  Nanoseconds lease = nanoseconds_from_seconds(120);
  // How long the borrower may wait for something, such as a compiler, without renew(): the lease is renewed for it
  // meanwhile.
  Nanoseconds patience = {};
  // The guardian's program; empty: `wattune-guardian` beside the running program, then where Wattune is installed.
  std::filesystem::path guardian = {};
};

class ClockLease : public backend::ClockControl {
 public:
  // Says that this process lives; often enough is a few times in the length of the lease. set() says it, too.
  // unavailable: the guardian has given the board back, and why.
  virtual Result<void> renew() = 0;
  // What the guardian found and did when it began, such as giving back what a dead process had left set; a line each.
  virtual const std::vector<std::string>& notes() const = 0;
};

// Of the board at this place of the PCI bus ("0000:3B:00.0"). Nothing is set yet. unavailable: no NVML, no such board,
// no permission, or somebody else's setting, which take_over passes; busy: another process has borrowed it, or computes
// on it.
Result<std::unique_ptr<ClockLease>> borrow_clocks(const std::string& pci_bus_id, const BorrowOptions& options = {});

// What became of a board on which a process that is dead had left something set.
struct StaleBoard {
  std::string board;               // UUID
  std::vector<std::string> notes;  // what was done, a line each
  Result<void> restored;           // busy: it is in use, so that nothing is stale
};

// Gives back what dead tuners with dead guardians left set on this machine, or on one board of it, by UUID or place on
// the PCI bus. Empty: there is nothing to give back.
std::vector<StaleBoard> restore_stale(const std::string& board = "", const std::filesystem::path& guardian = {});

}  // namespace wattune::power
