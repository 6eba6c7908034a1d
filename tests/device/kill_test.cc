// Kills at random moments while a GPU tunes (tests/cli/kill_rounds.h); afterwards its memory is free again.
#include "cli/cuda_spec.h"
#include "cli/kill_rounds.h"
#include "device/gpu.h"

namespace wattune::device_test {
namespace {

// One process compiles, so that no run comes to the end of the configurations. NVRTC takes some 10 ms for each, and
// about half of a run's mean 1.25 s pass before the first.
TEST(KillOnGpu, LosesNothingAndFreesTheMemory) {
  if (!reason_for_none().empty()) GTEST_SKIP() << reason_for_none();
  const MemoryIsFreeAgain memory;
  const cli_test::TempFolder folder;
  cli_test::write_cuda_spec(folder, 1000);
  expect_nothing_lost(folder, {.tune = cli_test::quick({"tune", "add.toml", "--device", "cuda", "--compile-jobs", "1",
                                                        "--compile-cache", "images"}),
                               .configurations = 1000,
                               .rounds = 10,
                               .longest_us = 2'500'000});
}

}  // namespace
}  // namespace wattune::device_test
