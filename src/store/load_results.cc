#include <algorithm>

#include "store/csv.h"
#include "store/document.h"
#include "store/files.h"
#include "store/journal_text.h"
#include "store/recorded.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"

namespace wattune::store {

namespace {

using Reader = Result<ResultSet> (*)(const Document&, const std::filesystem::path&);

// By members that only one of the formats has.
Reader reader_for(const Json& head) {
  const auto has = [&head](const char* name) { return find_member(head, name) != nullptr; };
  if (has("wattune_results")) return read_json;
  if (has("cache") && has("tune_params_keys")) return read_kernel_tuner_cache;
  if (has("Results") && has("Metadata")) return read_ktt;
  if (has("results")) return read_t4;
  return nullptr;
}

Error unknown_format(const std::filesystem::path& file) {
  return Error(ErrorCode::parse_error, "no result format that Wattune knows")
      .at(position_in(file))
      .hint("a journal, Wattune's JSON, T4, a cache of Kernel Tuner, KTT's JSON, or a CSV table with a mapping");
}

}  // namespace

Result<ResultSet> load_evaluations(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const std::string text, read_maybe_compressed(file));
  if (looks_like_journal(text)) return parse_journal(text, file);
  if (looks_like_csv(text, file)) return read_csv(text, file);
  if (text[std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size())] != '{') return unknown_format(file);
  Result<Document> document = parse_document(text, file);
  if (!document) {
    // Kernel Tuner's cache may be cut short, which its own reader repairs.
    if (text.find("\"tune_params_keys\"") != std::string::npos) return parse_kernel_tuner_cache(text, file);
    return std::move(document).error();
  }
  const Reader read = reader_for(document->head);
  if (read == nullptr) return unknown_format(file);
  return read(*document, file);
}

Result<ResultSet> load_results(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(ResultSet results, load_evaluations(file));
  keep_counting(results.trials);
  return results;
}

}  // namespace wattune::store
