#include "report/svg.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::report {

namespace {

// Sizes of titles in pixels.
constexpr double kTitleSize = 15.0, kSmallestTitle = 10.0;

// Returns an upper bound on the width of a character in a bold and wide font (DejaVu Sans), as a share of the font's
// size.
double width_of_letter(char c) {
  constexpr std::string_view kWide = "WMmw@%";
  constexpr std::string_view kNarrow = "ilj.,:;'|!I()[] ";
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xC0) == 0x80) return 0.0;  // this byte continues a character of several bytes
  if (byte >= 0x80 || kWide.find(c) != std::string_view::npos) return 1.1;
  if (kNarrow.find(c) != std::string_view::npos) return 0.46;
  return c >= 'A' && c <= 'Z' ? 0.86 : 0.73;
}

double width_in_letters(std::string_view text) {
  double width = 0.0;
  for (const char c : text) width += width_of_letter(c);
  return width;
}

// Cuts the title so that it fits into the room at the smallest size.
std::string cut_title(std::string_view title, double room) {
  std::size_t length = std::min(width_of(title), static_cast<std::size_t>(room / (0.46 * kSmallestTitle)));
  std::string shown = cut(title, length);
  while (kSmallestTitle * width_in_letters(shown) > room && length > 1) shown = cut(title, --length);
  return shown;
}

}  // namespace

void Svg::add_title(double left, double right, std::string_view title) {
  const double room = right - left;
  const std::string shown = cut_title(title, room);
  const double fitting = std::floor(10.0 * room / std::max(width_in_letters(shown), 1.0)) / 10.0;
  const std::string text = xml_text(shown);
  add("<text class=\"title\" x=\"{}\" y=\"26\">{}</text>\n", left,
      fitting < kTitleSize ? fmt::format("<tspan font-size=\"{:.1f}\">{}</tspan>", fitting, text) : text);
}

double Svg::room_of_title(std::string_view title) { return kTitleSize * width_in_letters(title); }

}  // namespace wattune::inline v0_1::report
