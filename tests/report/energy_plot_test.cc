#include "report/interface/energy_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace wattune::inline v0_1::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// The clocks are from x 90 to 736, so 1000 of 500..1500 MHz is at 413. The energies 1..3 J get a margin of 0.1 J:
// 0.9..3.1 J are at y 404..72. Then 1 J is at 404 - 332 * 0.1 / 2.2 = 388.9, 3 J at 87.1 and 2 J at 238.
TEST(EnergySvg, DrawsDotsCurveRidgeAndBands) {
  EnergyPlot plot{.title = "gemm <A100>", .measured = {{500, 1}, {1500, 3}}, .curve = {{500, 1}, {1000, 2}, {1500, 3}}};
  plot.bands = {{"steered & likely", 900, 1100}};
  plot.ridge = 1000;
  plot.origin = "replayed";
  const std::string svg = plot_energy_svg(plot);
  EXPECT_THAT(svg, HasSubstr("gemm &lt;A100&gt;"));
  EXPECT_THAT(svg, HasSubstr("● replayed"));
  EXPECT_THAT(svg, HasSubstr("ridge, 1000 MHz"));
  EXPECT_THAT(svg, HasSubstr("■ steered &amp; likely"));
  EXPECT_THAT(svg, HasSubstr("class=\"dots\" d=\"M90.0 388.9h0M736.0 87.1h0\""));
  EXPECT_THAT(svg, HasSubstr("class=\"curve\" d=\"M90.0 388.9L413.0 238.0L736.0 87.1\""));
  EXPECT_THAT(svg, HasSubstr("class=\"ridge\" x1=\"413.0\" x2=\"413.0\""));
  EXPECT_THAT(svg, HasSubstr("x=\"348.4\" y=\"72\" width=\"129.2\" height=\"332\""));
}

TEST(EnergySvg, CutsOffWhatLiesOutside) {
  EnergyPlot plot{.title = "t", .measured = {{500, 1}, {1500, 3}}};
  plot.bands = {{"wide", 100, 9000}, {"beyond", 2000, 3000}};
  plot.ridge = 5000;
  const std::string svg = plot_energy_svg(plot);
  EXPECT_THAT(svg, HasSubstr("x=\"90.0\" y=\"72\" width=\"646.0\""));
  EXPECT_THAT(svg, HasSubstr("x=\"736.0\" y=\"72\" width=\"0.0\""));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"ridge\"")));
}

TEST(EnergySvg, LeavesOutWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EnergyPlot plot{.title = "t", .measured = {{500, nan}, {nan, 3}, {700, 2}, {900, 3}}};
  EXPECT_THAT(plot_energy_svg(plot), Not(HasSubstr("nan")));
  plot.measured = {{500, nan}};
  EXPECT_THAT(plot_energy_svg(plot), HasSubstr("no clock has an energy"));
}

TEST(EnergySvg, DrawsASinglePoint) {
  EXPECT_THAT(plot_energy_svg({.title = "t", .measured = {{500, 1}}}), HasSubstr("class=\"dots\" d=\"M90.0 404.0h0\""));
}

// 1 J more or less than 2 J, which is at y 238, are 150.9 pixels (332 / 2.2).
TEST(EnergySvg, DrawsWhatIsLikelyAroundTheCurve) {
  EnergyPlot plot{.title = "t", .measured = {{500, 1}, {1500, 3}}, .fitted_to = {{1000, 2}}, .curve = {{1000, 2}}};
  plot.likely = {{1000, 1, 3}, {1500, 1, 3}};
  plot.notes = {"slower by 5 %"};
  const std::string svg = plot_energy_svg(plot);
  EXPECT_THAT(svg, HasSubstr("class=\"likely\" d=\"M413.0 87.1L736.0 87.1L736.0 388.9L413.0 388.9Z\""));
  EXPECT_THAT(svg, HasSubstr("class=\"dots faint\""));
  EXPECT_THAT(svg, HasSubstr("slower by 5 %"));
}

// Each name is some 260 of 646 pixels wide, so that the third needs a second line, and the picture grows by one.
TEST(EnergySvg, LegendsThatAreLongGetMoreLines) {
  EnergyPlot plot{.title = "t", .measured = {{500, 1}, {1500, 3}}};
  const std::string name(38, 'n');
  plot.origin = name;
  plot.bands = {{name, 600, 700}, {name, 800, 900}};
  EXPECT_THAT(plot_energy_svg(plot), HasSubstr("y=\"67\""));
  EXPECT_THAT(plot_energy_svg(plot), HasSubstr("M90.0 407.9h0"));
}

}  // namespace
}  // namespace wattune::report
