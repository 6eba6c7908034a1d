// Tests how much shared memory launches ask of each multiprocessor for: alone, in pairs and when a partner is replaced.
// A block on an H100 takes 1,024 bytes more than it declares, in steps of 128. SMs offer 8, 16, 32, 64 KB and more.
#include "schedule/machine/carveout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/scheduler_runs.h"
#include "schedule/tiny_machine.h"
#include "wattune/schedule/pair_sweep.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::ElementsAre;
using testing::Field;

KernelTraits kernel_with(std::string name, std::size_t shared_bytes, std::uint64_t blocks = 100) {
  KernelTraits traits = tiny_kernel(std::move(name), blocks);
  traits.block.static_shared_bytes = shared_bytes;
  return traits;
}

class SharedMemory : public testing::Test {
 protected:
  // Runs works of these kernels. All kernels gain beside the long one, and none beside each other.
  void run(std::initializer_list<KernelId> order) {
    Scheduler scheduler(machine_, find_policy("paired").value());
    for (const KernelId partner : {large_, nearly_, small_})
      scheduler.learn(long_, partner, {.ratio = {2, 2}, .rates = {0.8, 0.8}});
    for (const KernelId kernel : order) {
      const Work work{.kernel = kernel};
      scheduler.submit({&work, 1}).value();
    }
    run_to_end(scheduler, machine_);
  }
  std::vector<std::pair<KernelId, std::uint64_t>> launched() const {
    std::vector<std::pair<KernelId, std::uint64_t>> all;
    for (const Launch& launch : machine_.launches) all.emplace_back(launch.kernel, launch.shared_bytes);
    return all;
  }

  TinyMachine machine_;
  KernelId long_ = machine_.add(kernel_with("long", 0, 1000));     // 1,024 bytes per block
  KernelId large_ = machine_.add(kernel_with("large", 30'000));    // 31,104
  KernelId nearly_ = machine_.add(kernel_with("nearly", 29'000));  // 30,080
  KernelId small_ = machine_.add(kernel_with("small", 0));         // 1,024
};

// 2 * 1,024 + 2 * 31,104 and 2 * 1,024 + 2 * 30,080 bytes both take 64 KB. So the running kernel stays, and the new one
// asks for what the running one has. Alone, four blocks need 4 * 1,024.
TEST_F(SharedMemory, OfWhatRunsStaysWhereTheNextPartnerNeedsNoOther) {
  run({long_, large_, nearly_});
  EXPECT_THAT(launched(), ElementsAre(std::pair(long_, 64'256), std::pair(large_, 64'256), std::pair(nearly_, 64'256),
                                      std::pair(long_, 4'096)));
}

// Beside the small kernel 8 KB are enough; the long one is restarted with them. Alone at the end it needs the same 8
// KB.
TEST_F(SharedMemory, FollowsThePairThatRuns) {
  run({long_, large_, small_});
  EXPECT_THAT(launched(),
              testing::IsSupersetOf({std::pair(long_, std::uint64_t{64'256}), std::pair(large_, std::uint64_t{64'256}),
                                     std::pair(long_, std::uint64_t{4'096}), std::pair(small_, std::uint64_t{4'096})}));
  EXPECT_EQ(machine_.launches.back().shared_bytes, 4'096U);
}

TEST_F(SharedMemory, OfAPairInFixedSharesIsThatOfItsRatio) {
  run_pair(machine_, {long_, large_}, {.way = Way::shares, .ratio = {3, 1}}).value();
  EXPECT_THAT(machine_.launches, testing::Each(Field(&Launch::shared_bytes, 3 * 1'024 + 31'104)));
}

// Two slices of 6 blocks on 2 SMs are 6 blocks on each SM, which holds 4 of them.
TEST(SlicedResidents, AreAllInFlightThatAnSmHolds) {
  const KernelTraits kernel = tiny_kernel("k");
  const MachineLimits limits{.capability = model::ComputeCapability{9, 0}, .sms = 2};
  EXPECT_EQ(sliced_residents(limits, kernel, 12).blocks, 4U);
  EXPECT_EQ(sliced_residents(limits, kernel, 3).blocks, 2U);
}

TEST(Carveout, OfAnUnknownDeviceAsksForNothing) {
  const KernelTraits kernel = kernel_with("k", 30'000);
  const Residents residents{&kernel, 2};
  EXPECT_EQ(shared_bytes_of({}, {&residents, 1}), 0U);
  EXPECT_TRUE(is_same_carveout({}, 5, 5));
  EXPECT_FALSE(is_same_carveout({}, 5, 6));
}

}  // namespace
}  // namespace wattune::schedule
