#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/interface/analysis.h"
#include "report/interface/energy_plot.h"
#include "report/results_builder.h"

namespace wattune::inline v0_1::report {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Measured {
  int mhz;
  int x;
  double joules;
  double celsius;
};

ResultSet at_clocks(const std::vector<Measured>& all) {
  ResultsBuilder builder({{.name = "nvml_gr_clock",
                           .values = {2000, 1000},
                           .default_value = {},
                           .position = {},
                           .role = ParameterRole::graphics_clock},
                          {.name = "x", .values = {1, 2, 3}}});
  for (const Measured& each : all) builder.time({each.mhz, each.x}, 1e6);
  ResultSet results = builder;
  for (std::size_t i = 0; i < all.size(); ++i)
    results.trials[i].observation.metrics = {{"energy", all[i].joules, "J"}, {"temperature", all[i].celsius, ""}};
  return results;
}

TEST(EnergyByClock, HasTheLeastAndTheMedianTemperature) {
  const ResultSet results = at_clocks({{2000, 1, 9, 60}, {2000, 2, 8, 64}, {2000, 3, 7, 61}, {1000, 1, 5, 40}});
  const std::vector<AtClock> clocks = by_clock(results);
  ASSERT_EQ(clocks.size(), 2u);
  EXPECT_EQ(clocks[0].clock, Megahertz(1000));
  EXPECT_EQ(clocks[1].least, &results.trials[2]);
  EXPECT_EQ(clocks[1].temperature, Celsius(61));
}

TEST(EnergyByClock, WhatWasNotRecordedIsLeftOut) {
  ResultSet results = at_clocks({{2000, 1, 9, 60}, {1000, 1, 5, 40}});
  results.trials[0].observation.metrics.clear();
  results.trials[1].observation.metrics.pop_back();
  const std::vector<AtClock> clocks = by_clock(results);
  ASSERT_EQ(clocks.size(), 1u);
  EXPECT_FALSE(clocks[0].temperature);
  results.info.parameters[0].role = ParameterRole::code;
  EXPECT_THAT(by_clock(results), IsEmpty());
  EXPECT_THAT(energy_plot_of(results).measured, IsEmpty());
}

// The energies are 9, 8, 20 and 5 J. One is more than one and a half times 8 J, the largest of the least energies.
TEST(EnergyOfResults, LeavesOutWhatWouldMakeTheRestSmall) {
  const ResultSet results = at_clocks({{2000, 1, 9, 60}, {2000, 2, 8, 64}, {2000, 3, 20, 61}, {1000, 1, 5, 40}});
  const std::string svg = plot_energy_svg(energy_plot_of(results));
  EXPECT_THAT(svg, HasSubstr("clock (MHz)"));
  EXPECT_THAT(svg, HasSubstr("energy (J)"));
  EXPECT_THAT(svg, HasSubstr("1 configurations that take more than 1.5 times the least"));
}

TEST(EnergyOfResults, OneClockIsNoError) {
  EXPECT_THAT(plot_energy_svg(energy_plot_of(at_clocks({{2000, 1, 9, 60}}))), Not(IsEmpty()));
}

// x = 2 and 3 were recorded at both clocks, and 3 takes less energy than 2. x = 1 takes the least, but was recorded at
// one.
TEST(EnergyByClock, OneCodeIsThatOfTheMostClocks) {
  const ResultSet results =
      at_clocks({{1000, 1, 1, 40}, {2000, 2, 8, 60}, {1000, 2, 6, 40}, {2000, 3, 7, 60}, {1000, 3, 5, 40}});
  const std::vector<AtClock> clocks = by_clock_of_one_code(results);
  ASSERT_EQ(clocks.size(), 2u);
  EXPECT_EQ(clocks[0].least, &results.trials[4]);
  EXPECT_EQ(clocks[1].least, &results.trials[3]);
}

}  // namespace
}  // namespace wattune::report
