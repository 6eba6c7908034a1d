// Kills at random moments, on an OpenCL device and on the stand-in for CUDA's driver. The tests on a GPU are in
// tests/device.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/cuda_spec.h"
#include "cli/cuda_stand_ins.h"
#include "cli/kill_rounds.h"

namespace wattune::cli_test {
namespace {

TEST(Kill, FiftyTimesLosesNothingAndRepeatsNothing) {
  if (!has_device()) GTEST_SKIP() << "no device here";
  const TempFolder folder;
  write_add_spec(folder, 120);
  expect_nothing_lost(folder, {.tune = quick({"tune", "add.toml", "--device", "opencl"}),
                               .configurations = 120,
                               .rounds = 50,
                               .longest_us = 400'000});
}

// The run also has processes that compile ahead and write into the cache.
TEST(Kill, LosesNothingOnCudaEither) {
  const TempFolder folder;
  write_cuda_spec(folder, 300);
  const StandInsForPrograms stand_ins;
  expect_nothing_lost(
      folder,
      {.tune = quick({"tune", "add.toml", "--device", "cuda", "--compile-jobs", "2", "--compile-cache", "images"}),
       .configurations = 300,
       .rounds = 9,
       .longest_us = 150'000});
}

}  // namespace
}  // namespace wattune::cli_test
