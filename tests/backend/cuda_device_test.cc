// The CUDA device on a real GPU, in a worker, as the tuner uses it.
#include "backend/support.h"
#include "device/gpu.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

using device_test::reason_for_none;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kKernels[] = R"(
__constant__ float weights[4];
extern "C" __global__ void scale(float* y, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= factor;
}
extern "C" __global__ void weigh(float* y) { y[threadIdx.x] = weights[threadIdx.x]; }
extern "C" __global__ void illegal(float* y) { *reinterpret_cast<volatile float*>(16ull << 40) = 1.0f; }
extern "C" __global__ void misaligned(float* y) {
  *reinterpret_cast<volatile double*>(reinterpret_cast<char*>(y) + 1) = 1.0;
}
extern "C" __global__ void loop(volatile float* y) { while (y[0] >= 0.0f) {} }
extern "C" __global__ void overrun(char* y, int n) {
  for (int i = 0; i < 3; ++i) y[n + i] ^= 1;
  y[-1] ^= 1;
}
extern "C" __global__ void reversed(float* y, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = y[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tile[n - 1 - i];
}
extern "C" __global__ void cluster_rank(unsigned* y) {
#if __CUDA_ARCH__ >= 900
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  y[blockIdx.x] = rank;
#endif
}
extern "C" __global__ void sample(float* y, cudaTextureObject_t plane, cudaTextureObject_t volume,
                                  cudaTextureObject_t linear, cudaTextureObject_t bytes) {
  y[0] = tex2D<float>(plane, 1.5f, 0.5f);
  y[1] = tex2D<float>(plane, 9.5f, 2.5f);
  y[2] = tex2D<float>(plane, 1.0f, 0.5f);
  y[3] = tex3D<float>(volume, 0.75f, 0.25f, 0.75f);
  y[4] = tex1Dfetch<float>(linear, 2);
  const float4 pixel = tex2D<float4>(bytes, 0.5f, 0.5f);
  y[5] = pixel.y;
  y[6] = pixel.z;
}
extern "C" __global__ void paint(cudaSurfaceObject_t surface) {
  surf2Dwrite(10.0f * threadIdx.y + threadIdx.x, surface, threadIdx.x * sizeof(float), threadIdx.y);
}
extern "C" __global__ void is_null(float* y, const float* x) { y[0] = x == nullptr ? 1.0f : 2.0f; }
extern "C" __global__ void spin(float* y, long long cycles, float factor) {
  for (const long long begin = clock64(); clock64() - begin < cycles;) {}
  y[0] *= factor;
}
template <int N, typename T>
__global__ void fill(T* y) { y[threadIdx.x] = N; }
extern "C" __global__ void large(float* y) {
  float kept[512];
  for (int i = 0; i < 512; ++i) kept[i] = y[i] * i;
  for (int i = 0; i < 512; ++i) y[i] = kept[static_cast<int>(kept[511 - i]) & 511];
}
)";

class CudaDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!reason_for_none().empty()) GTEST_SKIP() << reason_for_none();
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    device = open_device_in_worker("cuda:0", options).value();
    prepare();
  }

  void prepare() {
    stream = device->create_stream().value();
    y = buffer_with<float>(*device, *stream, iota(1024));
  }

  Result<std::unique_ptr<Kernel>> kernel(const std::string& function, const std::vector<Macro>& macros = {}) {
    KernelSource source = source_of(kKernels);
    source.language = Language::cuda;
    source.function = function;
    WATTUNE_ASSIGN(program, device->build(source, macros, kLimit));
    return program->kernel(function);
  }

  Result<Nanoseconds> run(const std::string& function, const std::vector<LaunchArgument>& arguments,
                          const Geometry3& geometry = {}, Nanoseconds limit = kLimit) {
    WATTUNE_ASSIGN(const auto made, kernel(function));
    WATTUNE_ASSIGN(const auto event, stream->launch(*made, geometry, arguments));
    WATTUNE_TRY(stream->finish(limit));
    return event->duration();
  }

  void expect_good_results() {
    const auto time =
        run("scale", {y.get(), scalar(2.0f), scalar(1024)}, {.groups = {8, 1, 1}, .group_size = {128, 1, 1}});
    ASSERT_TRUE(time) << time.error().to_string();
    EXPECT_GT(time->value(), 0.0);
    std::vector<float> expected = iota(1024);
    for (float& value : expected) value *= 2.0f;
    EXPECT_EQ(contents_of<float>(*y, *stream), expected);
  }

  void expect_recovery() {
    device->reset().value();
    prepare();
    expect_good_results();
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Buffer> y;
};

