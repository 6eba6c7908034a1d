#include "report/interface/gain_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wattune::inline v0_1::report {
namespace {

using testing::HasSubstr;

// The axis goes from -20 % to 100 % over 340 pixels, from the plot's top at 48: 40 % is in the middle.
TEST(GainPlot, HasCurvesByShareAndBaselinesAsLines) {
  const std::string svg = plot_gain_svg({.title = "C with <L>",
                                         .first = "C",
                                         .sharing = {{"shares", {{0.0, -0.2}, {0.5, 0.4}, {1.0, 1.0}}}},
                                         .baselines = {{"two streams", 0.4}}});
  EXPECT_THAT(svg, HasSubstr("C with &lt;L&gt;"));
  EXPECT_THAT(svg, HasSubstr("M76.0 388.0L406.0 218.0L736.0 48.0"));
  EXPECT_THAT(svg, HasSubstr("M76.0 218.0L736.0 218.0"));
  EXPECT_THAT(svg, HasSubstr("two streams"));
}

}  // namespace
}  // namespace wattune::report
