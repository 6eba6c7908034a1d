// Calls of tunable kernels in an application's CUDA context, on the stand-in for the driver: contexts, streams, graphs.
#include <gmock/gmock.h>

#include <thread>

#include "dynamic/calls/streams.h"
#include "dynamic/children.h"
#include "dynamic/stand_in_cuda.h"
#include "fakes/cuda/fake_cuda.h"
#include "wait.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using backend::cuda::CUgraph;
using backend::cuda::CUgraphExec;
using test::Application;
using test::current_context;
using test::raw_cuda;
using test::succeed;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CudaCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(backend::kStandInsChosen);
    succeed(raw_cuda().cuCtxCreate(&context, 0, 0));
    application.emplace(std::vector<float>{1, 2, 3, 4});
    device = backend::attach_cuda().value();
    tuner = Tuner::attach(*device, in_this_process()).value();
  }
  void TearDown() override {
    tuner.reset();
    device.reset();
    application.reset();
    succeed(raw_cuda().cuCtxDestroy(context));
  }

  std::vector<float> values() const { return application->values(application->stream()); }
  float* x() const { return memory_of(*application); }
  static fakes::FakeCuda& fake() {
    return *reinterpret_cast<fakes::FakeCuda* (*)()>(
        dlsym(dlopen(backend::kLibcuda.c_str(), RTLD_NOW), "wattune_fake_cuda"))();
  }
  CUgraph capture(const std::function<void()>& work) const {
    succeed(raw_cuda().cuStreamBeginCapture(application->stream(), backend::cuda::CU_STREAM_CAPTURE_MODE_GLOBAL));
    work();
    CUgraph graph = nullptr;
    succeed(raw_cuda().cuStreamEndCapture(application->stream(), &graph));
    return graph;
  }

  CUctx_st* context = nullptr;
  std::optional<Application> application;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<Tuner> tuner;
};

// Each question to the driver would slow down each call of the application.
TEST_F(CudaCalls, OfTheBestKnownAskTheDriverNothing) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted(Mode::best)).value();
  const auto call = [&] { (*scale)(application->stream(), x(), 1.0f, 4).value(); };
  call();
  const long contexts = fake().asked_for_context;
  const long captures = fake().asked_for_capture;
  for (int i = 0; i < 10; ++i) call();
  EXPECT_EQ(fake().asked_for_context, contexts);
  EXPECT_EQ(fake().asked_for_capture, captures);
}

TEST_F(CudaCalls, LeaveTheThreadsContextAsItWas) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  CUctx_st* other = nullptr;
  succeed(raw_cuda().cuCtxCreate(&other, 0, 0));
  for (int i = 0; i < 3; ++i) (*scale)(application->stream(), x(), 2.0f, 4).value();
  EXPECT_EQ(current_context(), other);
  succeed(raw_cuda().cuCtxDestroy(other));
  EXPECT_THAT(values(), ElementsAre(8, 16, 24, 32));
  std::thread([&] {
    (*scale)(application->stream(), x(), 0.5f, 4).value();
    EXPECT_EQ(current_context(), nullptr);
  }).join();
  EXPECT_THAT(values(), ElementsAre(4, 8, 12, 16));
}

// A null stream is the default stream of whichever context is current.
TEST_F(CudaCalls, InTheDefaultStreamEnterTheirContext) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  const backend::cuda::CUstream none = nullptr;
  (*scale)(none, x(), 2.0f, 4).value();
  CUctx_st* other = nullptr;
  succeed(raw_cuda().cuCtxCreate(&other, 0, 0));
  (*scale)(none, x(), 2.0f, 4).value();
  EXPECT_EQ(current_context(), other);
  succeed(raw_cuda().cuCtxDestroy(other));
  std::thread([&] {
    (*scale)(none, x(), 2.0f, 4).value();
    EXPECT_EQ(current_context(), nullptr);
  }).join();
  EXPECT_THAT(values(), ElementsAre(8, 16, 24, 32));
}

TEST_F(CudaCalls, FindCompilersThatHaveBegun) {
  TunerOptions options;
  options.compile_processes = 1;
  const std::size_t before = test::children().size();
  const auto other = Tuner::attach(*device, options).value();
  const auto scale = other->kernel(scale_on_stand_in(), trusted()).value();
  EXPECT_TRUE(test::wait_until([&] { return test::children().size() >= before + 2; }));
}

