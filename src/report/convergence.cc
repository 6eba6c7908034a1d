#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "report/axis.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

// A picture of 2 x 4 dots per character cell, drawn with Unicode's braille patterns.
class DotCanvas {
 public:
  DotCanvas(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), cells_(columns * rows) {}

  std::size_t width() const { return columns_ * 2; }
  std::size_t height() const { return rows_ * 4; }

  // Sets a dot. The dot (0, 0) is at the bottom left.
  void set(std::size_t x, std::size_t y) {
    constexpr unsigned char kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const std::size_t from_top = height() - 1 - y;
    cells_[from_top / 4 * columns_ + x / 2] |= kBits[from_top % 4][x % 2];
  }

  void vertical(std::size_t x, std::size_t from, std::size_t to) {
    for (std::size_t y = std::min(from, to); y <= std::max(from, to); ++y) set(x, y);
  }

  std::string row(std::size_t index) const {
    std::string text;
    for (std::size_t i = 0; i < columns_; ++i) text += braille(cells_[index * columns_ + i]);
    return text;
  }

 private:
  // Returns the UTF-8 text of the braille pattern with the number U+2800 plus `bits`. Returns a space if no bit is set.
  static std::string braille(unsigned char bits) {
    if (bits == 0) return " ";
    return {'\xE2', static_cast<char>(0xA0 | (bits >> 6)), static_cast<char>(0x80 | (bits & 0x3F))};
  }

  std::size_t columns_;
  std::size_t rows_;
  std::vector<unsigned char> cells_;
};

std::size_t dot_at(double position, std::size_t dots) {
  return static_cast<std::size_t>(std::lround(std::clamp(position, 0.0, 1.0) * static_cast<double>(dots - 1)));
}

// Draws the best value so far as a staircase; `best` is NaN before the first correct evaluation.
void draw_steps(DotCanvas& canvas, const std::vector<double>& best, const Axis& axis) {
  std::size_t previous = 0;
  bool has_previous = false;
  for (std::size_t x = 0; x < canvas.width(); ++x) {
    // The value of an evaluation holds until the next one.
    const double evaluation =
        static_cast<double>(x) / static_cast<double>(canvas.width() - 1) * static_cast<double>(best.size() - 1);
    const double value = best[static_cast<std::size_t>(evaluation + 1e-9)];
    if (std::isnan(value)) continue;
    const std::size_t y = dot_at(axis.position(value), canvas.height());
    canvas.vertical(x, has_previous ? previous : y, y);
    previous = y;
    has_previous = true;
  }
}

// Returns a label for each row of characters. A label is empty if the axis has no tick in that row.
std::vector<std::string> row_labels(const Axis& axis, const DotCanvas& canvas, std::size_t rows) {
  std::vector<std::string> labels(rows);
  for (const double tick : axis.ticks(std::max<std::size_t>(rows / 3, 2))) {
    const std::size_t row = (canvas.height() - 1 - dot_at(axis.position(tick), canvas.height())) / 4;
    labels[row] = tick_text(tick);
  }
  return labels;
}

// Returns the title. The curve shows the search alone, so the title also gives the best time of the final.
std::string curve_title(const ResultSet& results, const Trial& best, const TimeUnit& unit) {
  const std::string title =
      fmt::format("{} ({})", searched_for(results) ? "time of the best so far" : "best time so far", unit.name);
  if (!best.observation.in_search) return title;
  return title + fmt::format(" in the search; the final measured {}", time_text(time_of(best)));
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

std::string horizontal_axis(std::size_t margin, std::size_t columns, std::size_t evaluations) {
  std::string line = spaces(margin) + "└";
  for (std::size_t i = 0; i < columns; ++i) line += "─";
  const std::string last = fmt::format("{} evaluations", evaluations);
  const std::size_t gap = columns > last.size() + 1 ? columns - last.size() - 1 : 1;
  return line + "\n" + spaces(margin + 1) + "1" + spaces(gap) + last;
}

}  // namespace

std::vector<double> convergence(const ResultSet& results) {
  std::vector<double> series;
  series.reserve(results.trials.size());
  std::optional<SearchFigures> best;
  const Nanoseconds longest = results.longest_time();
  for (const Trial& trial : results.trials) {
    const bool counts = has_time(trial) && time_of(trial) <= longest;
    if (counts && (!best || objective_of(trial) < best->objective)) best = trial.observation.search_figures();
    series.push_back(best ? to_ms(best->time) : std::numeric_limits<double>::quiet_NaN());
  }
  return series;
}

std::string plot_convergence(const ResultSet& results, std::size_t width, std::size_t height) {
  const std::vector<const Trial*> trials = ranked(results);
  if (trials.empty()) return paragraph("Nothing to plot: no evaluation gave a correct result.", width);
  const TimeUnit unit = unit_for(time_of(*trials.front()));
  std::vector<double> best = convergence(results);
  for (double& value : best) value *= 1e6 / unit.nanoseconds;
  const auto first = std::ranges::find_if(best, [](double value) { return !std::isnan(value); });
  const auto [low, high] = std::minmax_element(first, best.end());

  constexpr std::size_t kOtherLines = 3;  // lines for the title, the axis and its labels
  const std::size_t rows = std::max<std::size_t>(height, kOtherLines + 3) - kOtherLines;
  const Axis axis = Axis::of_times(*low, *high);
  const std::vector<std::string> labels = row_labels(axis, DotCanvas(1, rows), rows);
  std::size_t margin = 0;
  for (const std::string& label : labels) margin = std::max(margin, label.size());
  const std::size_t columns = std::max<std::size_t>(width, margin + 12) - margin - 1;

  DotCanvas canvas(columns, rows);
  draw_steps(canvas, best, axis);
  std::string text = cut(curve_title(results, *trials.front(), unit), width) + "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string line =
        spaces(margin - labels[row].size()) + labels[row] + (labels[row].empty() ? "│" : "┤") + canvas.row(row);
    text += cut(line.substr(0, line.find_last_not_of(' ') + 1), width) + "\n";
  }
  const std::string bottom = horizontal_axis(margin, columns, best.size());
  const std::size_t newline = bottom.find('\n');
  return text + cut(bottom.substr(0, newline), width) + "\n" + cut(bottom.substr(newline + 1), width) + "\n";
}

}  // namespace wattune::report
