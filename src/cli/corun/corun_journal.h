// SweepJournal: the file in which `wattune corun` keeps each pair that it has swept, so that an interrupted sweep of
// many pairs can be continued (docs/formats/corun-journal.md).
//
// The file consists of sealed lines, one for each pair, written when the pair is done. A torn last line is cut off. One
// process writes the file at a time; others get an error. If the file's earlier results are to be replaced, the file is
// renamed when the first pair is written.
//
//   WATTUNE_ASSIGN(SweepJournal journal, SweepJournal::open(file, {.resume = true}));
//   if (const schedule::SweptPair* known = journal.find(identity)) return *known;
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/corun/corun_sweep.h"
#include "cli/program/output_file.h"
#include "store/interface/locked_file.h"
#include "store/interface/sealed_file.h"

namespace wattune::cli {

class SweepJournal {
 public:
  // Opens or creates a journal. Fails as check_results_file() does. Fails with busy if another process writes the
  // journal, and with parse_error if the file is no such journal or has a newer version.
  static Result<SweepJournal> open(const std::filesystem::path& file, const ResultsUse& use);

  // Returns why another process may write the journal in spite of its lock, as a sentence for the user; empty if no
  // process can.
  const std::string& lock_doubt() const { return locked_->doubt(); }
  // Returns notes for people, a line each: on lines that were left out, and on missing checksums.
  const std::vector<std::string>& notes() const { return notes_; }
  // Returns the pair swept before with the same kernels, sizes, device and options; nullptr if there is none.
  const schedule::SweptPair* find(const std::string& identity) const;
  // Appends a pair. Fails as make_room() does, or with io_error if the file could not be written or somebody else
  // changed it.
  Result<void> add(const std::string& identity, const schedule::SweptPair& pair);

 private:
  SweepJournal(std::filesystem::path file, const ResultsUse& use) : file_(std::move(file)), use_(use) {}
  Result<void> lock();
  Result<void> read();
  Result<void> start_anew();

  std::filesystem::path file_;
  ResultsUse use_;
  std::optional<store::LockedFile> locked_;
  std::map<std::string, schedule::SweptPair> pairs_;
  std::vector<std::string> notes_;
  bool unsealed_ = false;
  std::string resealed_;  // the pairs of a file without checksums, as lines with checksums
};

// The pairs of a journal that is only read, in the order in which they were swept.
struct SweptPairs {
  std::vector<schedule::SweptPair> pairs;
  std::vector<std::string> notes;  // a line for each line that was left out
};

// True if the text begins as such a journal, also as one of an older version.
bool is_sweep_journal(std::string_view text);
// Reads the text of a journal. If it has a pair several times, the last one counts. Fails with parse_error if it is no
// such journal or one of a newer version.
Result<SweptPairs> read_sweep_journal(std::string_view text, const std::filesystem::path& file);

}  // namespace wattune::cli
