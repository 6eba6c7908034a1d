// Parts of HTML that sections are made of. Texts are escaped.
#pragma once

#include <string>
#include <string_view>

#include "report/interface/page.h"

namespace wattune::inline v0_1::report {

// Returns a table with its caption, or without one if that is empty. It can be scrolled sideways where it is too wide.
std::string html_of(const PageTable& table, std::string_view caption);

// Returns the rows of a table. End tags that HTML does not need are left out.
std::string html_of_rows(const PageTable& table);

// Returns what begins a region that scrolls sideways and has this name; "</div>" ends it.
std::string scrolled(std::string_view name);

}  // namespace wattune::report
