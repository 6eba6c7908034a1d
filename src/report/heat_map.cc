#include "report/heat_map.h"

#include <algorithm>
#include <cmath>

#include "report/interface/text.h"
#include "report/svg.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr const char* kHeatMapStyle =
    ".cell{stroke:#7b8088;stroke-opacity:.25}.number{fill:#1f2328;text-anchor:middle}";
constexpr double kCellsTop = 48, kCell = 48, kHeatMapMargin = 24, kLabelLetter = 7;
constexpr double kSlope = 0.71;  // rise of a label at 45 degrees, per unit of its length
constexpr std::size_t kLongestLabel = 34;
constexpr std::size_t kLongestTitle = 80;

struct Colour {
  int red, green, blue;
};
constexpr Colour kPale = {244, 248, 252};
constexpr Colour kDark = {76, 145, 208};

Colour between(double share) {
  const auto mix = [&](int from, int to) { return static_cast<int>(std::lround(from + share * (to - from))); };
  return {mix(kPale.red, kDark.red), mix(kPale.green, kDark.green), mix(kPale.blue, kDark.blue)};
}

// Returns the length of the longest label in pixels.
double length_of(const std::vector<std::string>& labels) {
  std::size_t longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, std::min(width_of(label), kLongestLabel));
  return kLabelLetter * static_cast<double>(longest);
}

double middle(std::size_t number) { return kCell * (static_cast<double>(number) + 0.5); }

class HeatMapDrawing {
 public:
  explicit HeatMapDrawing(const HeatMap& map)
      : map_(map),
        left_(kHeatMapMargin + length_of(map.rows) + 8),
        bottom_(kCellsTop + kCell * static_cast<double>(map.rows.size())),
        svg_(width(), bottom_ + kSlope * length_of(map.columns) + kHeatMapMargin, kHeatMapStyle) {}

  std::string draw() {
    svg_.add_title(kHeatMapMargin, width() - kHeatMapMargin, map_.title);
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left_ - 8, kCellsTop + middle(row) + 4,
               label(map_.rows[row]));
      for (std::size_t column = 0; column < map_.columns.size(); ++column) draw_cell(row, column);
    }
    for (std::size_t column = 0; column < map_.columns.size(); ++column)
      svg_.add("<text transform=\"translate({} {}) rotate(45)\">{}</text>\n", left_ + middle(column) - 4, bottom_ + 14,
               label(map_.columns[column]));
    return svg_.finish();
  }

 private:
  double width() const {
    const double table = left_ + kCell * static_cast<double>(map_.columns.size()) + kSlope * length_of(map_.columns);
    return std::max(table, kHeatMapMargin + Svg::room_of_title(cut(map_.title, kLongestTitle))) + kHeatMapMargin;
  }

  static std::string label(const std::string& text) { return xml_text(cut(text, kLongestLabel)); }

  void draw_cell(std::size_t row, std::size_t column) {
    const HeatMap::Cell& cell = map_.cells[row][column];
    const bool known = !std::isnan(cell.share);
    const Colour colour = between(std::clamp(known ? cell.share : 0.0, 0.0, 1.0));
    const double x = left_ + middle(column);
    const double y = kCellsTop + middle(row);
    const std::string fill = known ? fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue) : "none";
    svg_.add("<rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x - kCell / 2,
             y - kCell / 2, kCell, kCell, fill);
    svg_.add("<text{} x=\"{}\" y=\"{}\">{}</text>\n", known ? " class=\"number\"" : " text-anchor=\"middle\"", x, y + 4,
             xml_text(cell.text));
  }

  const HeatMap& map_;
  double left_;
  double bottom_;
  Svg svg_;
};

}  // namespace

std::string draw_heat_map(const HeatMap& map) { return HeatMapDrawing(map).draw(); }

}  // namespace wattune::report
