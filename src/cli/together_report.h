// What `wattune tune --together` and `--partner` say at their end, after what every search says.
#pragma once

#include <string>

#include "cli/summary.h"
#include "wattune/schedule/company.h"

namespace wattune::cli {

std::string together_text(const Summary& summary, const schedule::CompanySession& session,
                          const schedule::CompanyReport& report);
// docs/formats/json.md.
std::string together_json(const Summary& summary, const schedule::CompanySession& session,
                          const schedule::CompanyReport& report);

}  // namespace wattune::cli
