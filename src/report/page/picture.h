// Puts the SVGs of this module into pages.
#pragma once

#include <string>
#include <string_view>

namespace wattune::inline v0_1::report {

struct PagePicture {
  std::string svg;    // without a style of its own
  std::string style;  // rules that hold for such pictures only
};

// Takes a picture apart for a page. Its rules get a class before them, and its colours become those of the page, which
// differ between light and dark. `caption` describes it to those who do not see it.
PagePicture picture_for_page(std::string_view svg, std::string_view caption);

}  // namespace wattune::report
