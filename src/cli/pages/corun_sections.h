// Sections of the page of `wattune corun --json`.
#pragma once

#include <string>
#include <vector>

#include "cli/program/json.h"
#include "report/interface/page.h"

namespace wattune::cli {

// Returns the sections of a document that has the member `queue`: which policy is the fastest, all policies, their
// plans.
std::vector<report::PageSection> sections_of_queue(const Json& document);
// Returns the sections of a document that has the member `tenants`: what each tenant gets under each policy.
std::vector<report::PageSection> sections_of_tenants(const Json& document);
// Tells the device and the conditions of the whole document.
report::PageSection origin_of_corun(const Json& document, const std::string& file);

}  // namespace wattune::cli
