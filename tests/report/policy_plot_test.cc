#include "wattune/report/policy_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace wattune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string line_of_front(const std::string& svg) {
  const std::size_t begin = svg.find("<path class=\"front\" d=\"") + 23;
  return svg.substr(begin, svg.find('"', begin) - begin);
}

// `slow` is slower and takes more joules than `fast`; each of the others wins in something.
TEST(PolicyPlot, TheFrontJoinsWhomNoOtherBeatsInBoth) {
  const std::string svg = plot_policies_svg(
      {.title = "100 works <here>", .policies = {{"slow", 200, 70}, {"fast", 300, 60}, {"thrifty", 250, 50}}});
  EXPECT_EQ(std::ranges::count(line_of_front(svg), 'L'), 1);
  EXPECT_EQ(std::ranges::count(svg, '\n') > 10, true);
  for (const char* const text : {"slow", "fast", "thrifty", "100 works &lt;here&gt;", "works per second"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST(PolicyPlot, PoliciesWithoutJoulesAreLeftOut) {
  const std::string svg = plot_policies_svg({.title = "t", .policies = {{"blind", 200, 0}, {"seeing", 300, 60}}});
  EXPECT_THAT(svg, HasSubstr("seeing"));
  EXPECT_THAT(svg, Not(HasSubstr("blind")));
}

TEST(PolicyPlot, SaysWhereNothingCanBeDrawn) {
  EXPECT_THAT(plot_policies_svg({.title = "t", .policies = {}}), HasSubstr("No policy has both a time and joules"));
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(plot_policies_svg({.title = "t", .policies = {{"a", infinite, 1}}}), HasSubstr("No policy"));
}

}  // namespace
}  // namespace wattune::report
