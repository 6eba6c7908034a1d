// The journal's lines as text, written and read (docs/formats/journal.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/core/value_hash.h"
#include "wattune/store/journal.h"

namespace wattune::store {

// The line that begins the Trials of a run, with its newline. `carried`: how many of earlier runs follow it.
std::string journal_header(const RunInfo& info, std::size_t carried = 0);

// Writes Trials of one space as lines.
class TrialEncoder {
 public:
  explicit TrialEncoder(const std::vector<Parameter>& parameters);

  // Replaces `line` by the Trial's line, with its newline. invalid_argument when the Trial has a value that the space
  // has not, or is correct without finite statistics.
  Result<void> encode(const Trial& trial, std::string& line) const;

 private:
  struct Column {
    std::string name;
    std::unordered_map<Value, std::size_t, ValueHash> index_of;
  };
  std::vector<Column> columns_;
};

// Whether a journal's text is still to be begun: nothing, or a header cut short.
bool is_unbegun_journal(std::string_view text);
bool looks_like_journal(std::string_view text);

struct JournalContents {
  ResultSet results;
  std::size_t intact_bytes = 0;  // what lies behind is a torn line
};

// What must hold of a journal beside being whole; empty ones hold always.
struct JournalChecks {
  std::function<Result<void>(const RunInfo&)> run;  // asked before the Trials are read
  // Whether an id and values belong together in the space of the run.
  std::function<bool(const Trial&, const RunInfo&)> configuration;
};

// The runs that a journal's text has, each with its header, in their order: one, and one more for each change of the
// space. The last of them is the journal's.
std::vector<std::string_view> runs_in(std::string_view text);

// The last run that is there as a whole. parse_error: not a journal, of a newer version, damaged before its last line,
// or with a line that cannot be true.
Result<JournalContents> read_journal_text(std::string_view text, const std::filesystem::path& file,
                                          const JournalChecks& checks = {});

}  // namespace wattune::store
