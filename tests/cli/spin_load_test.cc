// The load of `wattune power --characterise` on the devices of this machine.
#include "cli/inspect/spin_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "programs.h"

namespace wattune::cli {
namespace {

using ::testing::HasSubstr;

tune::DriverHost worker() {
  tune::DriverHost where;
  where.worker.executable = wattune::test::program("wattune-worker");
  where.worker.memory_limit_bytes = std::nullopt;  // PoCL's device has as much memory as the process may take
  return where;
}

TEST(SpinLoad, RunsOnOpenCl) {
  const auto discovery = tune::find_devices(worker());
  ASSERT_TRUE(discovery);
  const auto device = std::ranges::find(discovery->devices, "opencl", &DeviceInfo::backend);
  if (device == discovery->devices.end()) GTEST_SKIP() << "no OpenCL device";
  SpinLoad load(device->selector, worker());
  const Result<void> prepared = load.prepare();
  ASSERT_TRUE(prepared) << prepared.error().to_string();
  EXPECT_TRUE(load.run(nanoseconds_from_ms(20)));
  EXPECT_TRUE(load.run(Nanoseconds()));
}

TEST(SpinLoad, RefusesTheHostsProcessors) {
  SpinLoad load("host:0", worker());
  EXPECT_THAT(load.prepare().error().to_string(), HasSubstr("only CUDA and OpenCL devices can be loaded"));
}

}  // namespace
}  // namespace wattune::cli
