// Pages of documents: what other commands printed with --json, and files of their own.
#pragma once

#include <optional>
#include <string>

#include "cli/program/json.h"
#include "report/interface/page.h"
#include "wattune/core/result.h"

namespace wattune::cli {

// Reads a file that is no result of a tuning run: a wisdom file, a journal of `corun`, or a document of `corun`,
// `score`, `analyze --methods` or a tuner in an application. Returns its parts for a page; nullopt if the file is
// nothing of this. Fails with parse_error if the document lacks what such documents have, and as reading the file does.
Result<std::optional<std::vector<report::PagePart>>> parts_of_document(const std::string& file);

// The parts for each kind of document. They throw store::Malformed if a member is missing or of a wrong type.

std::vector<report::PagePart> parts_of_corun(const Json& document, const std::string& file);
std::vector<report::PagePart> parts_of_methods(const Json& document, const std::string& file);
std::vector<report::PagePart> parts_of_scores(const Json& document, const std::string& file);
std::vector<report::PagePart> parts_of_tuner(const Json& document, const std::string& file);

// Returns the parts of a wisdom file. Fails as dynamic::load_wisdom() does.
Result<std::vector<report::PagePart>> parts_of_wisdom(const std::string& file);

}  // namespace wattune::cli
