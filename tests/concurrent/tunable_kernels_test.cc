// Eight threads call four tunable kernels while these tune themselves, on the stand-in for CUDA's driver.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "dynamic/stand_in_cuda.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using test::Application;
using test::raw_cuda;
using test::succeed;
using ::testing::ElementsAre;

TEST(ConcurrentTuning, EightThreadsCallFourKernelsAndAllResultsAreRight) {
  ASSERT_TRUE(backend::kStandInsChosen);
  CUctx_st* context = nullptr;
  succeed(raw_cuda().cuCtxCreate(&context, 0, 0));
  {
    std::vector<std::unique_ptr<Application>> applications;  // streams must outlive the tuner, which queries them
    for (int i = 0; i < 8; ++i) applications.push_back(std::make_unique<Application>(std::vector<float>{1, 2, 3, 4}));
    const auto device = backend::attach_cuda().value();
    const auto tuner = Tuner::attach(*device, in_this_process()).value();
    std::vector<std::unique_ptr<TunableKernel>> kernels;
    for (const char* const name : {"first", "second", "third", "fourth"}) {
      const Safety safety = kernels.size() < 2 ? Safety::trusted : Safety::shadowed;
      kernels.push_back(tuner->kernel(scale_on_stand_in(name), {.policy = {.safety = safety}}).value());
    }
    const auto work = [&](std::size_t number) {
      succeed(raw_cuda().cuCtxSetCurrent(context));
      const Application& application = *applications[number];
      for (std::size_t i = 0; i < 400; ++i) {
        TunableKernel& kernel = *kernels[(i + number) % kernels.size()];
        const int elements = i % 8 < 4 ? 4 : 3;
        const float by = i % 2 == 0 ? 2.0f : 0.5f;
        kernel(application.stream(), memory_of(application), by, elements).value();
        if (i % 16 == 15) succeed(raw_cuda().cuStreamSynchronize(application.stream()));
        if (i % 100 == number) (void)tuner->report();
        if (i % 100 == 50 + number) (void)tuner->gap();
      }
      EXPECT_THAT(application.values(application.stream()), ElementsAre(1, 2, 3, 4));
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 8; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
    for (const auto& kernel : kernels) EXPECT_EQ(kernel->report().calls, 800u);
  }
  succeed(raw_cuda().cuCtxDestroy(context));
}

// A result that one thread computes between another call's saving and restoring would be lost.
TEST(ConcurrentTuning, ShadowedCallsOfTwoThreadsInOneStreamLoseNothing) {
  ASSERT_TRUE(backend::kStandInsChosen);
  CUctx_st* context = nullptr;
  succeed(raw_cuda().cuCtxCreate(&context, 0, 0));
  {
    const Application application(std::vector<float>{1, 2, 3, 4});
    const auto device = backend::attach_cuda().value();
    const auto tuner = Tuner::attach(*device, in_this_process()).value();
    const KernelOptions shadowed{.policy = {.mode = Mode::explore, .safety = Safety::shadowed}};
    const auto scale = tuner->kernel(scale_on_stand_in(), shadowed).value();
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto is_over = [&] { return scale->report().explored == 4 || std::chrono::steady_clock::now() > late; };
    const auto work = [&] {
      succeed(raw_cuda().cuCtxSetCurrent(context));
      for (int i = 0; i < 200 || i % 2 == 1 || !is_over(); ++i)
        (*scale)(application.stream(), memory_of(application), i % 2 == 0 ? 2.0f : 0.5f, 4).value();
    };
    std::thread other(work);
    work();
    other.join();
    EXPECT_THAT(application.values(application.stream()), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(scale->report().explored, 4u);
    EXPECT_EQ(scale->report().wrong_results, 0u);
  }
  succeed(raw_cuda().cuCtxDestroy(context));
}

}  // namespace
}  // namespace wattune::dynamic
