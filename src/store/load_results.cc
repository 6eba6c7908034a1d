#include "store/load_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "core/interface/printable.h"
#include "store/csv.h"
#include "store/interface/document.h"
#include "store/interface/files.h"
#include "store/interface/merge.h"
#include "store/interface/sealed_line.h"
#include "store/journal_text.h"
#include "store/recorded.h"
#include "store/results_json.h"
#include "store/sqlite.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"

namespace wattune::inline v0_1::store {

namespace {

using Reader = Result<ResultSet> (*)(const Document&, const std::filesystem::path&);

// Finds the reader for a document's format. A format is recognised by members that no other format has. Returns nullptr
// if the format is unknown.
Reader reader_for(const Json& head) {
  const auto has = [&head](const char* name) { return find_member(head, name) != nullptr; };
  if (has("wattune_results")) return read_json;
  if (has("cache") && has("tune_params_keys")) return read_kernel_tuner_cache;
  if (has("Results") && has("Metadata")) return read_ktt;
  if (has("results")) return read_t4;
  return nullptr;
}

// Returns the kind of a file that users mistake for results. Returns an empty text if the file is of no such kind.
std::string other_kind(std::string_view text, const std::filesystem::path& file) {
  const std::string_view begun = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  for (const std::string_view picture : {"\x89PNG", "<svg", "<?xml", "<!DOCTYPE", "%PDF", "\xFF\xD8\xFF"})
    if (begun.starts_with(picture)) return "a picture or page";
  const bool is_spec = file.extension() == ".toml" || text.find("\"ConfigurationSpace\"") != std::string_view::npos;
  return is_spec ? "a spec" : "";
}

Error unknown_format(std::string_view text, const std::filesystem::path& file) {
  if (const std::string kind = other_kind(text, file); !kind.empty())
    return Error(ErrorCode::parse_error, fmt::format("{}, not results", kind))
        .at(position_in(file))
        .hint(kind == "a spec" ? "`wattune tune` makes results of it" : "name the results that it was made of");
  return Error(ErrorCode::parse_error, "no result format that Wattune knows")
      .at(position_in(file))
      .hint("a journal, Wattune's JSON, T4, a cache of Kernel Tuner, KTT's JSON, or a CSV table with a mapping");
}

// A run of a database, with a name as users write it, such as "all.sqlite#2".
struct NamedRun {
  std::filesystem::path file;
  std::optional<std::int64_t> number;
};

NamedRun named_run(const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::size_t mark = name.rfind('#');
  if (mark == std::string::npos || std::filesystem::exists(file)) return {file, std::nullopt};
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(name.data() + mark + 1, name.data() + name.size(), number);
  if (failure != std::errc() || end != name.data() + name.size()) return {file, std::nullopt};
  return {name.substr(0, mark), number};
}

// Lists runs in a text such as "#1 is gemm, 1024x1024 on A GPU; #2 is ...".
std::string list_of(const std::vector<StoredRun>& runs) {
  constexpr std::size_t kMostListed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostListed); ++i) {
    const RunInfo& info = runs[i].results.info;
    text += fmt::format("{}#{} is {}{}{} on {}", i == 0 ? "" : "; ", runs[i].number, info.kernel_name,
                        info.problem_size.empty() ? "" : ", ", info.problem_size, info.device.name);
  }
  return printable(text) + (runs.size() > kMostListed ? "; and more" : "");
}

Result<ResultSet> load_run(const NamedRun& named) {
  WATTUNE_ASSIGN(std::vector<StoredRun> runs, load_database(named.file));
  if (!named.number && runs.size() == 1) return std::move(runs.front().results);
  for (StoredRun& run : runs)
    if (run.number == named.number) return std::move(run.results);
  const std::string what = named.number ? fmt::format("there is no run {}", *named.number)
                                        : fmt::format("the database holds {} runs", runs.size());
  return Error(named.number ? ErrorCode::not_found : ErrorCode::invalid_argument, what)
      .at(position_in(named.file))
      .hint(runs.empty() ? "" : "name one, as in " + named.file.string() + "#1: " + list_of(runs));
}

// True if the text is a JSON document in one of the known formats.
bool is_known(std::string_view text, const std::filesystem::path& file) {
  const Result<Document> document = parse_document(text, file);
  return document && reader_for(document->head) != nullptr;
}

Error several_records(std::size_t number, const std::filesystem::path& file) {
  return Error(ErrorCode::parse_error, fmt::format("{} records, one behind the other", number))
      .at(position_in(file))
      .hint("`wattune merge` puts records together");
}

}  // namespace

bool is_database(const std::filesystem::path& file) {
  std::string beginning(16, '\0');
  std::ifstream stream(file, std::ios::binary);
  return stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size())) &&
         looks_like_database(beginning);
}

Result<ResultSet> load_evaluations(const std::filesystem::path& file) {
  if (const NamedRun named = named_run(file); is_database(named.file)) return load_run(named);
  WATTUNE_ASSIGN(const std::string text, read_maybe_compressed(file));
  return parse_results(text, file);
}

Result<ResultSet> parse_results(std::string_view text, const std::filesystem::path& file) {
  if (text.starts_with(LineReader::kByteOrderMark)) text.remove_prefix(LineReader::kByteOrderMark.size());
  if (looks_like_journal(text)) {
    const std::size_t journals = concatenated_parts(text).size();
    return journals > 1 ? several_records(journals, file) : parse_journal(text, file);
  }
  if (looks_like_csv(text, file)) return read_csv(text, file);
  if (text[std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size())] != '{')
    return unknown_format(text, file);
  Result<Document> document = parse_document(text, file);
  if (!document) {
    // A file that is cut short goes to the reader of Kernel Tuner's cache, which can complete such a file.
    const auto documents = concatenated_parts(text);
    if (documents.size() > 1)
      return is_known(documents.front(), file) ? several_records(documents.size(), file) : unknown_format(text, file);
    if (text.find("\"tune_params_keys\"") != std::string_view::npos) return parse_kernel_tuner_cache(text, file);
    return std::move(document).error();
  }
  const Reader read = reader_for(document->head);
  if (read == nullptr) return unknown_format(text, file);
  return read(*document, file);
}

Result<ResultSet> load_results(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(ResultSet results, load_evaluations(file));
  keep_counting(results.trials);
  return results;
}

}  // namespace wattune::store
