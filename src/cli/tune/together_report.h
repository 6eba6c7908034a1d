// Writes the part of the final report that only `wattune tune --together` and `--partner` have.
#pragma once

#include <string>

#include "cli/tune/summary.h"
#include "company/interface/company.h"

namespace wattune::cli {

std::string together_text(const Summary& summary, const company::CompanySession& session,
                          const company::CompanyReport& report);
// Writes the document that docs/formats/json.md describes.
std::string together_json(const Summary& summary, const company::CompanySession& session,
                          const company::CompanyReport& report);

}  // namespace wattune::cli
