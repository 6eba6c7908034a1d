// SweepJournal: the file in which `wattune corun` keeps each pair that it has swept, so that an interrupted sweep of
// many pairs goes on where it was (docs/formats/corun-journal.md).
//
// JSON lines, one for each pair, written when the pair is done. A torn last line is cut off. One process at a time.
//
//   WATTUNE_ASSIGN(SweepJournal journal, SweepJournal::open(file, {.resume = true}));
//   if (const SweptPair* known = journal.find(identity)) return *known;
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "cli/corun_sweep.h"

namespace wattune::cli {

struct SweepJournalOptions {
  bool resume = false;     // goes on with what is there
  bool overwrite = false;  // starts anew
};

class SweepJournal {
 public:
  // already_exists: a file with contents, and neither option; invalid_argument: both; parse_error, with the line: it is
  // no such journal.
  static Result<SweepJournal> open(const std::filesystem::path& file, const SweepJournalOptions& options);

  // What was swept before: of the same kernels, sizes, device and options. nullptr: nothing.
  const SweptPair* find(const std::string& identity) const;
  // io_error: it could not be written.
  Result<void> add(const std::string& identity, const SweptPair& pair);

 private:
  explicit SweepJournal(std::filesystem::path file) : file_(std::move(file)) {}
  Result<void> read();

  std::filesystem::path file_;
  std::map<std::string, SweptPair> pairs_;
};

}  // namespace wattune::cli
