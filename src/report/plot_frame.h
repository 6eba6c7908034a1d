// PlotFrame: the rectangle of a picture in which two axes place points.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/axis.h"
#include "report/svg.h"

namespace wattune::inline v0_1::report {

using PlotPoint = std::pair<double, double>;  // a point in the units of the axes

struct PlotFrame {
  double left;  // edges in pixels; the right edge is kChartRight
  double top;
  double bottom;
  Axis x;
  Axis y;

  double x_of(double value) const { return left + x.position(value) * (kChartRight - left); }
  double y_of(double value) const { return bottom - y.position(value) * (bottom - top); }

  // Draws grid, ticks and names of the axes.
  void draw(Svg& svg, std::string_view x_name, std::string_view y_name) const;
  // Returns the attribute `d` of a path, which is a line from point to point, or a dot at each point. A dot on top of
  // another dot is left out, which bounds the file's size.
  std::string line(std::span<const PlotPoint> points) const;
  std::string dots(std::span<const PlotPoint> points) const;
};

}  // namespace wattune::report
