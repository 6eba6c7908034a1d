// A small run with a Trial of every kind.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "folder_test.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

using test::contents_of;
using test::FolderTest;
using test::write_contents;

inline std::chrono::system_clock::time_point second_of_2026(int second) {
  return std::chrono::sys_days(std::chrono::year(2026) / 1 / 31) + std::chrono::seconds(second) +
         std::chrono::nanoseconds(123456789);
}

inline RunInfo sample_info() {
  RunInfo info;
  info.kernel_name = "convolution";
  info.kernel_language = "OpenCL";
  info.problem_size = "4096, 4096";
  info.identity = {
      {"arguments", "00112233445566778899aabbccddeeff"}, {"cache mode", "warm"}, {"metric gflops", "2 / time"}};
  info.space_hash = "99aabbcc";
  info.device = {.selector = "opencl:0:0",
                 .backend = "opencl",
                 .kind = DeviceKind::gpu,
                 .name = "Some \"GPU\"",
                 .vendor = "Vendor",
                 .platform = "Platform",
                 .driver_version = "1.2",
                 .language_version = "OpenCL C 1.2",
                 .compute_units = 40,
                 .clock_mhz = 1402.5,
                 .global_memory_bytes = std::uint64_t{1} << 35,
                 .local_memory_bytes = 49152,
                 .max_allocation_bytes = std::uint64_t{1} << 33,
                 .max_work_group_size = 1024,
                 .max_work_item_sizes = std::array<std::size_t, 3>{1024, 1024, 64}};
  info.parameters = {{.name = "block", .values = {16, 32, 64}, .default_value = Value(16)},
                     {.name = "scale", .values = {0.5, 2.0}},
                     {.name = "padding", .values = {false, true}},
                     {.name = "type", .values = {"float", "float4"}}};
  info.constraints = {"block * 2 <= 128", "scale < block"};
  info.default_values = {16, 0.5, false, "float"};
  info.wattune_version = "0.1.0";
  info.started_at = second_of_2026(0);
  return info;
}

// Returns Trial `index` of the sample run, below 24; every status occurs within the first six.
inline Trial sample_trial(int index) {
  static const auto names =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"block", "scale", "padding", "type"});
  Trial trial;
  trial.configuration = Configuration(static_cast<ConfigurationId>(index), names,
                                      {16 << (index % 3), index % 2 == 0 ? 0.5 : 2.0, (index + index / 12) % 2 == 1,
                                       (index + index / 6) % 2 == 0 ? "float" : "float4"});
  trial.finished_at = second_of_2026(index + 1);
  Observation& observation = trial.observation;
  observation.status = kAllStatuses[index % 6];
  observation.phases = {Nanoseconds(1e8 + index), Nanoseconds(2e6), Nanoseconds(3e6), Nanoseconds(4e6 * (index % 2))};
  if (observation.ok()) {
    observation.verified = true;
    for (int i = 0; i < 3; ++i) observation.samples.push_back({Nanoseconds(1000.0 * (index + 1) + i)});
    const double median = 1000.0 * (index + 1) + 1;
    observation.statistics = Statistics{Nanoseconds(median), Nanoseconds(median - 1), Nanoseconds(median + 1),
                                        Nanoseconds(median), Nanoseconds(median - 1), 0.95};
    observation.metrics = {{"GFLOP/s", 12.5, "GFLOP/s"}, {"registers", 40, ""}};
    observation.build_log = "warning: unused variable 'x'\n";
  } else {
    observation.message = "failed: " + std::string(to_string(observation.status));
  }
  return trial;
}

inline ResultSet sample_results(int trials = 6) {
  ResultSet results{sample_info(), {}};
  for (int i = 0; i < trials; ++i) results.trials.push_back(sample_trial(i));
  return results;
}

inline void expect_same_info(const RunInfo& a, const RunInfo& b) {
  EXPECT_EQ(a.kernel_name, b.kernel_name);
  EXPECT_EQ(a.kernel_language, b.kernel_language);
  EXPECT_EQ(a.problem_size, b.problem_size);
  EXPECT_EQ(a.identity, b.identity);
  EXPECT_EQ(a.space_hash, b.space_hash);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.parameters, b.parameters);
  for (std::size_t i = 0; i < a.parameters.size() && i < b.parameters.size(); ++i)
    EXPECT_EQ(a.parameters[i].default_value, b.parameters[i].default_value);
  EXPECT_EQ(a.constraints, b.constraints);
  EXPECT_EQ(a.default_values, b.default_values);
  EXPECT_EQ(a.wattune_version, b.wattune_version);
  EXPECT_EQ(a.started_at, b.started_at);
}

inline void expect_same_trial(const Trial& a, const Trial& b) {
  EXPECT_EQ(a.configuration, b.configuration);
  for (std::size_t i = 0; i < a.configuration.values().size(); ++i)
    EXPECT_EQ(a.configuration.values()[i].kind(), b.configuration.values()[i].kind());
  EXPECT_EQ(a.observation, b.observation);
  EXPECT_EQ(a.finished_at, b.finished_at);
  EXPECT_EQ(a.device, b.device);
}

inline void expect_same_trials(const std::vector<Trial>& a, const std::vector<Trial>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same_trial(a[i], b[i]);
}

}  // namespace wattune::store