TEST_F(CudaCalls, RefuseMemoryThatIsTooSmall) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  EXPECT_EQ((*scale)(application->stream(), x(), 2.0f, 5).error().code(), ErrorCode::mismatch);
  EXPECT_EQ((*scale)(application->stream(), x() + 1, 2.0f, 4).error().code(), ErrorCode::mismatch);
  EXPECT_TRUE((*scale)(application->stream(), x() + 1, 2.0f, 3));
  EXPECT_THAT(values(), ElementsAre(1, 4, 6, 8));
}

// The two have 16 and 12 bytes; the stand-in's allocator places both at the same address.
TEST_F(CudaCalls, RefuseMemoryThatIsTooSmallThoughItsAddressWasSeenBefore) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted(Mode::best)).value();
  const auto allocate = [](std::size_t bytes) {
    backend::cuda::CUdeviceptr memory = 0;
    succeed(raw_cuda().cuMemAlloc(&memory, bytes));
    return memory;
  };
  const auto call = [&](backend::cuda::CUdeviceptr memory) {
    return (*scale)(application->stream(), reinterpret_cast<float*>(memory), 2.0f, 4);
  };
  const auto large = allocate(4 * sizeof(float));
  for (int i = 0; i < 3; ++i) call(large).value();
  succeed(raw_cuda().cuMemFree(large));
  const auto smaller = allocate(3 * sizeof(float));
  if (smaller != large) GTEST_SKIP() << "the allocator gives a freed address to nobody soon, as sanitizers' do";
  EXPECT_EQ(call(smaller).error().code(), ErrorCode::mismatch);
  succeed(raw_cuda().cuMemFree(smaller));
}

// Such calls look nothing up, and set only what differs.
TEST_F(CudaCalls, LikeTheLastOnePassOtherMemoryAndScalars) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted(Mode::best)).value();
  const auto call = [&](float* memory, float factor, int n) {
    return (*scale)(application->stream(), memory, factor, n);
  };
  for (int i = 0; i < 3; ++i) call(x(), 2.0f, 4).value();
  EXPECT_THAT(values(), ElementsAre(8, 16, 24, 32));
  call(x(), 0.5f, 4).value();
  call(x(), 0.5f, 3).value();
  call(x() + 1, 0.5f, 3).value();
  EXPECT_THAT(values(), ElementsAre(2, 2, 3, 8));
  EXPECT_EQ(call(x() + 1, 0.5f, 4).error().code(), ErrorCode::mismatch);
  call(x(), 2.0f, 4).value();
  EXPECT_EQ(call(x() + 1, 2.0f, 4).error().code(), ErrorCode::mismatch);
  EXPECT_EQ((*scale)(application->stream(), x(), 2.0, 4).error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(values(), ElementsAre(4, 4, 6, 16));
}

