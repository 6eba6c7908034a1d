#include "report/page/picture.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "report/interface/text.h"
#include "wattune/core/identity.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr std::string_view kStyleBegin = "<style>";
constexpr std::string_view kStyleEnd = "</style>\n";

// Colours of pictures, each with the property of the page's style that stands for it (page.css).
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kPageColours = {{{"#7b8088", "var(--quiet)"},
                                                                                         {"#d55e00", "var(--orange)"},
                                                                                         {"#d9730d", "var(--orange)"},
                                                                                         {"#0072b2", "var(--blue)"},
                                                                                         {"#3b82c4", "var(--blue)"},
                                                                                         {"#56b4e9", "var(--sky)"},
                                                                                         {"#7fb2d6", "var(--sky)"},
                                                                                         {"#c43b4f", "var(--red)"},
                                                                                         {"#009e73", "var(--green)"},
                                                                                         {"#cc79a7", "var(--pink)"},
                                                                                         {"#e69f00", "var(--amber)"}}};

std::string with_page_colours(std::string text) {
  for (const auto& [from, to] : kPageColours)
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

// Puts a class before the selector of each rule. Selectors of pictures have no commas.
std::string with_class(std::string_view rules, std::string_view class_name) {
  std::string text;
  for (std::size_t begin = 0; begin < rules.size();) {
    const std::size_t end = std::min(rules.find('}', begin), rules.size() - 1) + 1;
    text += fmt::format(".{} {}\n", class_name, rules.substr(begin, end - begin));
    begin = end;
  }
  return text;
}

}  // namespace

PagePicture picture_for_page(std::string_view svg, std::string_view caption) {
  constexpr std::string_view kTag = "<svg ";
  constexpr std::size_t kClassDigits = 8;
  const std::size_t begin = svg.find(kStyleBegin);
  const std::size_t end = svg.find(kStyleEnd);
  const std::string_view rules = svg.substr(begin + kStyleBegin.size(), end - begin - kStyleBegin.size());
  const std::string class_name = "p" + content_hash(rules).substr(0, kClassDigits);
  const std::string body =
      std::string(svg.substr(kTag.size(), begin - kTag.size())) + std::string(svg.substr(end + kStyleEnd.size()));
  return {.svg = fmt::format("<svg class=\"{}\" role=\"img\" aria-label=\"{}\" ", class_name, xml_text(caption)) +
                 with_page_colours(body),
          .style = with_page_colours(with_class(rules, class_name))};
}

}  // namespace wattune::report
