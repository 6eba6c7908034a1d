// Svg: a picture in SVG under construction. Its colours are mid tones without a background, readable on white and on
// black.
#pragma once

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "report/interface/text.h"

namespace wattune::inline v0_1::report {

// The width of all charts and the right end of their plots, in pixels.
inline constexpr double kChartWidth = 760, kChartRight = 736;

// Colours of Okabe and Ito, which every eye tells apart.
inline constexpr std::array kSeriesColours = {"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#7b8088"};

class Svg {
 public:
  // Begins a picture, with sizes in pixels. `style` adds rules to those for text, titles, grids and frames.
  Svg(double width, double height, std::string_view style) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n", width,
        height);
    add("<style>{}{}</style>\n", kStyle, style);
  }

  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  // Adds a title between two edges, in pixels. A title that would be longer, in whatever font, is squeezed; a far
  // longer one is cut.
  void add_title(double left, double right, std::string_view title) {
    const double room = right - left;
    const std::string shown = cut(title, static_cast<std::size_t>(room / kNarrowestLetter));
    const bool fits = kWidestLetter * static_cast<double>(width_of(shown)) <= room;
    const std::string length = fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", room);
    add("<text class=\"title\" x=\"{}\" y=\"26\"{}>{}</text>\n", left, fits ? "" : length, xml_text(shown));
  }

  // Returns the whole document. Nothing can be added afterwards.
  std::string finish() {
    add("</svg>\n");
    return std::move(text_);
  }

 private:
  static constexpr std::string_view kStyle =
      "text{font:12px system-ui,sans-serif;fill:#7b8088}"
      ".title{font-size:15px;font-weight:600}"
      ".grid{stroke:#7b8088;stroke-opacity:.25}"
      ".frame{stroke:#7b8088}";

  static constexpr double kNarrowestLetter = 5.5, kWidestLetter = 9.0;  // widths of letters in titles

  std::string text_;
};

}  // namespace wattune::report
