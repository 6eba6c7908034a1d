// Devices attached to an application's CUDA context, on the stand-in for the driver: who owns which object, and what is
// refused. Their use in an application is in tests/device/attached_application_test.cc.
#include <thread>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"
#include "fakes/cuda/fake_image.h"
#include "raw_cuda.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {
namespace {

using test::Application;
using test::current_context;
using test::raw_cuda;
using test::succeed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Function>
Function* of_stand_in(const char* name) {
  static void* const library = dlopen(kLibcuda.c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, name));
}
fakes::FakeCuda& driver() { return *of_stand_in<fakes::FakeCuda*()>("wattune_fake_cuda")(); }
std::size_t stack() { return of_stand_in<std::size_t()>("wattune_fake_cuda_stack")(); }

// An image as a compile process makes it.
const Image kAnImage{.code = std::string(fakes::kImageMark) + "\nkernel noop noop\n"};

// A context of the application, which is current, and a device attached to it.
class CudaAttach : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    driver().holds = true;
    succeed(raw_cuda().cuCtxCreate(&context, 0, 0));
    application.emplace(std::vector<float>{1, 2, 3, 4});
    before = driver().live();
    device = attach_cuda().value();
    stream = adopt_stream(*device, application->stream()).value();
    x = adopt_buffer(*device, application->x(), application->bytes()).value();
  }
  void TearDown() override {
    release();
    if (application) {
      EXPECT_EQ(driver().live(), before) << "more or less than what was made was released";
      application.reset();
    }
    if (context != nullptr) {
      succeed(raw_cuda().cuCtxDestroy(context));
    }
    EXPECT_EQ(stack(), 0u);
    driver().hangs_end = false;
  }

  void release() {
    program.reset();
    stream.reset();
    x.reset();
    device.reset();
  }

  std::unique_ptr<Kernel> build(const std::string& function) {
    program = device->build(cuda_source(kKernels, function), {}, kLimit).value();
    return program->kernel(function).value();
  }

  std::vector<LaunchArgument> doubling() const { return {x.get(), scalar(2.0f), scalar(4)}; }

  CUctx_st* context = nullptr;
  std::optional<Application> application;
  long before = 0;
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;  // adopted from the application
  std::unique_ptr<Buffer> x;       // adopted too
  std::unique_ptr<Program> program;
};

TEST_F(CudaAttach, FindsTheDeviceOfTheContext) {
  setenv("WATTUNE_FAKE_CUDA_DEVICES", "First,Second", 1);
  CUctx_st* second = nullptr;
  succeed(raw_cuda().cuCtxCreate(&second, 0, 1));
  EXPECT_EQ(attach_cuda().value()->info().selector, "cuda:1");  // device of the current context
  EXPECT_EQ(attach_cuda(context).value()->info().name, "First");
  EXPECT_EQ(current_context(), second);
  succeed(raw_cuda().cuCtxDestroy(second));
  unsetenv("WATTUNE_FAKE_CUDA_DEVICES");
}

