// Writes and reads the lines of a journal (docs/formats/journal.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "store/interface/trial_line.h"
#include "wattune/core/trial.h"
#include "wattune/store/journal.h"

namespace wattune::inline v0_1::store {

// True if the run's header says how many Trials of earlier runs follow. Such a header does not begin a journal.
bool continues_a_journal(std::string_view run);

// True if a journal's text is empty, or is only a part of a header.
bool is_unbegun_journal(std::string_view text);
bool looks_like_journal(std::string_view text);

struct JournalContents {
  ResultSet results;
  std::size_t intact_bytes = 0;  // number of bytes before a torn line
};

// Checks of a journal beyond its integrity; an empty function accepts everything.
struct JournalChecks {
  std::function<Result<void>(const RunInfo&)> run;  // function that is called before the Trials are read
  // A function that tells whether a Trial's id and values belong together in the space of the run.
  std::function<bool(const Trial&, const RunInfo&)> configuration;
};

// Returns the runs in a journal's text, each with its header, in their order. Each change of the space begins another
// run. The last run is the one that the journal records now.
std::vector<std::string_view> runs_in(std::string_view text);

// Reads the last run that is complete. Fails with parse_error if the text is no journal, has a newer version, is
// damaged before its last line, or has a line that cannot be true.
Result<JournalContents> read_journal_text(std::string_view text, const std::filesystem::path& file,
                                          const JournalChecks& checks = {});

}  // namespace wattune::store
