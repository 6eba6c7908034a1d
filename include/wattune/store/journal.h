// Journal: the append-only file that a run writes each Trial to before the next launch.
//
// JSON lines (docs/formats/journal.md): a header with the RunInfo, then one line per Trial, each with a checksum. A
// line is written by one write(2), so kill -9 loses at most the Trial in flight; a torn last line is cut off when the
// journal is next opened for writing and ignored by readers. One writer at a time (a lock), any number of readers.
// add() hands the line to the operating system before it returns; the disk is waited for only when the journal is
// closed. Used by one thread at a time.
//
//   WATTUNE_ASSIGN(auto journal, Journal::open("run.journal", info, Resume::checked));
//   for (const Trial& trial : journal->recovered()) skip(trial.configuration.id());
//   WATTUNE_TRY(journal->add(trial));
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::store {

enum class Resume {
  no,       // already_exists when the file exists and is not empty
  checked,  // goes on when all that identifies the Trials agrees (identity_of()); mismatch says what differs
  forced,  // goes on whatever differs except what the Trials mean: parameters, and objectives and metrics that they use
};

// The configuration of the run's space that a recorded Trial counts for; none: the space has it no more. store does not
// know the space. `recorded` is the run that the Trial is of.
using Placement = std::function<std::optional<Configuration>(const Trial& trial, const RunInfo& recorded)>;

class Journal : public TrialSink {
 public:
  // Opens or creates; an empty file, or one with half a header, counts as new. busy: another process writes it;
  // parse_error: not a journal, damaged before its last line, or with a line that cannot be true (says where);
  // io_error. Where the space has changed since, the Trials that count in it are written again behind a header of its
  // own, and the others stay where they are; mismatch without a placement.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file, const RunInfo& info,
                                               Resume resume = Resume::no, const Placement& placement = {});
  ~Journal() override;

  // Trials that were there when it was opened and count, each configuration once.
  const std::vector<Trial>& recovered() const { return recovered_; }
  // Configurations whose Trials stay in the file but are not in the space, which has changed.
  std::size_t unused() const { return unused_; }
  // Where the Trials are: the file that was opened or, once that was lost, the one that they were saved to.
  const std::filesystem::path& file() const { return file_; }
  // Why another process may write the file in spite of its lock, in a sentence for the user; empty: none can.
  const std::string& lock_doubt() const;

  // io_error: the disk is full, then the Trial is not recorded and the file stays valid; or the file was removed,
  // replaced or changed by somebody else, then this Trial and all before it are in a new file beside it, file().
  Result<void> add(const Trial& trial) override;
  // io_error as of add(), of the Trials so far. For the end of a run, whose last Trial no add() follows.
  Result<void> check_intact();

 private:
  struct Writer;
  Result<void> save_elsewhere(Error loss);
  Journal(std::filesystem::path file, std::unique_ptr<Writer> writer, std::vector<Trial> recovered);

  std::filesystem::path file_;
  std::unique_ptr<Writer> writer_;
  std::vector<Trial> recovered_;
  std::size_t unused_ = 0;
};

// Renames a journal that is to make room for another: to its name with `.~1~` behind it, or the next number that is
// free. busy: another process writes it; io_error.
Result<void> set_aside(const std::filesystem::path& file);

// Reads a journal while it may be written. Also from a text, for tests and fuzzing.
Result<ResultSet> read_journal(const std::filesystem::path& file);
Result<ResultSet> parse_journal(std::string_view text, const std::filesystem::path& file = {});

// What of `found` keeps it from being continued as `wanted`, one text for each part; empty when nothing does.
std::vector<std::string> differences(const RunInfo& found, const RunInfo& wanted);

}  // namespace wattune::store
