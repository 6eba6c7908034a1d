#include "core/interface/energy.h"

#include <gtest/gtest.h>

namespace wattune {
namespace {

// Returns an Observation of 2 ms.
Observation with(std::vector<Metric> metrics) {
  Observation observation;
  observation.statistics = Statistics{.median = nanoseconds_from_ms(2)};
  observation.metrics = std::move(metrics);
  return observation;
}

double joules(std::vector<Metric> metrics) {
  const auto energy = energy_of(with(std::move(metrics)));
  return energy ? energy->value() : -1.0;
}

TEST(Energy, IsFoundByTheNamesOfOtherPrograms) {
  EXPECT_DOUBLE_EQ(joules({{"registers", 32, ""}, {"energy", 0.5, "J"}}), 0.5);
  EXPECT_DOUBLE_EQ(joules({{"ps_energy", 0.5, ""}}), 0.5);
  EXPECT_DOUBLE_EQ(joules({{"nvml_energy", 0.5, ""}}), 0.5);
  EXPECT_DOUBLE_EQ(joules({{"nvml_energy", 1.0, ""}, {"ps_energy", 0.5, ""}}), 0.5);  // the better sensor
}

TEST(Energy, TheUnitDecidesAndElseTheName) {
  EXPECT_DOUBLE_EQ(joules({{"energy", 500, "mJ"}}), 0.5);
  EXPECT_DOUBLE_EQ(joules({{"energy", 5e5, "uJ"}}), 0.5);
  EXPECT_DOUBLE_EQ(joules({{"energy_mj", 500, ""}}), 0.5);
  EXPECT_DOUBLE_EQ(joules({{"energy", 3, "pixels"}}), -1.0);
}

// A lower bound of the energy is not an energy.
TEST(Energy, OfWhatWasLeftOutIsNone) {
  const Observation left_out = with({{"energy_at_least", 0.5, "J"}});
  EXPECT_TRUE(was_left_out(left_out));
  EXPECT_FALSE(energy_of(left_out));
  EXPECT_FALSE(was_left_out(with({{"energy", 0.5, "J"}})));
}

// 250 W over 2 ms are 0.5 J.
TEST(Energy, PowerTimesTimeStandsForIt) {
  EXPECT_DOUBLE_EQ(joules({{"nvml_power", 250, ""}}), 0.5);
  EXPECT_DOUBLE_EQ(joules({{"power", 250000, "mW"}}), 0.5);
  EXPECT_DOUBLE_EQ(power_of(with({{"ps_energy", 0.5, ""}}))->value(), 250.0);
  EXPECT_DOUBLE_EQ(power_of(with({{"ps_energy", 0.5, ""}, {"ps_power", 240, ""}}))->value(), 240.0);
}

TEST(Energy, WhatIsNoEnergyIsNone) {
  EXPECT_FALSE(energy_of(with({})));
  EXPECT_FALSE(energy_of(with({{"energy", 0.0, "J"}})));
  EXPECT_FALSE(energy_of(with({{"energy", -1.0, "J"}})));
  EXPECT_FALSE(energy_of(with({{"energy", std::numeric_limits<double>::quiet_NaN(), "J"}})));
  Observation failed;
  failed.status = Status::runtime;
  failed.metrics = {{"energy", 0.5, "J"}};
  EXPECT_FALSE(energy_of(failed));
}

TEST(Energy, IsNamedOnceAndInJoules) {
  ResultSet results;
  results.trials = {Trial{.configuration = {}, .observation = with({{"ps_energy", 0.5, ""}}), .finished_at = {}},
                    Trial{.configuration = {}, .observation = with({{"energy", 500, "mJ"}}), .finished_at = {}},
                    Trial{.configuration = {}, .observation = with({{"registers", 32, ""}}), .finished_at = {}}};
  name_energy(results);
  name_energy(results);
  EXPECT_EQ(results.trials[0].observation.metrics,
            (std::vector<Metric>{{"ps_energy", 0.5, ""}, {"energy", 0.5, "J"}, {"power", 250, "W"}}));
  EXPECT_EQ(results.trials[1].observation.metrics, (std::vector<Metric>{{"energy", 0.5, "J"}, {"power", 250, "W"}}));
  EXPECT_EQ(results.trials[2].observation.metrics.size(), 1u);
}

TEST(Energy, TheClockIsThatOfTheRole) {
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "MHz"});
  const Configuration configuration(0, names, {3, 1485});
  Parameter clock{.name = "MHz", .values = {1485}, .default_value = {}, .position = {}};
  EXPECT_FALSE(graphics_clock_of(configuration, {clock}));
  clock.role = ParameterRole::graphics_clock;
  EXPECT_EQ(graphics_clock_of(configuration, {clock}), Megahertz(1485));
}

}  // namespace
}  // namespace wattune
