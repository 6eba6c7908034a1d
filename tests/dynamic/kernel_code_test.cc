#include "dynamic/loading/kernel_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fakes/fake_device.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using ::testing::ElementsAre;

constexpr Nanoseconds kCompileLimit = nanoseconds_from_seconds(10);

KernelCode::Macros macros(const std::string& n, const std::string& mode = "good") { return {{"N", n}, {"MODE", mode}}; }

class KernelCodeTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("WATTUNE_FAKE_COMPILER_LOG", log_.c_str(), 1); }
  void TearDown() override {
    unsetenv("WATTUNE_FAKE_COMPILER_LOG");
    std::filesystem::remove(log_);
    std::filesystem::remove(log_ + ".go");
  }

  static backend::WorkerOptions worker() {
    backend::WorkerOptions worker;
    worker.executable = test::program("wattune-fake-worker");
    return worker;
  }
  static std::unique_ptr<KernelCode> code(wattune::fakes::FakeDevice& device, backend::CompilePool& pool) {
    KernelSpec spec;
    spec.source = {.language = Language::opencl, .function = "f", .text = "text"};
    return KernelCode::make(spec, device, &pool, kCompileLimit).value();
  }
  // Returns the names of what was compiled, in order.
  std::vector<std::string> wait_until_compiled(std::size_t count) const {
    std::vector<std::string> lines;
    EXPECT_TRUE(test::wait_until([&] {
      std::ifstream stream(log_);
      lines.clear();
      for (std::string line; std::getline(stream, line);) lines.push_back(line);
      return lines.size() >= count;
    }));
    return lines;
  }

  const std::string log_ =
      (std::filesystem::temp_directory_path() / ("wattune-kernel-code-test-" + std::to_string(getpid()))).string();
};

// Keys that are not called any more tell nothing further.
TEST_F(KernelCodeTest, CompilesFirstWhatWasAskedForLast) {
  wattune::fakes::FakeDevice device;
  backend::CompilePool pool({.processes = 1, .worker = worker()});
  const auto compiled = code(device, pool);
  const std::array<int, 2> owners{};
  compiled->expect(&owners[0], {macros("1", "wait"), macros("2")});
  wait_until_compiled(1);
  compiled->expect(&owners[1], {macros("3")});
  std::ofstream(log_ + ".go") << "go";
  EXPECT_THAT(wait_until_compiled(3),
              ElementsAre("arch_1 text N=1 MODE=wait", "arch_1 text N=3 MODE=good", "arch_1 text N=2 MODE=good"));
}

// Two keys wait for the same code. One of them takes it and drops it, or learns that it cannot be compiled.
TEST_F(KernelCodeTest, WhatAnotherKeyHasTakenIsCompiledAgain) {
  wattune::fakes::FakeDevice device;
  device.add_kernel("f", 1, [](const wattune::fakes::FakeLaunch&) { return Nanoseconds(1.0); });
  backend::CompilePool pool({.processes = 1, .worker = worker()});
  const auto compiled = code(device, pool);
  const std::array<int, 2> owners{};
  for (const std::string mode : {"good", "wrong"}) {
    const KernelCode::Macros both = macros("1", mode);
    for (const int& owner : owners) compiled->expect(&owner, {both});
    ASSERT_TRUE(test::wait_until([&] { return compiled->is_ready(both); }));
    EXPECT_EQ(compiled->load(both).has_value(), mode == "good");
    compiled->expect(&owners[0], {});
    EXPECT_TRUE(test::wait_until([&] { return compiled->is_ready(both); })) << mode;
  }
}

}  // namespace
}  // namespace wattune::dynamic
