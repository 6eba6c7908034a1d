// An entry to vary, and a folder that goes away with the test.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "wattune/dynamic/wisdom.h"

namespace wattune::dynamic {

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

// `time` is in the middle of an interval of 2 ns.
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

inline std::string contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_contents(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wattune_dynamic_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace wattune::dynamic