PixelLayout float_pixels(ImageType type, std::array<std::size_t, 3> sizes) {
  return {.type = type, .sizes = sizes, .channel = ElementType::float32, .channels = 1, .order = ChannelOrder::r};
}

TEST_F(CudaDevice, DescribesItselfCompletely) {
  const DeviceInfo& info = device->info();
  EXPECT_EQ(info.kind, DeviceKind::gpu);
  EXPECT_THAT(info.name, Not(IsEmpty()));
  EXPECT_THAT(info.architecture, HasSubstr("sm_"));
  EXPECT_GT(info.compute_units, 0u);
  EXPECT_GT(info.global_memory_bytes, 0u);
  EXPECT_GE(info.local_memory_bytes, 48u * 1024u);
  EXPECT_EQ(info.max_work_group_size, 1024u);
}

TEST_F(CudaDevice, Computes) { expect_good_results(); }

TEST_F(CudaDevice, TellsWhatAKernelTakes) {
  const auto small = kernel("scale").value()->resources(128, 0).value();
  EXPECT_GT(small.registers.value(), 0u);
  EXPECT_EQ(small.private_bytes, 0u);
  EXPECT_EQ(small.static_local_bytes, 0u);
  EXPECT_GT(small.binary_bytes.value(), 0u);
  EXPECT_GT(small.occupancy.value(), 0.5);
  const auto large = kernel("large").value()->resources(128, 0).value();
  EXPECT_GE(large.private_bytes.value(), 512u * 4u);  // for the array
}

TEST_F(CudaDevice, RunsTemplateInstancesWithParametersInTheirNames) {
  const auto made = kernel("fill<VALUE, float>", {{"VALUE", "7"}});
  ASSERT_TRUE(made) << made.error().to_string();
  const LaunchArgument argument = y.get();
  stream->launch(**made, {.group_size = {1024, 1, 1}}, std::span(&argument, 1)).value();
  EXPECT_THAT(contents_of<float>(*y, *stream), Each(7.0f));
}

TEST_F(CudaDevice, ListsTheKernelsThatExist) {
  const auto none = kernel("scal");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().to_string(), HasSubstr("did you mean `scale`?"));
}

TEST_F(CudaDevice, FillsConstantSymbolsBeforeTheLaunch) {
  const auto weights = buffer_with<float>(*device, *stream, {4, 3, 2, 1});
  const auto out = buffer_with<float>(*device, *stream, std::vector<float>(4));
  const auto time = run("weigh", {out.get(), ConstantBuffer{"weights", weights.get()}}, {.group_size = {4, 1, 1}});
  ASSERT_TRUE(time) << time.error().to_string();
  EXPECT_THAT(contents_of<float>(*out, *stream), ElementsAre(4, 3, 2, 1));
}

TEST_F(CudaDevice, GivesMoreThan48KibibytesOfSharedMemory) {
  const std::size_t bytes = 80 * 1024;
  if (device->info().local_memory_bytes < bytes) GTEST_SKIP() << "the device has no 80 KiB of shared memory";
  const int n = static_cast<int>(bytes / sizeof(float));
  const auto large = buffer_with<float>(*device, *stream, iota(bytes / sizeof(float)));
  const auto time = run("reversed", {large.get(), scalar(n), LocalBytes{bytes}}, {.group_size = {256, 1, 1}});
  ASSERT_TRUE(time) << time.error().to_string();
  std::vector<float> expected = iota(bytes / sizeof(float));
  std::ranges::reverse(expected);
  EXPECT_EQ(contents_of<float>(*large, *stream), expected);
}

