// Writes and reads single lines of a journal (docs/formats/journal.md), so that a Trial can travel between processes in
// the form in which it is kept. Each line ends with its checksum. Any thread may call the functions; one thread at a
// time uses an object.
//
//   const TrialEncoder encoder(info.parameters);
//   WATTUNE_TRY(encoder.encode(trial, line));
//   WATTUNE_ASSIGN(const Trial same, TrialDecoder(info.parameters).decode(line));
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/interface/value_hash.h"
#include "store/interface/document.h"
#include "store/limits.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// Returns the line that begins the Trials of a run, with its newline. If the run continues a journal, `carried` is the
// number of Trials of earlier runs that follow it. parse_journal() reads the line.
std::string journal_header(const RunInfo& info, std::optional<std::size_t> carried = std::nullopt);

// An encoder of Trials of one space as lines.
class TrialEncoder {
 public:
  explicit TrialEncoder(const std::vector<Parameter>& parameters);

  // Replaces `line` by the Trial's line, with its newline. Fails with invalid_argument if the Trial has a value that
  // the space lacks, is correct without finite statistics, or cannot be true.
  Result<void> encode(const Trial& trial, std::string& line) const;

 private:
  struct Column {
    std::string name;
    std::unordered_map<Value, std::size_t, ValueHash> index_of;
  };
  std::vector<Column> columns_;
};

// A decoder of lines. It makes Trials of the space with these parameters.
class TrialDecoder {
 public:
  explicit TrialDecoder(const std::vector<Parameter>& parameters);

  // Decodes a line without its newline. Throws Malformed if the line cannot be true.
  Trial decode(std::string_view line, JsonLimits& limits) const;
  // Decodes a line that came from elsewhere. Fails with parse_error if its checksum is wrong or it cannot be true.
  Result<Trial> decode(std::string_view line) const;

 private:
  std::vector<Value> values_from(const Json& indices) const;

  std::vector<Parameter> parameters_;
  Configuration::Names names_;
};

}  // namespace wattune::store
