// Writes and reads the result files that programs for tuning exchange: T4 JSON, Kernel Tuner's cache, tables,
// databases.
//
// The pages docs/formats/t4.md and kernel_tuner_cache.md describe the mapping of each field. Readers accept old and new
// dialects. The name of a failure becomes a Status; a string or 1e20 in the place of a time means failure. Ids of read
// Trials are their positions, since no space is known. Any thread may call the functions.
//
//   WATTUNE_ASSIGN(const ResultSet results, load_results("cache.json"));
//   WATTUNE_TRY(write_file("results.json", write_t4(results), false));
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// Writes T4 JSON of schema 1.0.0, with times in milliseconds.
WATTUNE_EXPORT std::string write_t4(const ResultSet& results);
// Parses T4 JSON. Fails with parse_error.
WATTUNE_EXPORT Result<ResultSet> parse_t4(std::string_view text, const std::filesystem::path& file = {});

// Writes the format of Kernel Tuner 1.x, one configuration per line, with times in milliseconds. Fails with
// invalid_argument if a parameter or metric has a name that the file uses for something else.
WATTUNE_EXPORT Result<std::string> write_kernel_tuner_cache(const ResultSet& results);
// Parses a cache file of Kernel Tuner. Fails with parse_error.
WATTUNE_EXPORT Result<ResultSet> parse_kernel_tuner_cache(std::string_view text,
                                                          const std::filesystem::path& file = {});

// Writes Wattune's own JSON: the whole ResultSet in one document.
WATTUNE_EXPORT std::string write_json(const ResultSet& results);

// Writes a table (docs/formats/csv.md). Its first line tells what each column holds, times are in nanoseconds, and
// metrics are further columns. Fails with invalid_argument if a text has a comma or a line break, or if two columns
// would have the same name.
WATTUNE_EXPORT Result<std::string> write_csv(const ResultSet& results);

// A run in a database of SQLite (docs/formats/sqlite.md). Any number of processes may add to one database at the same
// time; readers see an addition as a whole or not at all.
struct WATTUNE_EXPORT StoredRun {
  std::int64_t number = 0;  // number in the database, from 1
  ResultSet results;        // the run with all its Trials
};
// Adds runs to the database and creates it if there is none. If the database already has one of the runs, its Trials
// are replaced. Fails with busy if others wrote for 10 s, with parse_error if the file is no such database, and with
// io_error.
WATTUNE_EXPORT Result<void> add_to_database(const std::filesystem::path& file, const std::vector<ResultSet>& runs);
// Reads all runs of a database. Fails with not_found, with parse_error if the file is no such database, and with
// io_error.
WATTUNE_EXPORT Result<std::vector<StoredRun>> load_database(const std::filesystem::path& file);

// Reads any of the formats above, a journal, or a table (docs/formats/csv.md), and recognises it by its contents. Files
// compressed by xz, gzip or zstd are read through the system's decompressors. If a database has several runs, the name
// tells which one is read: "all.sqlite#2". Each configuration is returned once, with the Trial that counts. Fails with
// parse_error; with not_found; with invalid_argument if a database has several runs and none is named.
WATTUNE_EXPORT Result<ResultSet> load_results(const std::filesystem::path& file);
// Reads the same files as load_results(), with its errors, but returns all Trials in the order of the file, for callers
// that follow a search step by step. A journal gives only the Trials that count.
WATTUNE_EXPORT Result<ResultSet> load_evaluations(const std::filesystem::path& file);

// Writes `text` to `file` through a temporary file and a rename, so that readers never see half of it. Fails with
// already_exists if the file exists and `overwrite` is false.
WATTUNE_EXPORT Result<void> write_file(const std::filesystem::path& file, std::string_view text, bool overwrite);

}  // namespace wattune::store