TEST_F(CudaCalls, FindTheBestConfigurationMeanwhile) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  ASSERT_TRUE(test::wait_until([&] {
    for (int i = 0; i < 64; ++i) {
      (*scale)(application->stream(), x(), i % 2 == 0 ? 2.0f : 0.5f, 4).value();
      succeed(raw_cuda().cuStreamSynchronize(application->stream()));
    }
    return scale->report().keys.front().stage == TuningStage::complete;
  }));
  EXPECT_THAT(values(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(scale->report().explored, 4u);
  EXPECT_EQ(scale->best({{"n", 4}})->find("BLOCK")->as_integer(), 32);
}

// With a share of a billionth, the time of the calls so far pays for nothing.
TEST_F(CudaCalls, ThatAreExpectedPayForTuningAtOnce) {
  TunerOptions options = in_this_process();
  options.budget.share = 1e-9;
  const auto thrifty = Tuner::attach(*device, options).value();
  const auto scale = thrifty->kernel(scale_on_stand_in(), trusted()).value();
  const auto call = [&] {
    (*scale)(application->stream(), x(), 1.0f, 4).value();
    thrifty->gap(nanoseconds_from_ms(100));
  };
  for (int i = 0; i < 1000; ++i) call();
  EXPECT_EQ(scale->report().explored, 1u);  // the configuration that they begin with
  scale->expect({}, 1'000'000'000'000).value();
  for (int i = 0; i < 10'000'000 && scale->report().keys.front().stage == TuningStage::under_way; ++i) call();
  EXPECT_EQ(scale->report().explored, 4u);
}

// Equation 4 of Petrovic et al. 2020 tells after how many calls tuning pays.
TEST_F(CudaCalls, ThatAreExpectedCountLikeThoseThatCame) {
  KernelOptions options = trusted();
  options.policy.calls_before_tuning = 1000;
  const auto scale = tuner->kernel(scale_on_stand_in(), options).value();
  const auto is_tuned_after_a_call = [&] {
    (*scale)(application->stream(), x(), 1.0f, 4).value();
    return scale->report().keys.front().stage == TuningStage::under_way;
  };
  EXPECT_FALSE(is_tuned_after_a_call());
  scale->expect({}, 900).value();
  EXPECT_FALSE(is_tuned_after_a_call());
  scale->expect({}, 1000).value();
  EXPECT_TRUE(is_tuned_after_a_call());
}

TEST_F(CudaCalls, MemoryThatIsTooSmallIsNoCandidatesFault) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  ASSERT_TRUE(test::wait_until([&] {
    for (int i = 0; i < 64; ++i) {
      (*scale)(application->stream(), x(), i % 2 == 0 ? 2.0f : 0.5f, 4).value();
      EXPECT_EQ((*scale)(application->stream(), x() + 1, 2.0f, 4).error().code(), ErrorCode::mismatch);
      succeed(raw_cuda().cuStreamSynchronize(application->stream()));
    }
    return scale->report().keys.front().stage == TuningStage::complete;
  }));
  EXPECT_THAT(values(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(scale->report().explored, 4u);
  EXPECT_EQ(scale->report().keys.front().failed, 0u);
}

TEST_F(CudaCalls, ABoardForOneProcessIsNotScreenedOn) {
  setenv("WATTUNE_FAKE_CUDA_COMPUTE_MODE", "3", 1);
  const auto scale = tuner->kernel(scale_on_stand_in(), {}).value();
  for (int i = 0; tuner->report().notes.empty(); ++i) {
    (*scale)(application->stream(), x(), i % 2 == 0 ? 2.0f : 0.5f, 4).value();
    succeed(raw_cuda().cuStreamSynchronize(application->stream()));
  }
  unsetenv("WATTUNE_FAKE_CUDA_COMPUTE_MODE");
  EXPECT_THAT(tuner->report().notes.front(), HasSubstr("run the best known only: "));
  EXPECT_THAT(tuner->report().notes.front(), HasSubstr("is in exclusive-process mode"));
  EXPECT_EQ(scale->report().explored, 0u);
}

TEST_F(CudaCalls, ACaptureInTheMiddleOfExploringRunsTheBestKnown) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  int calls = 0;
  const auto call = [&] { (*scale)(application->stream(), x(), calls++ % 2 == 0 ? 2.0f : 0.5f, 4).value(); };
  while (scale->report().explored == 0) call();
  ASSERT_EQ(scale->report().keys.front().stage, TuningStage::under_way);
  if (calls % 2 == 1) call();
  const CUgraph graph = capture([&] { (*scale)(application->stream(), x(), 3.0f, 4).value(); });
  ASSERT_NE(graph, nullptr) << "the capture was not ended";
  while (scale->report().keys.front().stage == TuningStage::under_way || calls % 2 == 1) {
    call();
    succeed(raw_cuda().cuStreamSynchronize(application->stream()));
  }
  EXPECT_EQ(scale->report().explored, 4u);
  CUgraphExec exec = nullptr;
  succeed(raw_cuda().cuGraphInstantiate(&exec, graph, 0));
  succeed(raw_cuda().cuGraphLaunch(exec, application->stream()));
  EXPECT_THAT(values(), ElementsAre(3, 6, 9, 12));
  succeed(raw_cuda().cuGraphExecDestroy(exec));
  succeed(raw_cuda().cuGraphDestroy(graph));
}

TEST_F(CudaCalls, InACaptureTheBestRunsAndNothingElseHappens) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted(Mode::explore)).value();
  (*scale)(application->stream(), x(), 2.0f, 4).value();
  const long events = fake().events;
  const CUgraph graph = capture([&] {
    for (int i = 0; i < 3; ++i) (*scale)(application->stream(), x(), 2.0f, 4).value();
  });
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(fake().events, events);
  EXPECT_THAT(values(), ElementsAre(2, 4, 6, 8));
  CUgraphExec exec = nullptr;
  succeed(raw_cuda().cuGraphInstantiate(&exec, graph, 0));
  succeed(raw_cuda().cuGraphLaunch(exec, application->stream()));
  EXPECT_THAT(values(), ElementsAre(16, 32, 48, 64));
  succeed(raw_cuda().cuGraphExecDestroy(exec));
  succeed(raw_cuda().cuGraphDestroy(graph));
}

