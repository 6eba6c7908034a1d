// Svg: a picture in SVG under construction. A picture has no background. Its colours are mid tones, which are readable
// on white and on black.
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

// Colours of Okabe and Ito, which readers with any colour vision can tell apart.
inline constexpr std::array kSeriesColours = {"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#7b8088"};

// The largest number of characters of a kernel's name in a title that also holds other text.
inline constexpr std::size_t kLongestName = 48;

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

  // Adds a title between two edges, in pixels. A title that would be too wide in a wide font is written smaller, and a
  // title that is far too long is cut. For this, no features of SVG are used that some renderers lack.
  void add_title(double left, double right, std::string_view title);

  // Returns an upper bound on the width of a title at its usual size, in pixels.
  static double room_of_title(std::string_view title);

  // Ends the picture and returns the whole document. Nothing can be added afterwards.
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

  std::string text_;
};

}  // namespace wattune::report
