#include "cli/pages/documents.h"

#include <filesystem>

#include "cli/corun/corun_journal.h"
#include "cli/corun/corun_sweep.h"
#include "store/interface/document.h"
#include "store/interface/files.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::cli {

namespace {

using PartsOf = std::vector<report::PagePart> (*)(const Json&, const std::string&);

// Returns the maker of a document's parts, by members that only such documents have; nullptr for all others.
PartsOf maker_for(const Json& document) {
  const auto has = [&](const char* name) { return store::find_member(document, name) != nullptr; };
  if (has("wattune_tuner")) return parts_of_tuner;
  if (has("strategies") && has("spaces") && has("clock")) return parts_of_scores;
  if (has("results") && has("portability")) return parts_of_methods;
  if (has("simulated") && has("repeats") && (has("pairs") || has("queue") || has("tenants"))) return parts_of_corun;
  return nullptr;
}

// Returns the document of pairs that a journal has. It does not know the device.
Json document_of(const SweptPairs& swept) {
  Json document = {{"notes", swept.notes}, {"pairs", Json::array()}};
  for (const schedule::SweptPair& pair : swept.pairs) document["pairs"].push_back(pair_json(pair));
  return document;
}

}  // namespace

Result<std::optional<std::vector<report::PagePart>>> parts_of_document(const std::string& file) {
  using Parts = std::optional<std::vector<report::PagePart>>;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return Parts();
  if (dynamic::is_wisdom_file(file)) {
    WATTUNE_ASSIGN(auto parts, parts_of_wisdom(file));
    return Parts(std::move(parts));
  }
  WATTUNE_ASSIGN(const std::string text, store::read_maybe_compressed(file));
  if (is_sweep_journal(text)) {
    WATTUNE_ASSIGN(const SweptPairs swept, read_sweep_journal(text, file));
    return Parts(parts_of_corun(document_of(swept), file));
  }
  const Json document = Json::parse(text, nullptr, false);
  const PartsOf make = document.is_object() ? maker_for(document) : nullptr;
  if (make == nullptr) return Parts();
  return store::guard(store::position_in(file), [&] { return Parts(make(document, file)); });
}

}  // namespace wattune::cli
