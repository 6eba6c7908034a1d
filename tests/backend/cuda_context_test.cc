// The calling thread's current CUDA context is the same after every call as before. This is tested for calls that
// succeed or fail and for destructors, with a context of the application and without one.
#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"
#include "raw_cuda.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {
namespace {

using test::Application;
using test::current_context;
using test::raw_cuda;
using test::succeed;

// Returns the number of contexts on this thread's stack, which shows a context that is pushed and not popped.
std::size_t stack_depth() {
  static void* const library = dlopen(kLibcuda.c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<std::size_t (*)()>(dlsym(library, "wattune_fake_cuda_stack"))();
}

// A test with the parameter whether a context of the application is current.
class CurrentContext : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    if (GetParam()) succeed(raw_cuda().cuCtxCreate(&current, 0, 0));
  }
  void TearDown() override {
    expect_unchanged("the end");
    if (GetParam()) succeed(raw_cuda().cuCtxDestroy(current));
  }

  void expect_unchanged(const std::string& after) const {
    EXPECT_EQ(current_context(), current) << "after " << after;
    EXPECT_EQ(stack_depth(), GetParam() ? 1u : 0u) << "after " << after;
  }

  template <typename T>
  T keeps(const std::string& doing, T result) const {
    expect_unchanged(doing);
    return result;
  }

  // Calls everything that a device offers, then causes an error that breaks its context.
  void use(Device& device) {
    auto program = keeps("building", device.build(cuda_source(kKernels, "scale"), {}, kLimit)).value();
    auto kernel = keeps("finding a kernel", program->kernel("scale")).value();
    (void)keeps("a kernel that is missing", program->kernel("missing"));
    (void)keeps("resources", kernel->resources(128, 60'000));
    (void)keeps("a failing build", device.build(cuda_source("#error nonsense"), {}, kLimit));
    auto stream = keeps("making a stream", device.create_stream()).value();
    auto buffer = keeps("making a buffer", device.create_buffer(16)).value();
    (void)keeps("a buffer too large", device.create_buffer(std::size_t{60} << 20).has_value() &&
                                          device.create_buffer(std::size_t{60} << 20).has_value());
    auto pixels = keeps("making pixels", device.create_pixel_buffer({.sizes = {2, 2, 1}})).value();
    std::vector<std::byte> bytes(16);
    (void)keeps("writing", stream->write(*buffer, bytes));
    (void)keeps("filling", stream->fill(*buffer, std::byte{0}));
    (void)keeps("copying", stream->copy(*buffer, *buffer));
    const std::vector<LaunchArgument> arguments{buffer.get(), scalar(2.0f), scalar(4)};
    auto launch = keeps("preparing", stream->prepare(*kernel, {}, arguments)).value();
    auto event = keeps("launching", stream->launch(*kernel, {}, arguments)).value();
    (void)keeps("sending", launch->send());
    auto other = keeps("making another stream", device.create_stream()).value();
    (void)keeps("waiting for an event", other->wait_for(*event));
    (void)keeps("submitting", other->submit());
    (void)keeps("asking an event", event->ready());
    (void)keeps("finishing both", device.finish(std::array{stream.get(), other.get()}, {.limit = kLimit}));
    (void)keeps("reading a moment", event->end());
    (void)keeps("finishing", stream->finish(kLimit));
    (void)keeps("sending at once", launch->send());
    (void)keeps("reading a time", event->duration());
    (void)keeps("a launch that fails", stream->launch(*kernel, {}, {}));
    (void)keeps("guard zones", stream->check_guards(*buffer, kLimit));
    Counters& counters = *keeps("counters", device.counters()).value();
    (void)keeps("counting", counters.count(*stream, {"none"}, kLimit));
    (void)keeps("listing counters", counters.list());
    event.reset();
    launch.reset();
    other.reset();
    pixels.reset();
    expect_unchanged("releasing");
    break_context(device, *stream);
    stream.reset();
    kernel.reset();
    program.reset();
    buffer.reset();
    expect_unchanged("releasing what was lost");
  }

  void break_context(Device& device, Stream& stream) {
    const auto program = device.build(cuda_source(kKernels, "illegal"), {}, kLimit).value();
    const auto kernel = program->kernel("illegal").value();
    (void)keeps("launching what fails", stream.launch(*kernel, {}, {}));
    EXPECT_FALSE(keeps("a broken context", stream.finish(kLimit)));
    EXPECT_FALSE(keeps("a lost device", device.create_buffer(4)));
  }

  CUctx_st* current = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Current, CurrentContext, ::testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "the_applications" : "none"; });

TEST_P(CurrentContext, IsUnchangedByADeviceOfItsOwn) {
  auto device = keeps("opening", open_device("cuda:0")).value();
  use(*device);
  EXPECT_TRUE(keeps("resetting", device->reset()));
  use(*device);
  device.reset();
  expect_unchanged("closing");
}

TEST_P(CurrentContext, IsUnchangedByADeviceInAnotherContext) {
  CUctx_st* other = nullptr;
  succeed(raw_cuda().cuCtxCreate(&other, 0, 0));
  {
    Application application(std::vector<float>{1, 2, 3, 4});
    CUctx_st* popped = nullptr;
    succeed(raw_cuda().cuCtxPopCurrent(&popped));
    auto device = keeps("attaching", attach_cuda(other)).value();
    auto stream = keeps("adopting a stream", adopt_stream(*device, application.stream())).value();
    auto x = keeps("adopting a buffer", adopt_buffer(*device, application.x(), application.bytes())).value();
    (void)keeps("filling an adopted buffer", stream->fill(*x, std::byte{0}));
    (void)keeps("finishing an adopted stream", stream->finish(kLimit));
    use(*device);
    (void)keeps("resetting", device->reset());
    stream.reset();
    x.reset();
    device.reset();
    expect_unchanged("letting go");
    succeed(raw_cuda().cuCtxPushCurrent(other));
  }
  succeed(raw_cuda().cuCtxDestroy(other));
}

TEST_P(CurrentContext, IsUnchangedWhereThereIsNothingToAttachTo) {
  EXPECT_FALSE(keeps("a stream of no context", attach_cuda().has_value() && !GetParam()));
}

}  // namespace
}  // namespace wattune::backend