TEST_F(CudaDevice, LaunchesClusters) {
  if (device->info().architecture < "sm_90") GTEST_SKIP() << "no clusters before sm_90";
  const auto ranks = buffer_with<unsigned>(*device, *stream, std::vector<unsigned>(8, 99));
  const auto time = run("cluster_rank", {ranks.get()}, {.groups = {8, 1, 1}, .cluster = {4, 1, 1}});
  ASSERT_TRUE(time) << time.error().to_string();
  EXPECT_THAT(contents_of<unsigned>(*ranks, *stream), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST_F(CudaDevice, LaunchesCooperatively) {
  const std::vector<LaunchArgument> arguments{y.get(), scalar(2.0f), scalar(1024)};
  EXPECT_TRUE(run("scale", arguments, {.groups = {8, 1, 1}, .group_size = {128, 1, 1}, .cooperative = true}));
  const auto too_large =
      run("scale", arguments, {.groups = {1'000'000, 1, 1}, .group_size = {1024, 1, 1}, .cooperative = true});
  EXPECT_EQ(too_large.error().code(), ErrorCode::launch_failed);
}

TEST_F(CudaDevice, FindsWritesOutOfBoundsOnBothSides) {
  const auto buffer = device->create_buffer(1001).value();
  ASSERT_TRUE(run("overrun", {buffer.get(), scalar(1001)}));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(1u, 3u));
  EXPECT_THAT(stream->check_guards(*buffer, kLimit).value(), ElementsAre(0u, 0u));
}

TEST_F(CudaDevice, SurvivesAnIllegalAddress) {
  const auto result = run("illegal", {y.get()});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::device_lost);
  EXPECT_EQ(result.error().native_name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  expect_recovery();
}

TEST_F(CudaDevice, SurvivesAMisalignedAddress) {
  const auto result = run("misaligned", {y.get()});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().native_name(), "CUDA_ERROR_MISALIGNED_ADDRESS");
  expect_recovery();
}

TEST_F(CudaDevice, EndsAnEndlessLoopAtTheLimit) {
  const auto result = run("loop", {y.get()}, {}, nanoseconds_from_ms(500));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::timeout);
  expect_recovery();
}

TEST_F(CudaDevice, SaysWhenMemoryRunsOut) {
  const std::size_t most = *device->info().global_memory_bytes / 2 + (std::size_t{1} << 30);
  const auto first = device->create_buffer(most);
  const auto second = device->create_buffer(most);
  EXPECT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::unavailable);
}

// There are 8 blocks of 4 warps. The throughput takes several passes, each of which begins with the same numbers.
TEST_F(CudaDevice, CountsWhatTheHardwareDoesDuringALaunch) {
  const auto pristine = buffer_with<float>(*device, *stream, iota(1024));
  const auto made = kernel("scale").value();
  stream->copy(*pristine, *y).value();
  const std::vector<LaunchArgument> arguments{y.get(), scalar(2.0f), scalar(1024)};
  stream->launch(*made, {.groups = {8, 1, 1}, .group_size = {128, 1, 1}}, arguments).value();
  const auto counted = device->counters().value()->count(
      *stream, {"smsp__warps_launched.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"}, kLimit);
  if (!counted && counted.error().code() == ErrorCode::unavailable) GTEST_SKIP() << counted.error().to_string();
  ASSERT_TRUE(counted) << counted.error().to_string();
  ASSERT_EQ(counted->size(), 2u);
  EXPECT_EQ((*counted)[0], (Metric{"smsp__warps_launched.sum", 32.0, "warp"}));
  EXPECT_GT((*counted)[1].value, 0.0);
  EXPECT_LT((*counted)[1].value, 100.0);
  EXPECT_EQ(contents_of<float>(*y, *stream)[1000], 2000.0f);
  EXPECT_GT(device->counters().value()->list().value().size(), 1000u);
}

// The driver is in this process, so the test shows what a reset restores without a new process.
TEST_F(CudaDevice, InThisProcessAResetEndsTheBrokenContext) {
  device = open_device("cuda:0").value();
  prepare();
  EXPECT_EQ(run("illegal", {y.get()}).error().code(), ErrorCode::device_lost);
  EXPECT_EQ(device->create_buffer(4).error().code(), ErrorCode::device_lost);
  const auto back = device->reset();
  if (!back) {
    EXPECT_EQ(back.error().code(), ErrorCode::unavailable);  // if this driver serves the process no more, it says so
    return;
  }
  prepare();
  expect_good_results();
}

