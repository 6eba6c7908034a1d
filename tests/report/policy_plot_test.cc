#include "report/interface/policy_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace wattune::inline v0_1::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string line_of_front(const std::string& svg) {
  const std::size_t begin = svg.find("<path class=\"front\" d=\"") + 23;
  return svg.substr(begin, svg.find('"', begin) - begin);
}

std::size_t circles_of(const std::string& svg) {
  std::size_t count = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++count;
  return count;
}

// `slow` is slower and takes more joules than `fast`; `lavish` is as fast with more joules. Each of the others is best
// in something. With a margin of a twentieth, joules from 49 to 71 are between 90 and 736 pixels, and works from 195 to
// 305 per second between 364 and 56. Thus 50 J are at 90 + 646 / 22, 300 works at 364 - 308 * 105 / 110.
const PolicyPlot kFour{.title = "100 works <here>",
                       .policies = {{"slow", 200, 70}, {"fast", 300, 60}, {"lavish", 300, 65}, {"<thrifty>", 250, 50}}};

TEST(PolicyPlot, TheFrontJoinsWhomNoOtherBeatsInBoth) {
  EXPECT_EQ(line_of_front(plot_policies_svg(kFour)), "M119.4 210.0L413.0 70.0");
}

TEST(PolicyPlot, EachPolicyStandsAtItsNumbersWithItsName) {
  const std::string svg = plot_policies_svg(kFour);
  EXPECT_EQ(circles_of(svg), 4U);
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"706.6\" cy=\"350.0\" r=\"4\"/>\n"
                             "<text x=\"698.6\" y=\"344.0\" text-anchor=\"end\">slow</text>"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"119.4\" cy=\"210.0\" r=\"4\"/>\n"
                             "<text x=\"127.4\" y=\"204.0\" text-anchor=\"start\">&lt;thrifty&gt;</text>"));
}

TEST(PolicyPlot, SaysWhatItsAxesAre) {
  const std::string svg = plot_policies_svg(kFour);
  EXPECT_THAT(svg, HasSubstr(">100 works &lt;here&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">joules of the queue, less is better</text>"));
  EXPECT_THAT(svg, HasSubstr(">works per second</text>"));
  EXPECT_THAT(svg, HasSubstr("<text x=\"413.0\" y=\"383\" text-anchor=\"middle\">60</text>"));
  EXPECT_THAT(svg, HasSubstr("<text x=\"82\" y=\"354.0\" text-anchor=\"end\">200</text>"));
}

TEST(PolicyPlot, PoliciesThatAreEqualAreBothInFront) {
  const std::string svg = plot_policies_svg({.title = "t", .policies = {{"a", 200, 50}, {"b", 200, 50}}});
  EXPECT_EQ(std::ranges::count(line_of_front(svg), 'L'), 1);
}

TEST(PolicyPlot, PoliciesWithoutJoulesAreLeftOut) {
  const std::string svg = plot_policies_svg({.title = "t", .policies = {{"blind", 200, 0}, {"seeing", 300, 60}}});
  EXPECT_EQ(circles_of(svg), 1U);
  EXPECT_THAT(svg, HasSubstr(">seeing</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("blind")));
}

TEST(PolicyPlot, SaysWhereNothingCanBeDrawn) {
  EXPECT_THAT(plot_policies_svg({.title = "t", .policies = {}}), HasSubstr("No policy has both a time and joules"));
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(plot_policies_svg({.title = "t", .policies = {{"a", infinite, 1}}}), HasSubstr("No policy"));
}

}  // namespace
}  // namespace wattune::report
