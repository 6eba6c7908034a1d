// Sections of the page of `wattune corun --json`.
#pragma once

#include <string>
#include <vector>

#include "cli/program/json.h"
#include "report/interface/page.h"

namespace wattune::cli {

// Returns the sections of the document's member `queue`: which policy is the fastest, all policies, their plans.
std::vector<report::PageSection> sections_of_queue(const Json& queue);
// Returns the sections of the document's member `tenants`: what each tenant gets under each policy.
std::vector<report::PageSection> sections_of_tenants(const Json& tenants);
// Tells the device and the conditions of the whole document.
report::PageSection origin_of_corun(const Json& document, const std::string& file);

}  // namespace wattune::cli