// The graph is captured with blocks of 256; blocks of 32 are the best.
TEST_F(CudaCalls, AGraphThatIsUpdatedRunsTheBestKnown) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  int calls = 0;
  const auto call = [&] { (*scale)(application->stream(), x(), calls++ % 2 == 0 ? 2.0f : 0.5f, 4).value(); };
  call();
  call();
  const CUgraph graph = capture([&] { (*scale)(application->stream(), x(), 3.0f, 4).value(); });
  CUgraphExec exec = nullptr;
  succeed(raw_cuda().cuGraphInstantiate(&exec, graph, 0));
  while (scale->report().keys.front().stage != TuningStage::complete || calls % 2 == 1) {
    call();
    succeed(raw_cuda().cuStreamSynchronize(application->stream()));
  }
  succeed(raw_cuda().cuGraphLaunch(exec, application->stream()));
  EXPECT_EQ(fake().block, 256u);
  EXPECT_EQ(scale->update_graph(application->stream(), exec, graph).value(), 1u);
  succeed(raw_cuda().cuGraphLaunch(exec, application->stream()));
  EXPECT_EQ(fake().block, 32u);
  EXPECT_THAT(values(), ElementsAre(9, 18, 27, 36));
  succeed(raw_cuda().cuGraphExecDestroy(exec));
  succeed(raw_cuda().cuGraphDestroy(graph));
}

TEST_F(CudaCalls, LaunchesOfOthersInAGraphStayAsTheyAre) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  const auto other = tuner->kernel(scale_on_stand_in("other"), trusted()).value();
  (*scale)(application->stream(), x(), 1.0f, 4).value();
  (*other)(application->stream(), x(), 1.0f, 4).value();
  const CUgraph graph = capture([&] {
    application->raise(1.0f, application->stream());
    (*other)(application->stream(), x(), 3.0f, 4).value();
  });
  CUgraphExec exec = nullptr;
  succeed(raw_cuda().cuGraphInstantiate(&exec, graph, 0));
  EXPECT_EQ(scale->update_graph(application->stream(), exec, graph).value(), 0u);
  EXPECT_EQ(other->update_graph(application->stream(), exec, graph).value(), 1u);
  succeed(raw_cuda().cuGraphLaunch(exec, application->stream()));
  EXPECT_THAT(values(), ElementsAre(6, 9, 12, 15));
  succeed(raw_cuda().cuGraphExecDestroy(exec));
  succeed(raw_cuda().cuGraphDestroy(graph));
}

TEST_F(CudaCalls, WhatWasCapturedOutlivesTheTuner) {
  auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  (*scale)(application->stream(), x(), 2.0f, 4).value();
  const CUgraph graph = capture([&] { (*scale)(application->stream(), x(), 2.0f, 4).value(); });
  scale.reset();
  tuner.reset();
  device.reset();
  CUgraphExec exec = nullptr;
  succeed(raw_cuda().cuGraphInstantiate(&exec, graph, 0));
  succeed(raw_cuda().cuGraphLaunch(exec, application->stream()));
  EXPECT_THAT(values(), ElementsAre(4, 8, 12, 16));
  succeed(raw_cuda().cuGraphExecDestroy(exec));
  succeed(raw_cuda().cuGraphDestroy(graph));
}

TEST_F(CudaCalls, WhatWasOnlyTriedIsUnloaded) {
  auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  while (true) {
    (*scale)(application->stream(), x(), 1.0f, 4).value();
    succeed(raw_cuda().cuStreamSynchronize(application->stream()));
    if (scale->report().keys.front().stage == TuningStage::complete) break;
  }
  const std::vector<TriedReport> tried = scale->report().keys.front().tried;
  ASSERT_EQ(tried.size(), 3u);
  const long better = std::ranges::count(tried, TriedOutcome::better, &TriedReport::outcome);
  scale.reset();
  tuner.reset();
  device.reset();
  const long own = 1;  // the application's
  EXPECT_EQ(fake().modules, own + 1 + better);
}

