// Merges records of the same kernel and device, whatever their formats.
//
//   WATTUNE_ASSIGN(std::vector<NamedRecord> records, load_all_records("results.jsonl"));
//   for (const MergedRecord& each : merge(std::move(records))) write(each.results);
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// A record with the name that messages use for it, such as "a.jsonl" or "all.jsonl, part 2".
struct NamedRecord {
  std::string name;
  ResultSet results;
};

// Loads all records of a file, which may be several files joined one after another, or a database with several runs.
// Fails as load_results() does.
Result<std::vector<NamedRecord>> load_all_records(const std::filesystem::path& file);

// Records that were merged, because they can be compared.
struct MergedRecord {
  ResultSet results;                 // all configurations, each once, with the Trial of the last record that has it
  std::vector<std::string> sources;  // names of the merged records
  std::vector<std::string> apart;    // why it cannot be merged with the first record; empty for the first
};

// Merges records in their order. Records are not merged if their kernel, device, parameters, objectives or a part of
// their identity differ. A part of the identity that is missing in one record is no difference. Each parameter gets the
// values that it has in any record.
std::vector<MergedRecord> merge(std::vector<NamedRecord> records);

// Splits a text of several journals or JSON documents, one after another; returns a single part if the text holds one
// document.
std::vector<std::string_view> concatenated_parts(std::string_view text);

}  // namespace wattune::store
