// SweepJournal: the file in which `wattune corun` keeps each pair that it has swept, so that an interrupted sweep of
// many pairs goes on where it was (docs/formats/corun-journal.md).
//
// JSON lines, one for each pair, written when the pair is done. A torn last line is cut off. One process writes it at a
// time, which others are told.
//
//   WATTUNE_ASSIGN(SweepJournal journal, SweepJournal::open(file, {.resume = true}));
//   if (const SweptPair* known = journal.find(identity)) return *known;
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "cli/corun_sweep.h"
#include "cli/output_file.h"
#include "store/locked_file.h"

namespace wattune::cli {

class SweepJournal {
 public:
  // Errors of check_results_file() and make_room(); busy: another process writes it; parse_error, with the line: it is
  // no such journal.
  static Result<SweepJournal> open(const std::filesystem::path& file, const ResultsUse& use);

  // Why another process may write it in spite of its lock, in a sentence for the user; empty: none can.
  const std::string& lock_doubt() const { return locked_.doubt(); }
  // What was swept before: of the same kernels, sizes, device and options. nullptr: nothing.
  const SweptPair* find(const std::string& identity) const;
  // io_error: it could not be written, or somebody else changed the file.
  Result<void> add(const std::string& identity, const SweptPair& pair);

 private:
  explicit SweepJournal(store::LockedFile locked) : locked_(std::move(locked)) {}
  Result<void> read(const std::filesystem::path& file);

  store::LockedFile locked_;
  std::map<std::string, SweptPair> pairs_;
};

}  // namespace wattune::cli
