#include <gmock/gmock.h>

#include <cmath>

#include "report/results_builder.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
namespace {

using testing::HasSubstr;

const std::vector<Parameter> kThreeFlags = {
    {.name = "a", .values = {-1, 1}}, {.name = "b", .values = {-1, 1}}, {.name = "c", .values = {-1, 1}}};

constexpr double kNone = -1.0;

double share_of(const ResultSet& results, const std::string& a, const std::string& b) {
  for (const Interaction& each : parameter_interactions(results))
    if (each.first == a && each.second == b) return each.share;
  return kNone;
}

// Returns results with log(time) = a + b + a b, eight times over all corners: the three terms have equal sums of
// squares, and c has no effect.
ResultSet joint() {
  ResultsBuilder builder(kThreeFlags);
  for (const int a : {-1, 1})
    for (const int b : {-1, 1})
      for (const int c : {-1, 1})
        for (int repeat = 0; repeat < 8; ++repeat) builder.time({a, b, c}, std::exp(a + b + a * b));
  return builder;
}

TEST(Interactions, AreWhatTheSumOfBothDoesNotExplain) {
  EXPECT_NEAR(share_of(joint(), "a", "b"), 1.0 / 3.0, 1e-9);
  EXPECT_EQ(share_of(joint(), "a", "c"), 0.0);
  EXPECT_EQ(parameter_interactions(joint()).front().first, "a");
}

// A constraint excludes a = b = 1, so that a and b depend on each other. An additive time has no interaction even so.
TEST(Interactions, AreNotMadeByConstraints) {
  ResultsBuilder builder({{.name = "a", .values = {0, 1, 2}}, {.name = "b", .values = {0, 1, 2}}});
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      if (a + b < 4 && a * b != 1)
        for (int repeat = 0; repeat < 40; ++repeat) builder.time({a, b}, std::exp(a + 2.0 * b));
  EXPECT_NEAR(share_of(builder, "a", "b"), 0.0, 1e-9);
  ResultsBuilder equal(kThreeFlags);
  for (const int a : {-1, 1})
    for (const int c : {-1, 1}) equal.time({a, a, c}, std::exp(3 * a)).time({a, a, c}, std::exp(3 * a));
  EXPECT_EQ(share_of(equal, "a", "b"), kNone);
}

// The title begins 24 pixels from the left. Renderers that cannot squeeze letters need room for those of a wide font,
// here at most 1.1 of a size of 15.
TEST(Interactions, HaveAPictureAsWideAsItsTitle) {
  ResultSet results = joint();
  results.info.kernel_name = std::string(40, 'W');
  const std::string svg = plot_interactions_svg(results);
  const std::size_t at = svg.find(" width=\"") + 8;
  EXPECT_GE(std::stod(svg.substr(at)), 24 + 40 * 1.1 * 15);
  EXPECT_THAT(svg, HasSubstr(results.info.kernel_name));
  EXPECT_THAT(svg, testing::Not(HasSubstr("textLength")));
}

TEST(Interactions, AreHonestWithFewData) {
  ResultsBuilder builder(kThreeFlags);
  EXPECT_EQ(share_of(builder, "a", "b"), kNone);
  for (const int a : {-1, 1})
    for (const int b : {-1, 1}) builder.time({a, b, 1}, std::exp(a * b));
  EXPECT_EQ(share_of(builder, "a", "b"), kNone);  // one Trial per cell: noise would look the same
  EXPECT_EQ(table_of_interactions(builder, 5, 80), "");
}

TEST(Interactions, AreListedAndDrawn) {
  EXPECT_EQ(table_of_interactions(joint(), 5, 80), " 33.3 %  a and b\n");
  const std::string svg = plot_interactions_svg(joint());
  EXPECT_THAT(svg, HasSubstr(">33.3</text>"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#4c91d0\""));  // the colour of the largest share
  EXPECT_THAT(svg, HasSubstr("add on Device A"));
}

// The largest share is the longest bar, 460 wide: a third, corrected for what two values of 64 explain by chance,
// 1 - (1 - 1/3) 63/62.
TEST(Importance, IsDrawnInAPicture) {
  const std::string svg = plot_importance_svg(joint());
  EXPECT_THAT(svg, HasSubstr("width=\"460.0\""));
  EXPECT_THAT(svg, HasSubstr(">32.3 %</text>"));
  EXPECT_THAT(svg, HasSubstr(">0.0 %</text>"));
}

}  // namespace
}  // namespace wattune::report
