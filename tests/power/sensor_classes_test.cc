// Bounds of energy, power and dynamic energy on boards of thirty classes of sensors, ten of which were kept aside.
#include "power/sensor_classes.h"

#include <gtest/gtest.h>

#include <string_view>

namespace wattune::inline v0_1::power {
namespace {

// The benchmark energy_coverage runs more seeds.
constexpr std::uint64_t kSeedsOfEach = 3;

class SensorClasses : public ::testing::TestWithParam<bool> {};

// Allows three of thirty outcomes outside of bounds for 95 %.
void expect_covered(const Covered::Figure& figure, double widest, const std::string& what) {
  EXPECT_GE(figure.inside, 0.9) << what;
  EXPECT_LE(figure.bound, widest) << what;
}

// Medians of the bounds of ten seconds. A launch that took a tenth longer than it was timed means 10 % more or less of
// idle energy, and of power. The idle power comes from a window of a second, which publications every 100 ms tell to
// 2.5 %. For a light load that is a sixth of its dynamic energy.
TEST_P(SensorClasses, TheTruthLiesWithinBoundsThatAreNarrow) {
  for (const LoadKind& kind : load_kinds()) {
    const bool slower = kind.slower > 1.0;
    const bool in_step = kind.modulation > 0.0 && kind.least < 9.0;
    const double energy = slower ? 0.05 : in_step ? 0.03 : 0.006;
    const Covered covered = covered_by(kind, kReportedWindow, GetParam(), kSeedsOfEach);
    expect_covered(covered.energy, energy, std::string(kind.name) + ", energy");
    expect_covered(covered.power, energy, std::string(kind.name) + ", power");
    expect_covered(covered.dynamic, kind.of_idle < 1.5 ? 0.15 : 0.05, std::string(kind.name) + ", dynamic energy");
  }
}

TEST_P(SensorClasses, TheTruthLiesWithinTheBoundsOfASecond) {
  for (const LoadKind& kind : load_kinds()) {
    const Covered covered = covered_by(kind, kScreeningWindow, GetParam(), kSeedsOfEach);
    expect_covered(covered.energy, 0.1, std::string(kind.name) + ", energy");
    expect_covered(covered.power, 0.1, std::string(kind.name) + ", power");
    expect_covered(covered.dynamic, kind.of_idle < 1.5 ? 0.3 : 0.15, std::string(kind.name) + ", dynamic energy");
  }
}

// The idle power comes from six or seven publications, which come up to 40 ms late. Their scatter shows it: without it,
// 88 % of the dynamic energies of a light load lay within their bounds.
TEST(FewPublications, ShowHowLateTheyCome) {
  constexpr std::uint64_t kSeeds = 100;
  for (const SensorClass& each : sensor_classes()) {
    if (std::string_view(each.name) != "counter 150 ms, delayed by up to 40 ms; power 300/150 ms") continue;
    const Covered covered = covered_on(each, load_kinds().front(), kReportedWindow, kSeeds);
    EXPECT_GE(covered.dynamic.inside, 0.95);
    EXPECT_LE(covered.dynamic.bound, 2.0 * covered.dynamic.error);
  }
}

std::string name_of_half(const ::testing::TestParamInfo<bool>& info) { return info.param ? "KeptAside" : "Seen"; }
INSTANTIATE_TEST_SUITE_P(Halves, SensorClasses, ::testing::Bool(), name_of_half);

}  // namespace
}  // namespace wattune::power
