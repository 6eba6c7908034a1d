// Journal: the append-only file to which a run writes each Trial before the next launch.
//
// It consists of JSON lines (docs/formats/journal.md): a header with the RunInfo, then one line per Trial, each with a
// checksum. A line is written by one write(2), so that kill -9 loses at most the Trial in flight. Readers ignore a torn
// last line, and the next writer cuts it off. A journal has one writer at a time, which holds a lock, and any number of
// readers. add() hands the line to the operating system before it returns. The journal waits for the disk only when it
// is closed. One thread at a time uses it.
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

#include "wattune/core/export.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// The treatment of a journal that exists already.
enum class Resume {
  no,       // fails with already_exists if the file exists and is not empty
  checked,  // continues if all that identifies Trials agrees (identity_of()); else mismatch names the differences
  forced,   // continues unless the meaning of Trials differs: parameters, or objectives and the metrics that they use
};

// A function that returns the configuration of the present space to which a recorded Trial belongs; nullopt if the
// space no longer has it. The caller passes it because `store` does not know spaces. `recorded` is the run of the
// Trial.
using Placement = std::function<std::optional<Configuration>(const Trial& trial, const RunInfo& recorded)>;

// A journal that is open for writing.
class WATTUNE_EXPORT Journal : public TrialSink {
 public:
  // Opens or creates a journal; an empty file, or one with half a header, counts as new. If the space has changed since
  // the journal was written, the Trials that count in the new space are written again behind a header of its own; the
  // others stay where they are.
  //
  // Fails with busy if another process writes the journal, and with io_error. Fails with parse_error and the place if
  // the file is no journal, is damaged before its last line, or has a line that cannot be true. Fails with
  // already_exists or mismatch as `resume` tells, and with mismatch if the space has changed and `placement` is empty.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file, const RunInfo& info,
                                               Resume resume = Resume::no, const Placement& placement = {});
  ~Journal() override;

  // Returns the Trials that were there when the journal was opened and that count, each configuration once.
  const std::vector<Trial>& recovered() const { return recovered_; }
  // Returns the number of configurations whose Trials stay in the file but are not in the changed space.
  std::size_t unused() const { return unused_; }
  // Returns the file with the Trials: the one that was opened or, once that was lost, the one to which they were saved.
  const std::filesystem::path& file() const { return file_; }
  // Returns why another process may write the file in spite of its lock, as a sentence for the user; empty if no
  // process can.
  const std::string& lock_doubt() const;

  // Appends a Trial. Fails with io_error if the disk is full; the Trial is not recorded and the file stays valid. Fails
  // with io_error, too, if somebody else removed, replaced or changed the file. Then this Trial and all before it are
  // in a new file beside the old one, and file() names it. Fails with invalid_argument if the Trial has a value that
  // the space lacks, is correct without finite statistics, or cannot be true.
  Result<void> add(const Trial& trial) override;
  // Checks that the file was not lost; errors are those of add(). It is called at the end of a run, because no add()
  // follows the last Trial.
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

// Renames a journal to make room for another. The new name has `.~1~` behind it, or the next free number. Fails with
// busy if another process writes the journal, and with io_error.
WATTUNE_EXPORT Result<void> set_aside(const std::filesystem::path& file);

// Reads a journal, even while it is written. Fails with errors of reading the file, and as parse_journal() does.
WATTUNE_EXPORT Result<ResultSet> read_journal(const std::filesystem::path& file);
// Parses the text of a journal. Fails with parse_error if it is no journal or is damaged before its last line.
WATTUNE_EXPORT Result<ResultSet> parse_journal(std::string_view text, const std::filesystem::path& file = {});

// Lists the differences that keep `found` from being continued as `wanted`, one text for each part; empty if there is
// none.
WATTUNE_EXPORT std::vector<std::string> differences(const RunInfo& found, const RunInfo& wanted);

}  // namespace wattune::store
