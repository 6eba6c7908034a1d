#include "search/methods/clock_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <vector>

namespace wattune::inline v0_1::search {
namespace {

using testing::ElementsAre;

std::vector<double> evenly_spaced_clocks(std::size_t n) {
  std::vector<double> clocks;
  for (std::size_t i = 0; i < n; ++i)
    clocks.push_back(500.0 + 1500.0 * static_cast<double>(i) / static_cast<double>(n));
  return clocks;
}

struct ClockSearched {
  EnergyByClock measured;
  std::vector<std::size_t> order;
  double least = std::numeric_limits<double>::infinity();
};

ClockSearched searched(const std::vector<double>& clocks, const std::function<double(double)>& energy) {
  ClockSearched search;
  const std::size_t planned = clocks_to_measure(clocks.size(), 10);
  while (search.order.size() < planned) {
    const auto next = next_clock(clocks, search.measured, planned);
    if (!next || !search.measured.emplace(*next, energy(clocks[*next])).second) break;
    search.order.push_back(*next);
    search.least = std::min(search.least, search.measured[*next]);
  }
  return search;
}

TEST(ClockSearch, MeasuresAThirdOfTheClocksWithinItsBounds) {
  EXPECT_EQ(clocks_to_measure(1, 10), 1u);
  EXPECT_EQ(clocks_to_measure(3, 10), 3u);
  EXPECT_EQ(clocks_to_measure(10, 10), 4u);
  EXPECT_EQ(clocks_to_measure(16, 10), 5u);
  EXPECT_EQ(clocks_to_measure(81, 10), 10u);
  EXPECT_EQ(clocks_to_measure(81, 6), 6u);
}

TEST(ClockSearch, BeginsWithTheHighestAndEvenStepsBelow) {
  const auto order = searched(evenly_spaced_clocks(28), [](double clock) { return clock; }).order;
  ASSERT_EQ(order.size(), 9u);
  EXPECT_THAT(std::vector(order.begin(), order.begin() + 3), ElementsAre(27, 16, 5));
}

// The valley may lie anywhere: ten of 81 clocks come within 1.5 % of the least, and four of ten within 12 %. The worst
// valley is at 650 MHz, next to the lowest of ten clocks, beyond which the parabola leads.
TEST(ClockSearch, FindsTheValleyOfABoard) {
  for (const double ridge : {650.0, 800.0, 950.0, 1100.0, 1300.0, 1500.0, 1700.0}) {
    const auto energy = [&](double clock) {
      const double voltage = 1.0 + 1.2e-3 * std::max(0.0, clock - ridge);
      return (45.0 + 0.06 * clock * voltage * voltage) * (0.3 + 1000.0 / clock);
    };
    for (const auto& [n, bound] : std::map<std::size_t, double>{{81, 1.015}, {10, 1.12}}) {
      const std::vector<double> clocks = evenly_spaced_clocks(n);
      double least = std::numeric_limits<double>::infinity();
      for (const double clock : clocks) least = std::min(least, energy(clock));
      EXPECT_LE(searched(clocks, energy).least, bound * least) << ridge << " MHz, " << n << " clocks";
    }
  }
}

// The least energy of a table that begins at 82 % of the highest clock is often at its lowest one, as on the recording
// of an RTX 4000 Ada.
TEST(ClockSearch, ReachesTheLowestClock) {
  const std::vector<double> narrow = {1485, 1515, 1560, 1590, 1635, 1665, 1710, 1740, 1785, 1815};
  EXPECT_THAT(searched(narrow, [](double clock) { return clock; }).order, ElementsAre(9, 4, 0, 1));
  const std::vector<double> wide = evenly_spaced_clocks(10);
  const auto bends_down = [](double clock) { return std::sqrt(clock); };
  EXPECT_THAT(searched(wide, bends_down).order, ElementsAre(9, 5, 2, 0));
  const auto bends_up = [](double clock) { return 1.0 + 1e-6 * (clock - 680.0) * (clock - 680.0); };
  EXPECT_THAT(searched(wide, bends_up).order, ElementsAre(9, 5, 2, 1));
}

// A clock that fails, and energies that are equal everywhere, leave other clocks to measure, each once.
TEST(ClockSearch, GoesOnPastFailuresAndPlateaus) {
  const auto failing = [](double clock) { return clock > 1500.0 ? std::numeric_limits<double>::infinity() : clock; };
  EXPECT_EQ(searched(evenly_spaced_clocks(30), failing).order.size(), 10u);
  EXPECT_EQ(searched(evenly_spaced_clocks(30), [](double) { return 1.0; }).order.size(), 10u);
  const auto all_fail = [](double) { return std::numeric_limits<double>::infinity(); };
  EXPECT_EQ(searched(evenly_spaced_clocks(30), all_fail).order.size(), 10u);
}

TEST(ClockSearch, EndsWhenAllAreMeasured) {
  EXPECT_EQ(next_clock(std::vector<double>{1000.0}, {{0, 1.0}}, 1), std::nullopt);
  EXPECT_EQ(next_clock(std::vector<double>{}, {}, 0), std::nullopt);
  EXPECT_THAT(searched({500.0, 1000.0, 1500.0}, [](double clock) { return clock; }).order, ElementsAre(2, 1, 0));
}

}  // namespace
}  // namespace wattune::search