// Pixel i is i. Between two pixels the linear filter gives their mean; beyond the edge the last pixel is meant.
TEST_F(CudaDevice, KernelsSampleTextures) {
  PixelLayout plane = float_pixels(ImageType::image2d, {2, 3, 1});
  plane.sampling.filter = FilterMode::linear;
  PixelLayout volume = float_pixels(ImageType::image3d, {2, 2, 2});
  volume.sampling = {.address = AddressMode::repeat, .normalized_coordinates = true};
  const PixelLayout linear = float_pixels(ImageType::image1d_buffer, {4, 1, 1});
  const PixelLayout bytes{
      .sizes = {1, 1, 1}, .channel = ElementType::uint8, .channels = 4, .normalized_channels = true};
  std::vector<std::unique_ptr<Buffer>> textures;
  for (const PixelLayout& layout : {plane, volume, linear}) {
    textures.push_back(device->create_pixel_buffer(layout).value());
    const std::vector<float> values = iota(bytes_of(layout) / sizeof(float));
    stream->write(*textures.back(), std::as_bytes(std::span(values))).value();
    stream->finish(kLimit).value();
  }
  const std::array<unsigned char, 4> pixel{0, 255, 51, 0};
  textures.push_back(device->create_pixel_buffer(bytes).value());
  stream->write(*textures.back(), std::as_bytes(std::span(pixel))).value();
  stream->finish(kLimit).value();
  const auto time =
      run("sample", {y.get(), textures[0].get(), textures[1].get(), textures[2].get(), textures[3].get()});
  ASSERT_TRUE(time) << time.error().to_string();
  const std::vector<float> found = contents_of<float>(*y, *stream);
  EXPECT_THAT(std::span(found).first(7), ElementsAre(1.0f, 5.0f, 0.5f, 5.0f, 2.0f, 1.0f, ::testing::FloatEq(0.2f)));
}

TEST_F(CudaDevice, KernelsWriteSurfaces) {
  PixelLayout layout = float_pixels(ImageType::image2d, {2, 2, 1});
  layout.written = true;
  const auto surface = device->create_pixel_buffer(layout).value();
  const auto time = run("paint", {surface.get()}, {.group_size = {2, 2, 1}});
  ASSERT_TRUE(time) << time.error().to_string();
  EXPECT_THAT(contents_of<float>(*surface, *stream), ElementsAre(0, 1, 10, 11));
  const auto copy = device->create_pixel_buffer(layout).value();
  stream->fill(*copy, std::byte{0}).value();
  stream->copy(*surface, *copy).value();
  EXPECT_THAT(contents_of<float>(*copy, *stream), ElementsAre(0, 1, 10, 11));
}

// Tests with kernels of one block that run some 10 ms.
class CudaDeviceStreams : public CudaDevice {
 protected:
  void SetUp() override {
    CudaDevice::SetUp();
    if (IsSkipped()) return;
    other = device->create_stream().value();
    z = buffer_with<float>(*device, *stream, {1});
    spinning = kernel("spin").value();
    spin(*stream, *z, 1.0f);  // a kernel's first launch may have to wait
    stream->finish(kLimit).value();
  }

  std::unique_ptr<Event> spin(Stream& in, const Buffer& changed, float factor) {
    constexpr long long kCycles = 20'000'000;
    const std::vector<LaunchArgument> arguments{&changed, scalar(kCycles), scalar(factor)};
    return in.launch(*spinning, {}, arguments).value();
  }
  Result<std::vector<SensorSample>> finish_both(const Wait& wait = {.limit = kLimit}) {
    return device->finish(std::array{stream.get(), other.get()}, wait);
  }

  std::unique_ptr<Stream> other;
  std::unique_ptr<Buffer> z;
  std::unique_ptr<Kernel> spinning;
};

