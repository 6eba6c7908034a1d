#include <algorithm>
#include <cmath>
#include <vector>

#include "report/interface/forecast_plot.h"
#include "report/interface/text.h"
#include "report/plot_frame.h"

namespace wattune::inline v0_1::report {

namespace {

using Point = ForecastPlot::Point;
using Series = ForecastPlot::Series;

bool can_be_drawn(const Point& point) { return std::isfinite(point.forecast) && std::isfinite(point.measured); }

// Returns the axis for both forecasts and measurements. It covers the range of all numbers, and a margin of a twentieth
// of that range at each end.
Axis axis_of(const std::vector<Series>& series) {
  std::vector<double> numbers;
  for (const Series& each : series)
    for (const Point& point : each.points) numbers.insert(numbers.end(), {point.forecast, point.measured});
  const auto [low, high] = std::ranges::minmax(numbers);
  const double margin = high > low ? 0.05 * (high - low) : 0.5;
  return Axis::linear(low - margin, high + margin);
}

class ForecastDrawing {
 public:
  ForecastDrawing(const ForecastPlot& plot, const std::vector<Series>& series)
      : plot_(plot),
        series_(series),
        frame_{.left = 90, .top = 48, .bottom = kBottom, .x = axis_of(series), .y = axis_of(series)},
        svg_(kChartWidth, kLegendTop + kLegendLine * static_cast<double>(series.size()), kStyle) {}

  std::string draw() {
    svg_.add_title(frame_.left, kChartRight, plot_.title);
    frame_.draw(svg_, plot_.forecast_label, plot_.measured_label);
    draw_diagonal();
    for (std::size_t i = 0; i < series_.size(); ++i) draw_series(series_[i], i);
    return svg_.finish();
  }

 private:
  void draw_diagonal() {
    const double low = frame_.x.low();
    const double high = frame_.x.high();
    add_line("diagonal", {low, low}, {high, high});
    if (!(plot_.band > 0.0 && plot_.band < high - low)) return;
    add_line("band", {low, low + plot_.band}, {high - plot_.band, high});
    add_line("band", {low + plot_.band, low}, {high, high - plot_.band});
  }

  void add_line(const char* name, const PlotPoint& begin, const PlotPoint& end) {
    svg_.add("<path class=\"{}\" d=\"{}\"/>\n", name, frame_.line(std::vector{begin, end}));
  }

  void draw_series(const Series& series, std::size_t number) {
    const char* const colour = kSeriesColours[number % kSeriesColours.size()];
    svg_.add("<g fill=\"{}\">\n", colour);
    for (const Point& point : series.points)
      svg_.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {:.4g} forecast, {:.4g} came</title></circle>\n",
               frame_.x_of(point.forecast), frame_.y_of(point.measured), xml_text(point.name), point.forecast,
               point.measured);
    const double y = kLegendTop + kLegendLine * static_cast<double>(number);
    svg_.add("<circle cx=\"{}\" cy=\"{}\" r=\"4\"/>\n</g>\n", kLegendLeft, y - 4);
    svg_.add("<text x=\"{}\" y=\"{}\">{}</text>\n", kLegendLeft + 12, y, xml_text(cut(caption_of(series), kCaption)));
  }

  std::string caption_of(const Series& series) const {
    const ForecastErrors errors = errors_of(series.points);
    if (errors.points == 0) return series.name + ": nothing to compare";
    std::string text = fmt::format("{}: {} {}, mean error {:.3g}, rms {:.3g}, worst {:+.3g} ({})", series.name,
                                   errors.points, errors.points == 1 ? "point" : "points", errors.mean, errors.rms,
                                   errors.worst, errors.name_of_worst);
    if (!(plot_.band > 0.0)) return text;
    const auto inside = std::ranges::count_if(
        series.points, [&](const Point& point) { return std::abs(point.measured - point.forecast) <= plot_.band; });
    return text + fmt::format(", {} within {:.3g}", inside, plot_.band);
  }

  static constexpr const char* kStyle =
      "circle{fill-opacity:.7}"
      ".diagonal{stroke:#7b8088;fill:none}"
      ".band{stroke:#7b8088;stroke-dasharray:4 4;fill:none}";
  static constexpr double kBottom = 448;
  static constexpr double kLegendLeft = 28, kLegendTop = kBottom + 64, kLegendLine = 18;
  static constexpr std::size_t kCaption = 113;  // largest number of columns of a line below the picture

  const ForecastPlot& plot_;
  const std::vector<Series>& series_;
  PlotFrame frame_;
  Svg svg_;
};

std::string nothing_to_draw(const ForecastPlot& plot) {
  Svg svg(kChartWidth, 80, "");
  svg.add_title(24, kChartRight, plot.title);
  svg.add("<text x=\"24\" y=\"56\">No forecast has a measurement to compare with.</text>\n");
  return svg.finish();
}

}  // namespace

ForecastErrors errors_of(const std::vector<Point>& points) {
  ForecastErrors errors;
  double squares = 0.0;
  for (const Point& point : points) {
    if (!can_be_drawn(point)) continue;
    const double error = point.measured - point.forecast;
    if (errors.points++ == 0 || std::abs(error) > std::abs(errors.worst)) {
      errors.worst = error;
      errors.name_of_worst = point.name;
    }
    errors.mean += std::abs(error);
    squares += error * error;
  }
  if (errors.points == 0) return errors;
  errors.mean /= static_cast<double>(errors.points);
  errors.rms = std::sqrt(squares / static_cast<double>(errors.points));
  return errors;
}

std::string plot_forecasts_svg(const ForecastPlot& plot) {
  std::vector<Series> series = plot.series;
  for (Series& each : series) std::erase_if(each.points, [](const Point& point) { return !can_be_drawn(point); });
  if (std::ranges::all_of(series, [](const Series& each) { return each.points.empty(); })) return nothing_to_draw(plot);
  return ForecastDrawing(plot, series).draw();
}

}  // namespace wattune::report
