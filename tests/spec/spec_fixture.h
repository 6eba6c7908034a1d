// A folder for specs and the files that they name, and a helper for messages of errors.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

class SpecTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("wattune_spec_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    write("add.cl", "__kernel void add() {}");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, std::string_view contents) const {
    std::ofstream(folder_ / name, std::ios::binary) << contents;
    return folder_ / name;
  }
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

// Returns "LINE:COLUMN: message: `text` (hint)", or "fine".
inline std::string described(const Result<KernelSpec>& result) {
  if (result) return "fine";
  const std::string text = result.error().to_string();
  const std::string& file = result.error().position().file;
  return text.starts_with(file + ":") ? text.substr(file.size() + 1) : text;
}

}  // namespace wattune::spec