TEST_F(CudaDeviceStreams, OverlapIsSeenInTheEvents) {
  const auto one = spin(*stream, *y, 1.0f);
  const auto two = spin(*other, *z, 1.0f);
  ASSERT_TRUE(finish_both());
  EXPECT_LT(one->start().value(), two->end().value());
  EXPECT_LT(two->start().value(), one->end().value());
  const Nanoseconds longest = std::max(one->duration().value(), two->duration().value());
  const Nanoseconds together =
      std::max(one->end().value(), two->end().value()) - std::min(one->start().value(), two->start().value());
  EXPECT_LT(together, 1.5 * longest);
  for (const auto* event : {&one, &two})
    EXPECT_NEAR(((*event)->end().value() - (*event)->start().value()).value(), (*event)->duration().value().value(),
                1.0);
}

TEST_F(CudaDeviceStreams, WaitForEachOther) {
  const auto made = spin(*stream, *z, 3.0f);
  other->wait_for(*made).value();
  const auto used = spin(*other, *z, 2.0f);
  stream->wait_for(*used).value();
  const auto last = spin(*stream, *z, 5.0f);
  ASSERT_TRUE(finish_both());
  constexpr Nanoseconds kExact{500};
  EXPECT_GT(used->start().value(), made->end().value() - kExact);
  EXPECT_GT(last->start().value(), used->end().value() - kExact);
  EXPECT_EQ(contents_of<float>(*z, *stream)[0], 30.0f);
}

TEST_F(CudaDeviceStreams, SubmitWithoutWaiting) {
  const auto event = spin(*stream, *z, 3.0f);
  stream->submit().value();
  EXPECT_FALSE(event->ready().value());
  ASSERT_TRUE(test::wait_until([&] { return event->ready().value(); }));
  EXPECT_GT(event->duration().value(), Nanoseconds());
  EXPECT_EQ(contents_of<float>(*z, *stream)[0], 3.0f);
}

TEST_F(CudaDeviceStreams, AKernelThatHangsAfterASubmitEndsAtTheLimit) {
  const auto endless = kernel("loop").value();
  const std::vector<LaunchArgument> arguments{y.get()};
  const auto event = stream->launch(*endless, {}, arguments).value();
  stream->submit().value();
  EXPECT_FALSE(event->ready().value());
  EXPECT_EQ(stream->finish(nanoseconds_from_ms(500)).error().code(), ErrorCode::timeout);
  expect_recovery();
}

// The time between two measurements may be long; they stay on one clock.
TEST_F(CudaDeviceStreams, KeepOneClockForLong) {
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 4; ++i) {
    events.push_back(spin(i % 2 == 0 ? *stream : *other, *z, 1.0f));
    ASSERT_TRUE(finish_both());
    usleep(300'000);
  }
  for (int i = 1; i < 4; ++i) {
    EXPECT_GT(events[i]->start().value() - events[i - 1]->end().value(), nanoseconds_from_ms(299)) << i;
    EXPECT_NEAR((events[i]->end().value() - events[i]->start().value()).value(), events[i]->duration().value().value(),
                1.0);
  }
}

TEST_F(CudaDeviceStreams, SampleSensorsWhileKernelsRun) {
  if (device->info().sensors.empty()) GTEST_SKIP() << "no sensors can be read";
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 20; ++i) events.push_back(spin(*stream, *z, 1.0f));
  const auto samples = finish_both({.limit = kLimit, .sample_every = nanoseconds_from_ms(20)}).value();
  ASSERT_GT(samples.size(), 3u);
  constexpr Nanoseconds kHost = nanoseconds_from_ms(5);  // between a reading and the moment that it is given
  EXPECT_LT(samples[1].at, events.back()->end().value());
  EXPECT_GT(samples.back().at, events.back()->end().value() - kHost);
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_GT(samples[i].at, samples[i - 1].at);
}

TEST_F(CudaDevice, KernelsGetNullPointers) {
  ASSERT_TRUE(run("is_null", {y.get(), static_cast<const Buffer*>(nullptr)}));
  EXPECT_EQ(contents_of<float>(*y, *stream).front(), 1.0f);
}

}  // namespace
}  // namespace wattune::backend