TEST_F(CudaCalls, ACaptureThatFindsNothingLoadedSaysSo) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  const CUgraph graph = capture([&] {
    const Error error = (*scale)(application->stream(), x(), 2.0f, 4).error();
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_THAT(error.to_string(), HasSubstr("preload()"));
  });
  EXPECT_NE(graph, nullptr);  // the capture itself goes on
  succeed(raw_cuda().cuGraphDestroy(graph));
}

// On another thread, CU_STREAM_PER_THREAD is that thread's stream, which is idle whatever this thread has sent.
TEST_F(CudaCalls, AThreadsOwnStreamIsNotAskedByAnother) {
  EXPECT_TRUE(adopt_elsewhere(*device, application->stream()));
  EXPECT_EQ(adopt_elsewhere(*device, reinterpret_cast<CUstream_st*>(std::uintptr_t{2})).error().code(),
            ErrorCode::invalid_argument);
}

TEST_F(CudaCalls, AnotherStreamMayGetAHandleThatWasUsed) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  for (int i = 0; i < 4; ++i) {
    backend::cuda::CUstream stream = nullptr;
    succeed(raw_cuda().cuStreamCreate(&stream, 0));
    (*scale)(stream, x(), 2.0f, 4).value();
    succeed(raw_cuda().cuStreamSynchronize(stream));
    succeed(raw_cuda().cuStreamDestroy(stream));
  }
  EXPECT_THAT(values(), ElementsAre(16, 32, 48, 64));
}

TEST_F(CudaCalls, AStreamThatGetsTheHandleOfAForgottenOneIsANewOne) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  const long streams = fake().streams;
  for (int i = 0; i < 4; ++i) {
    backend::cuda::CUstream stream = nullptr;
    succeed(raw_cuda().cuStreamCreate(&stream, 0));
    (*scale)(stream, x(), 2.0f, 4).value();
    succeed(raw_cuda().cuStreamSynchronize(stream));
    tuner->forget(stream).value();
    succeed(raw_cuda().cuStreamDestroy(stream));
  }
  EXPECT_THAT(values(), ElementsAre(16, 32, 48, 64));
  EXPECT_EQ(fake().streams, streams);
}

TEST_F(CudaCalls, AStreamMayBeForgottenThatNobodyCalledIn) {
  EXPECT_TRUE(tuner->forget(application->stream()));
  EXPECT_TRUE(tuner->forget(application->stream()));
}

// Without this room, the first launch would wait.
TEST_F(CudaCalls, RoomForPrivateMemoryIsMadeInAGap) {
  KernelSpec spilling = scale_on_stand_in("spill");
  spilling.source = backend::cuda_source("__global__ void spill() {}", "spill");
  spilling.arguments.clear();
  spilling.parameters = {{.name = "BLOCK", .values = {64}}};
  KernelOptions options = trusted(Mode::best);
  options.fallback = [](const CallStream&, std::span<const CallArgument>) { return Result<void>(); };
  const auto spill = tuner->kernel(spilling, options).value();
  spill->expect({}).value();
  ASSERT_TRUE(test::wait_until([&] { return spill->best({{"n", 4}}); }));
  EXPECT_EQ(fake().room_made_for, "wattune_private");
  (*spill)(application->stream()).value();
  EXPECT_EQ(fake().room_made_for, "wattune_private");
}

TEST_F(CudaCalls, AfterABrokenContextEachCallSaysThatItIsLost) {
  const auto scale = tuner->kernel(scale_on_stand_in(), trusted()).value();
  const auto shadowed = tuner->kernel(scale_on_stand_in(), {.policy = {.safety = Safety::shadowed}}).value();
  for (int i = 0; i < 10; ++i) {
    (*scale)(application->stream(), x(), 2.0f, 4).value();
    (*shadowed)(application->stream(), x(), 0.5f, 4).value();
  }
  KernelSpec broken = scale_on_stand_in("illegal");
  broken.source.function = "illegal";
  broken.arguments.clear();
  broken.problem_size = {{"n", 4}};
  const auto illegal = tuner->kernel(broken, trusted(Mode::best)).value();
  (void)(*illegal)(application->stream());
  for (int i = 0; i < 4; ++i) {
    const Result<void> called = (*(i % 2 == 0 ? scale : shadowed))(application->stream(), x(), 2.0f, 4);
    ASSERT_FALSE(called);
    EXPECT_EQ(called.error().code(), ErrorCode::device_lost);
    EXPECT_THAT(called.error().to_string(), HasSubstr("only the application can make another"));
  }
}

}  // namespace
}  // namespace wattune::dynamic
