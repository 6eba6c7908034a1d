// A wisdom entry to vary.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "folder_test.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {

using test::contents_of;
using test::FolderTest;
using test::write_contents;

inline const KernelVersion kGemm{"gemm", "00112233445566778899aabbccddeeff"};

inline std::chrono::system_clock::time_point second_of_2026(int second) {
  return std::chrono::sys_days(std::chrono::year(2026) / 1 / 31) + std::chrono::seconds(second);
}

inline DeviceInfo device_named(const std::string& name, const std::string& architecture = "") {
  DeviceInfo device;
  device.name = name;
  device.architecture = architecture;
  return device;
}

inline Configuration block_of(int block) {
  static const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"block", "mode"});
  return {0, names, {block, "fast"}};
}

// Returns an entry whose `time` is in the middle of an interval of 2 ns.
inline WisdomEntry entry_of(const Key& key, int block, double time, int measured_at = 0) {
  WisdomEntry entry;
  entry.kernel = kGemm;
  entry.device = "A GPU";
  entry.architecture = "sm_90";
  entry.key = key;
  entry.configuration = block_of(block);
  entry.time = Nanoseconds(time);
  entry.low = Nanoseconds(time - 1);
  entry.high = Nanoseconds(time + 1);
  entry.samples = 7;
  entry.measured_at = second_of_2026(measured_at);
  entry.wattune_version = "0.1.0";
  return entry;
}

}  // namespace wattune::dynamic
