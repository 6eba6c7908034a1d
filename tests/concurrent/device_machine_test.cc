// A machine of devices under a runtime: threads load, add and submit kernels while others run, on the stand-in for
// CUDA's driver.
#include "schedule/interface/device_machine.h"

#include <gmock/gmock.h>

#include <thread>

#include "backend/cuda_support.h"
#include "schedule/device_machine_support.h"
#include "schedule/interface/runtime.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::schedule {
namespace {

TEST(SharedDeviceMachine, TakesKernelsAndWorksOfManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kWorks = 10;
  constexpr backend::Geometry3 kGrid{.groups = {60, 1, 1}, .group_size = {64, 1, 1}};
  ASSERT_TRUE(backend::kStandInsChosen);
  const auto device = backend::open_cuda_in_primary_context("cuda:0").value();
  auto owned = DeviceMachine::make(*device).value();
  DeviceMachine& machine = *owned;
  Runtime runtime(std::move(owned), {.policy = find_policy("streams").value()});
  std::vector<std::vector<int>> hits(kThreads);
  std::vector<std::thread> threads;
  for (std::vector<int>& mine : hits)
    threads.emplace_back([&] {
      auto code = load_code(*device, backend::cuda_source(mark_ptx(), "mark"), {}, kGrid).value();
      const auto kernel = kernel_on_ints(*device, "mark", std::move(code), kGrid, 60);
      const KernelId id = machine.add(kernel, machine.traits_of(*kernel).value()).value();
      for (int i = 0; i < kWorks; ++i) EXPECT_TRUE(runtime.submit({.kernel = id}).value().wait());
      mine = read_ints(*device, *kernel->buffers.front());
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<int>& each : hits) EXPECT_THAT(each, testing::Each(kWorks));
}

}  // namespace
}  // namespace wattune::schedule
