// Journal: the append-only file that a run writes each Trial to before the next launch.
//
// JSON lines (docs/formats/journal.md): a header with the RunInfo, then one line per Trial, each with a checksum. A
// line is written by one write(2), so kill -9 loses at most the Trial in flight; a torn last line is cut off when the
// journal is next opened for writing and ignored by readers. One writer at a time (flock), any number of readers. add()
// hands the line to the operating system before it returns; the disk is waited for only when the journal is closed.
//
//   WATTUNE_ASSIGN(auto journal, Journal::open("run.journal", info, Resume::checked));
//   for (const Trial& trial : journal->recovered()) skip(trial.configuration.id());
//   WATTUNE_TRY(journal->add(trial));
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::store {

enum class Resume {
  no,       // already_exists when the file exists and is not empty
  checked,  // goes on when kernel source, options, device, driver, objectives and space agree; mismatch says what
            // differs
  forced,   // goes on whatever differs except the objectives and the space
};

class Journal : public TrialSink {
 public:
  // Opens or creates; an empty file, or one with half a header, counts as new. busy: another process writes it;
  // parse_error: not a journal, or damaged before its last line (says where); io_error.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file, const RunInfo& info,
                                               Resume resume = Resume::no);
  ~Journal() override;

  // Trials that were there when it was opened.
  const std::vector<Trial>& recovered() const { return recovered_; }
  const std::filesystem::path& file() const { return file_; }

  // io_error (disk full): the Trial is not recorded, the file stays valid.
  Result<void> add(const Trial& trial) override;

 private:
  struct Writer;
  Journal(std::filesystem::path file, std::unique_ptr<Writer> writer, std::vector<Trial> recovered);

  std::filesystem::path file_;
  std::unique_ptr<Writer> writer_;
  std::vector<Trial> recovered_;
};

// Renames a journal that is to make room for another: to its name with `.~1~` behind it, or the next number that is
// free. busy: another process writes it; io_error.
Result<void> set_aside(const std::filesystem::path& file);

// Reads a journal while it may be written. Also from a text, for tests and fuzzing.
Result<ResultSet> read_journal(const std::filesystem::path& file);
Result<ResultSet> parse_journal(std::string_view text, const std::filesystem::path& file = {});

// What keeps `found` from being continued as `wanted`, one sentence each; empty when nothing does.
std::vector<std::string> differences(const RunInfo& found, const RunInfo& wanted);

}  // namespace wattune::store
