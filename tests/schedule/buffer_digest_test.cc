#include "schedule/interface/buffer_digest.h"

#include <algorithm>

#include "schedule/digest_checks.h"
#include "wattune/backend/registry.h"

namespace wattune::inline v0_1::schedule {
namespace {

TEST(BufferDigest, IsOfEachWordAndItsPlace) {
  const backend::Discovery found = backend::discover();
  const auto opencl = std::ranges::find(found.devices, "opencl", &DeviceInfo::backend);
  if (opencl == found.devices.end()) GTEST_SKIP() << "no OpenCL device on this machine";
  expect_digests_of_contents(*backend::open_device(opencl->selector).value());
}

}  // namespace
}  // namespace wattune::schedule
