// An attached device, its kernel and its buffers serve several threads, each with a stream of its own, on the stand-in
// for CUDA's driver.
#include <atomic>
#include <thread>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_image.h"
#include "raw_cuda.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {
namespace {

using test::raw_cuda;
using test::succeed;
using ::testing::Each;

// An image in the form that a compile process makes.
const Image kImage{.code = std::string(fakes::kImageMark) + "\nkernel scale scale 8 4 4\nkernel illegal illegal\n"};

constexpr int kElements = 16;

class AttachedDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    succeed(raw_cuda().cuCtxCreate(&context, 0, 0));
    device = attach_cuda().value();
    program = device->load(kImage, {}, kLimit).value();
    kernel = program->kernel("scale").value();
  }
  void TearDown() override {
    kernel.reset();
    program.reset();
    device.reset();
    succeed(raw_cuda().cuCtxDestroy(context));
  }

  // Runs the work in threads that have no current context.
  static void in_threads(const std::function<void()>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }

  CUctx_st* context = nullptr;
  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::unique_ptr<Kernel> kernel;
};

TEST_F(AttachedDevice, ServesThreadsWithStreamsOfTheirOwn) {
  in_threads([this] {
    const auto stream = device->create_stream().value();
    const auto x = buffer_with<float>(*device, *stream, std::vector<float>(kElements, 1.0f));
    const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f), scalar(kElements)};
    const auto launch = stream->prepare(*kernel, {}, arguments).value();
    for (int i = 0; i < 5; ++i) {
      launch->send().value();
      const auto event = stream->launch(*kernel, {}, arguments).value();
      stream->finish(kLimit).value();
      EXPECT_TRUE(event->duration());
    }
    EXPECT_TRUE(program->kernel("scale").value()->resources(32, 60'000));
    EXPECT_THAT(contents_of<float>(*x, *stream), Each(1024.0f));
  });
}

TEST_F(AttachedDevice, TellsEveryThreadThatItsContextIsGone) {
  std::atomic<int> lost = 0;
  in_threads([&] {
    const auto stream = device->create_stream();
    if (stream) {
      const auto illegal = program->kernel("illegal");
      if (illegal) (void)(*stream)->launch(**illegal, {}, {});
      (void)(*stream)->finish(kLimit);
    }
    lost += device->create_buffer(4).error().code() == ErrorCode::device_lost;
  });
  EXPECT_EQ(lost, 4);
}

}  // namespace
}  // namespace wattune::backend