TEST_F(CudaAttach, SaysWhatToDoWithoutAContext) {
  CUctx_st* popped = nullptr;
  succeed(raw_cuda().cuCtxPopCurrent(&popped));
  const auto attached = attach_cuda();
  ASSERT_FALSE(attached);
  EXPECT_EQ(attached.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(attached.error().to_string(), HasSubstr("cudaFree(0)"));
  succeed(raw_cuda().cuCtxPushCurrent(popped));
}

TEST_F(CudaAttach, IsNeverReset) {
  const Error refused = device->reset().error();
  EXPECT_EQ(refused.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(refused.to_string(), HasSubstr("application's context"));
  EXPECT_TRUE(device->create_buffer(4));  // still alive
}

TEST_F(CudaAttach, SendsToAnAdoptedStreamAtOnceAndNeverHoldsIt) {
  const auto kernel = build("scale");
  const long launches = driver().launches;
  const long held = driver().held_streams;
  for (int i = 0; i < 3; ++i) stream->launch(*kernel, {}, doubling()).value();
  EXPECT_EQ(driver().launches, launches + 3);  // before any finish()
  application->raise(1.0f, application->stream());
  EXPECT_THAT(application->values(application->stream()), ElementsAre(9, 17, 25, 33));
  stream->fill(*x, std::byte{0}).value();
  EXPECT_THAT(application->values(application->stream()), ElementsAre(0, 0, 0, 0));
  stream->finish(kLimit).value();
  EXPECT_EQ(driver().held_streams, held);
}

TEST_F(CudaAttach, TimesLaunchesInAnAdoptedStream) {
  const auto kernel = build("scale");
  const auto event = stream->launch(*kernel, {.group_size = {32, 1, 1}}, doubling()).value();
  stream->finish(kLimit).value();
  EXPECT_NEAR(event->duration().value().value(), 32e3, 1.0);
  Counters& counters = *device->counters().value();
  EXPECT_EQ(counters.count(*stream, {"anything"}, kLimit).error().code(), ErrorCode::unavailable);
}

TEST_F(CudaAttach, TellsMomentsOfAdoptedAndOwnStreamsOnOneClock) {
  const auto kernel = build("scale");
  const auto own = device->create_stream().value();
  const auto adopted = stream->launch(*kernel, {.group_size = {32, 1, 1}}, doubling()).value();
  own->wait_for(*adopted).value();
  const auto after = own->launch(*kernel, {.group_size = {64, 1, 1}}, doubling()).value();
  device->finish(std::array{stream.get(), own.get()}, {.limit = kLimit}).value();
  EXPECT_TRUE(adopted->ready().value());
  EXPECT_NEAR((adopted->end().value() - adopted->start().value()).value(), 32e3, 20.0);
  EXPECT_NEAR((after->start().value() - adopted->end().value()).value(), 0.0, 20.0);
}

TEST_F(CudaAttach, AnAdoptedStreamWaitsAtOnceForWhatIsHandedOver) {
  const auto kernel = build("scale");
  const auto own = device->create_stream().value();
  const auto awaited = own->launch(*kernel, {.group_size = {500, 1, 1}}, doubling()).value();
  const long launches = driver().launches;
  stream->wait_for(*awaited).value();
  EXPECT_EQ(driver().launches, launches + 1);
  const auto after = stream->launch(*kernel, {}, doubling()).value();
  device->finish(std::array{stream.get(), own.get()}, {.limit = kLimit}).value();
  EXPECT_GT(after->start().value().value(), awaited->end().value().value() - 20.0);
}

// If it were held, another thread of the application that frees memory or loads code would wait for it, and its own
// launches would wait behind that thread.
TEST_F(CudaAttach, NoStreamOfItsOwnIsHeld) {
  const auto kernel = build("scale");
  const auto own = device->create_stream().value();
  const long held = driver().held_streams;
  for (int i = 0; i < 2; ++i) own->launch(*kernel, {}, doubling()).value();
  own->finish(kLimit).value();
  EXPECT_EQ(driver().held_streams, held);
}

// The transfer's turn may come much later, while the application expects its stream to go on.
TEST_F(CudaAttach, AnAdoptedStreamDoesNotWaitForWhatIsBehindATransfer) {
  const auto kernel = build("scale");
  const auto own = device->create_stream().value();
  own->launch(*kernel, {}, doubling()).value();
  std::vector<float> found(4);
  own->read(*x, std::as_writable_bytes(std::span(found))).value();
  const auto behind = own->launch(*kernel, {}, doubling()).value();
  const Error refused = stream->wait_for(*behind).error();
  EXPECT_EQ(refused.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(refused.to_string(), HasSubstr("finish the stream of that launch first"));
  own->finish(kLimit).value();
  EXPECT_TRUE(stream->wait_for(*behind));
  EXPECT_THAT(found, ElementsAre(2, 4, 6, 8));
}

TEST_F(CudaAttach, AdoptedMemoryHasNoGuardZones) {
  EXPECT_EQ(x->bytes(), 16u);
  EXPECT_THAT(stream->check_guards(*x, kLimit).value(), ElementsAre(0u, 0u));
  const auto guarded = device->create_buffer(1001).value();
  const auto kernel = build("overrun");
  const std::vector<LaunchArgument> arguments{guarded.get(), scalar(1001)};
  stream->launch(*kernel, {}, arguments).value();
  EXPECT_THAT(stream->check_guards(*guarded, kLimit).value(), ElementsAre(1u, 3u));
}

TEST_F(CudaAttach, RefusesStreamsAndMemoryOfElsewhere) {
  CUctx_st* other = nullptr;
  succeed(raw_cuda().cuCtxCreate(&other, 0, 0));
  CUstream_st* elsewhere = nullptr;
  succeed(raw_cuda().cuStreamCreate(&elsewhere, 0));
  const auto stranger = adopt_stream(*device, elsewhere);
  EXPECT_EQ(stranger.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(stranger.error().to_string(), HasSubstr("attach to the stream's own context"));
  succeed(raw_cuda().cuCtxDestroy(other));
  float host = 0.0f;
  const auto unknown = adopt_buffer(*device, reinterpret_cast<std::uint64_t>(&host), sizeof host);
  EXPECT_EQ(unknown.error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(adopt_buffer(*device, 0, 4).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(adopt_buffer(*device, 0, 0).value()->bytes(), 0u);
}

TEST_F(CudaAttach, OnlyDevicesOfCudaAdoptItsStreams) {
  const auto host = open_device("host:0");
  if (!host) GTEST_SKIP() << host.error().to_string();
  EXPECT_THAT(adopt_stream(**host, application->stream()).error().to_string(), HasSubstr("host:0 is no CUDA device"));
  EXPECT_EQ(adopt_buffer(**host, application->x(), 4).error().code(), ErrorCode::invalid_argument);
  const auto opened = open_device("cuda:0").value();  // in a context of its own
  EXPECT_EQ(adopt_stream(*opened, application->stream()).error().code(), ErrorCode::invalid_argument);
}

// Both attachments are to the same context.
TEST_F(CudaAttach, RefusesObjectsOfAnotherAttachment) {
  const auto again = attach_cuda().value();
  const auto own = again->create_stream().value();
  const auto kernel = build("weigh");
  const auto weights = device->create_buffer(16).value();
  const auto foreign = again->create_buffer(16).value();
  EXPECT_EQ(own->fill(*x, std::byte{0}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(own->launch(*kernel, {}, {}).error().code(), ErrorCode::invalid_argument);
  const auto with = [&](const Buffer* buffer, const Buffer* constant) {
    return std::vector<LaunchArgument>{buffer, ConstantBuffer{"weights", constant}, scalar(4)};
  };
  EXPECT_TRUE(stream->prepare(*kernel, {}, with(x.get(), weights.get())));
  EXPECT_THAT(stream->prepare(*kernel, {}, with(foreign.get(), weights.get())).error().to_string(),
              HasSubstr("the buffer of argument 1 of kernel `weigh` was made by cuda:0"));
  EXPECT_THAT(stream->prepare(*kernel, {}, with(x.get(), foreign.get())).error().to_string(),
              HasSubstr("the buffer of argument 2"));
  EXPECT_THAT(stream->prepare(*kernel, {}, with(x.get(), nullptr)).error().to_string(),
              HasSubstr("constant symbol `weights` is given no buffer"));
}

TEST_F(CudaAttach, SaysThatABrokenContextIsGone) {
  const auto kernel = build("illegal");
  const auto launch = stream->prepare(*kernel, {}, {}).value();
  launch->send().value();
  EXPECT_EQ(stream->finish(kLimit).error().code(), ErrorCode::device_lost);
  for (const Error& error : {stream->finish(kLimit).error(), launch->send().error(), device->create_buffer(4).error(),
                             device->create_stream().error(), stream->fill(*x, std::byte{0}).error(),
                             adopt_stream(*device, application->stream()).error()}) {
    EXPECT_EQ(error.code(), ErrorCode::device_lost);
    EXPECT_THAT(error.to_string(), HasSubstr("the application's context on cuda:0 is broken"));
  }
  EXPECT_EQ(device->reset().error().code(), ErrorCode::invalid_argument);
}

TEST_F(CudaAttach, SurvivesAContextThatTheApplicationDestroyed) {
  const auto own = device->create_stream().value();
  const auto buffer = device->create_buffer(4).value();
  application.reset();
  succeed(raw_cuda().cuCtxDestroy(std::exchange(context, nullptr)));
  EXPECT_EQ(buffer->bytes(), 4u);
  EXPECT_EQ(device->create_buffer(4).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(own->finish(kLimit).error().code(), ErrorCode::device_lost);
}

TEST_F(CudaAttach, ATimeoutBreaksNothing) {
  const auto hang = build("hang");
  stream->launch(*hang, {}, {}).value();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(stream->finish(nanoseconds_from_ms(5)).error().code(), ErrorCode::timeout);
  EXPECT_TRUE(device->create_buffer(4));
  driver().hangs_end = true;
  EXPECT_TRUE(stream->finish(kLimit));
  stream->fill(*x, std::byte{0}).value();
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(0, 0, 0, 0));
}

// A caller that waited in vain may free the memory that the commands would use.
TEST_F(CudaAttach, ATimeoutDropsWhatWasNotSent) {
  const auto hang = build("hang");
  const auto own = device->create_stream().value();
  own->launch(*hang, {}, {}).value();
  std::vector<float> found(4);
  own->read(*x, std::as_writable_bytes(std::span(found))).value();
  const auto behind = own->launch(*hang, {}, {}).value();
  EXPECT_EQ(own->finish(nanoseconds_from_ms(5)).error().code(), ErrorCode::timeout);
  EXPECT_EQ(behind->ready().error().code(), ErrorCode::timeout);
  driver().hangs_end = true;
  EXPECT_TRUE(own->finish(kLimit));
  EXPECT_THAT(found, ElementsAre(0, 0, 0, 0));
}

// Permission for more shared memory than every kernel may have is never taken back.
TEST_F(CudaAttach, TakesBackNoPermissionThatAPreparedLaunchNeeds) {
  driver().allowed_dynamic_bytes = 48 * 1024;
  const auto kernel = build("noop");
  const std::vector<LaunchArgument> much{LocalBytes{100'000}};
  const std::vector<LaunchArgument> less{LocalBytes{60'000}};
  const auto launch = stream->prepare(*kernel, {}, much).value();
  EXPECT_TRUE(stream->launch(*kernel, {}, less));
  EXPECT_TRUE(launch->send());
}

TEST_F(CudaAttach, APreparedLaunchTakesOtherMemoryAndScalars) {
  const auto kernel = build("scale");
  const Application other(std::vector<float>{1, 1, 1, 1});
  const auto launch = stream->prepare(*kernel, {}, doubling()).value();
  launch->send().value();
  launch->set_memory(0, other.x()).value();
  const float three = 3.0f;
  launch->set_scalar(1, std::as_bytes(std::span(&three, 1))).value();
  launch->send().value();
  EXPECT_THAT(application->values(application->stream()), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(other.values(other.stream()), ElementsAre(3, 3, 3, 3));
  EXPECT_EQ(launch->set_memory(1, other.x()).error().code(), ErrorCode::unavailable);
  EXPECT_EQ(launch->set_memory(7, other.x()).error().code(), ErrorCode::unavailable);
  EXPECT_EQ(launch->set_scalar(0, std::as_bytes(std::span(&three, 1))).error().code(), ErrorCode::invalid_argument);
  const double wide = 3.0;
  EXPECT_THAT(launch->set_scalar(1, std::as_bytes(std::span(&wide, 1))).error().to_string(),
              HasSubstr("argument 2 of kernel `scale` is no scalar of 8 bytes"));
}

TEST_F(CudaAttach, APreparedLaunchCopiesOtherMemoryIntoItsConstants) {
  const auto kernel = build("weigh");
  const Application weights(std::vector<float>{5, 6, 7, 8});
  const auto first = adopt_buffer(*device, application->x(), application->bytes()).value();
  const Application result(std::vector<float>{0, 0, 0, 0});
  const auto to = adopt_buffer(*device, result.x(), result.bytes()).value();
  const std::vector<LaunchArgument> arguments{to.get(), scalar(4), ConstantBuffer{"weights", first.get()}};
  const auto launch = stream->prepare(*kernel, {}, arguments).value();
  launch->set_memory(2, weights.x()).value();
  launch->send().value();
  EXPECT_THAT(result.values(application->stream()), ElementsAre(5, 6, 7, 8));
}

TEST_F(CudaAttach, APreparedLaunchIsTimedWhenItIsAsked) {
  const auto kernel = build("scale");
  const auto launch = stream->prepare(*kernel, {.group_size = {64, 1, 1}}, doubling()).value();
  launch->send().value();
  const long events = driver().events;
  {
    const auto event = launch->send_timed().value();
    stream->finish(kLimit).value();
    EXPECT_TRUE(event->ready().value());
    EXPECT_NEAR(event->duration().value().value(), 64e3, 1.0);  // a microsecond for each thread of a block
  }
  EXPECT_EQ(driver().events, events + 1);  // the clock's mark stays
  EXPECT_THAT(application->values(application->stream()), ElementsAre(4, 8, 12, 16));
}

TEST_F(CudaAttach, WhatIsHeldBackKeepsWhatItWasPreparedWith) {
  const auto kernel = build("scale");
  const auto own = device->create_stream().value();
  const std::array<float, 4> ones{1, 1, 1, 1};
  own->write(*x, std::as_bytes(std::span(ones))).value();
  const auto launch = own->prepare(*kernel, {}, doubling()).value();
  launch->send().value();
  const auto event = launch->send_timed().value();
  const float three = 3.0f;
  launch->set_scalar(1, std::as_bytes(std::span(&three, 1))).value();
  launch->send().value();
  own->finish(kLimit).value();
  EXPECT_THAT(application->values(application->stream()), ElementsAre(12, 12, 12, 12));  // 1 * 2 * 2 * 3
}

TEST_F(CudaAttach, SaysWhatAStreamIsDoing) {
  const auto kernel = build("scale");
  EXPECT_EQ(stream->state().value(), StreamState::idle);
  application->raise(1.0f, application->stream());
  EXPECT_EQ(stream->state().value(), StreamState::busy);  // counts the application's own commands too
  EXPECT_EQ(stream->state().value(), StreamState::idle);
  EXPECT_FALSE(stream->is_capturing());
  const auto own = device->create_stream().value();
  own->launch(*kernel, {}, doubling()).value();
  EXPECT_EQ(own->state().value(), StreamState::busy);  // though nothing was sent
  own->finish(kLimit).value();
  EXPECT_EQ(own->state().value(), StreamState::idle);
}

TEST_F(CudaAttach, CapturesPreparedLaunchesIntoGraphs) {
  const auto kernel = build("scale");
  const auto launch = stream->prepare(*kernel, {}, doubling()).value();
  succeed(raw_cuda().cuStreamBeginCapture(application->stream(), cuda::CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_TRUE(stream->is_capturing());
  EXPECT_EQ(stream->state().value(), StreamState::capturing);
  launch->send().value();
  cuda::CUgraph graph = nullptr;
  succeed(raw_cuda().cuStreamEndCapture(application->stream(), &graph));
  EXPECT_THAT(application->values(nullptr), ElementsAre(1, 2, 3, 4));  // it did not run
  cuda::CUgraphExec exec = nullptr;
  succeed(raw_cuda().cuGraphInstantiate(&exec, graph, 0));
  succeed(raw_cuda().cuGraphLaunch(exec, application->stream()));
  EXPECT_THAT(application->values(application->stream()), ElementsAre(2, 4, 6, 8));
  succeed(raw_cuda().cuGraphExecDestroy(exec));
  succeed(raw_cuda().cuGraphDestroy(graph));
}

// A thread loads code while another thread of the application captures.
TEST_F(CudaAttach, WorksBesideACaptureInRelaxedModeAlone) {
  const auto loads = [&] { return device->load(kAnImage, {}, kLimit).has_value(); };
  const Application other(std::vector<float>{1});
  const auto second = adopt_stream(*device, other.stream()).value();
  const auto in_thread = [&](const std::function<void()>& work) { std::thread(work).join(); };
  const auto capture = [&](const std::function<void()>& meanwhile) {
    succeed(raw_cuda().cuStreamBeginCapture(application->stream(), cuda::CU_STREAM_CAPTURE_MODE_GLOBAL));
    in_thread(meanwhile);
    cuda::CUgraph graph = nullptr;
    const cuda::CUresult code = raw_cuda().cuStreamEndCapture(application->stream(), &graph);
    if (graph != nullptr) raw_cuda().cuGraphDestroy(graph);
    return code == cuda::CUDA_SUCCESS;
  };
  EXPECT_FALSE(capture([&] { EXPECT_FALSE(loads()); }));
  EXPECT_TRUE(capture([&] {
    const RelaxedCapture relaxed;
    EXPECT_TRUE(loads());
  }));
  EXPECT_TRUE(capture([&] { EXPECT_EQ(second->state().value(), StreamState::idle); }));
  EXPECT_FALSE(capture([&] {
    { const RelaxedCapture relaxed; }
    EXPECT_FALSE(loads());  // the thread's mode was restored
  }));
}

TEST_F(CudaAttach, SaysHowMuchMemoryThereIs) {
  EXPECT_EQ(memory_bytes(*device, application->x(), 1000).value(), application->bytes());
  EXPECT_EQ(memory_bytes(*device, application->x() + 4, 1000).value(), application->bytes() - 4);
  EXPECT_EQ(memory_bytes(*device, 8, 1).error().code(), ErrorCode::not_found);
  EXPECT_EQ(x->memory(), application->x());
}

}  // namespace
}  // namespace wattune::backend
