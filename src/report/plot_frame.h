// PlotFrame: the part of a picture in which two axes place points.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/axis.h"
#include "report/svg.h"

namespace wattune::report {

using PlotPoint = std::pair<double, double>;  // in the numbers of the axes

struct PlotFrame {
  double left;  // in pixels, as the others; it ends at kChartRight
  double top;
  double bottom;
  Axis x;
  Axis y;

  double x_of(double value) const { return left + x.position(value) * (kChartRight - left); }
  double y_of(double value) const { return bottom - y.position(value) * (bottom - top); }

  // Grid, ticks and names of the axes.
  void draw(Svg& svg, std::string_view x_name, std::string_view y_name) const;
  // What a path's `d` is: a line from point to point; or a dot at each, but for those on top of another, which bounds
  // the file's size.
  std::string line(std::span<const PlotPoint> points) const;
  std::string dots(std::span<const PlotPoint> points) const;
};

}  // namespace wattune::report
