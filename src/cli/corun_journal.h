// SweepJournal: the file in which `wattune corun` keeps each pair that it has swept, so that an interrupted sweep of
// many pairs goes on where it was (docs/formats/corun-journal.md).
//
// Sealed lines, one for each pair, written when the pair is done. A torn last line is cut off. One process writes it at
// a time, which others are told. Results that are to make room are set aside when there is a pair to write.
//
//   WATTUNE_ASSIGN(SweepJournal journal, SweepJournal::open(file, {.resume = true}));
//   if (const SweptPair* known = journal.find(identity)) return *known;
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/corun_sweep.h"
#include "cli/output_file.h"
#include "store/locked_file.h"
#include "store/sealed_file.h"

namespace wattune::cli {

class SweepJournal {
 public:
  // Errors of check_results_file(); busy: another process writes it; parse_error: it is no such journal, or one of a
  // newer version.
  static Result<SweepJournal> open(const std::filesystem::path& file, const ResultsUse& use);

  // Why another process may write it in spite of its lock, in a sentence for the user; empty: none can.
  const std::string& lock_doubt() const { return locked_->doubt(); }
  // What people are to know of it, a line each: which lines were left out, whether it is without checksums.
  const std::vector<std::string>& notes() const { return notes_; }
  // What was swept before: of the same kernels, sizes, device and options. nullptr: nothing.
  const SweptPair* find(const std::string& identity) const;
  // Errors of make_room(); io_error: it could not be written, or somebody else changed the file.
  Result<void> add(const std::string& identity, const SweptPair& pair);

 private:
  SweepJournal(std::filesystem::path file, const ResultsUse& use) : file_(std::move(file)), use_(use) {}
  Result<void> lock();
  Result<void> read();
  Result<void> start_anew();

  std::filesystem::path file_;
  ResultsUse use_;
  std::optional<store::LockedFile> locked_;
  std::map<std::string, SweptPair> pairs_;
  std::vector<std::string> notes_;
  bool unsealed_ = false;
  std::string resealed_;  // while it is unsealed: its pairs as they are written today
};

}  // namespace wattune::cli
