// Result files of the field, written and read: T4 JSON, Kernel Tuner's cache, tables, databases.
//
// docs/formats/t4.md and kernel_tuner_cache.md say how each field maps. Readers accept old and new dialects; a
// failure's name becomes a Status, strings or 1e20 for a time mean failure. Ids of read Trials are their positions,
// since no space is known. Any thread may call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::store {

// Schema 1.0.0, times in milliseconds.
std::string write_t4(const ResultSet& results);
Result<ResultSet> parse_t4(std::string_view text, const std::filesystem::path& file = {});

// Kernel Tuner 1.x, one configuration per line, times in milliseconds. invalid_argument: a parameter or metric has the
// name of something else in the file.
Result<std::string> write_kernel_tuner_cache(const ResultSet& results);
Result<ResultSet> parse_kernel_tuner_cache(std::string_view text, const std::filesystem::path& file = {});

// Wattune's own JSON: the whole ResultSet in one document.
std::string write_json(const ResultSet& results);

// A table with its mapping in the first line, times in nanoseconds; metrics are further columns. invalid_argument: a
// text has a comma or a line break, or two columns would have one name.
Result<std::string> write_csv(const ResultSet& results);

// Runs in a database of SQLite (docs/formats/sqlite.md). Any number of processes may add to one at the same time; each
// addition is there whole or not at all.
struct StoredRun {
  std::int64_t number = 0;  // in the database, from 1
  ResultSet results;        // with all its Trials
};
// Makes the database where there is none. A run that it has already gets the Trials that it has by now. busy: others
// wrote for 10 s; parse_error: something else has the name; io_error.
Result<void> add_to_database(const std::filesystem::path& file, const std::vector<ResultSet>& runs);
Result<std::vector<StoredRun>> load_database(const std::filesystem::path& file);

// Any of the above, a journal, or a table (docs/formats/csv.md), recognised by its contents; .xz, .gz
// and .zst files through the system's decompressors. Of a database with several runs one is named: "all.sqlite#2". Each
// configuration once, by its Trial that counts. parse_error, not_found.
Result<ResultSet> load_results(const std::filesystem::path& file);
// As load_results(), but with all Trials in the order of the file, for those who follow a search step by step; of a
// journal those that count.
Result<ResultSet> load_evaluations(const std::filesystem::path& file);

// Writes `text` to `file` through a temporary file and a rename, so that readers never see half of it.
// already_exists unless overwrite.
Result<void> write_file(const std::filesystem::path& file, std::string_view text, bool overwrite);

}  // namespace wattune::store
