// Textures and surfaces of the CUDA device, on the stand-in for its driver.
#include <dlfcn.h>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;

constexpr char kPixelKernels[] = R"(
extern "C" __global__ void sample(float* x, cudaTextureObject_t texture, int n) {}
extern "C" __global__ void paint(cudaSurfaceObject_t surface, int n) {}
)";

class CudaPixelBuffers : public ::testing::Test {
 protected:
  void SetUp() override {
    device = open_device("cuda:0").value();
    stream = device->create_stream().value();
  }

  static fakes::FakeCuda& driver() {
    void* const library = dlopen(kLibcuda.c_str(), RTLD_NOW);
    return *reinterpret_cast<fakes::FakeCuda* (*)()>(dlsym(library, "wattune_fake_cuda"))();
  }

  std::unique_ptr<Buffer> iota_in(const PixelLayout& layout) {
    auto pixels = device->create_pixel_buffer(layout).value();
    const std::vector<float> values = iota(bytes_of(layout) / sizeof(float));
    stream->write(*pixels, std::as_bytes(std::span(values))).value();
    stream->finish(kLimit).value();
    return pixels;
  }

  Result<void> run(const std::string& function, std::vector<LaunchArgument> arguments) {
    WATTUNE_ASSIGN(program, device->build(cuda_source(kPixelKernels, function), {}, kLimit));
    WATTUNE_ASSIGN(const auto kernel, program->kernel(function));
    WATTUNE_TRY(stream->launch(*kernel, {}, arguments));
    return stream->finish(kLimit);
  }

  std::string refusal(const PixelLayout& layout) { return device->create_pixel_buffer(layout).error().message(); }

  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::unique_ptr<Stream> stream;
};

PixelLayout floats(ImageType type, std::array<std::size_t, 3> sizes) {
  return {.type = type, .sizes = sizes, .channel = ElementType::float32, .channels = 1, .order = ChannelOrder::r};
}

TEST_F(CudaPixelBuffers, ReachKernelsAsTextures) {
  for (const ImageType type : {ImageType::image2d, ImageType::image1d_buffer}) {
    const bool plane = type == ImageType::image2d;
    PixelLayout layout = floats(type, {plane ? 2u : 4u, plane ? 2u : 1u, 1});
    layout.sampling = {.address = AddressMode::mirror, .normalized_coordinates = true};
    const auto texture = iota_in(layout);
    const auto output = buffer_with<float>(*device, *stream, std::vector<float>(4, -1.0f));
    run("sample", {output.get(), texture.get(), scalar(4)}).value();
    EXPECT_THAT(contents_of<float>(*output, *stream), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(driver().texture, ElementsAre(2, 0, 2));  // mirrored, nearest, normalised coordinates
  }
}

TEST_F(CudaPixelBuffers, IntegersAreReadAsIntegersUnlessTheyStandForReals) {
  PixelLayout layout{.sizes = {1, 1, 1}, .channel = ElementType::uint8};
  const auto output = buffer_with<float>(*device, *stream, {0.0f});
  const auto whole = device->create_pixel_buffer(layout).value();
  run("sample", {output.get(), whole.get(), scalar(1)}).value();
  EXPECT_THAT(driver().texture, ElementsAre(1, 0, 1));  // the edge, nearest, integers
  layout.normalized_channels = true;
  layout.sampling.filter = FilterMode::linear;
  const auto real = device->create_pixel_buffer(layout).value();
  run("sample", {output.get(), real.get(), scalar(1)}).value();
  EXPECT_THAT(driver().texture, ElementsAre(1, 1, 0));
}

TEST_F(CudaPixelBuffers, ThatAreWrittenReachKernelsAsSurfaces) {
  PixelLayout layout = floats(ImageType::image2d, {2, 2, 1});
  layout.written = true;
  const auto surface = device->create_pixel_buffer(layout).value();
  run("paint", {surface.get(), scalar(4)}).value();
  EXPECT_THAT(contents_of<float>(*surface, *stream), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(stream->check_guards(*surface, kLimit).value(), ElementsAre(0u, 0u));
}

TEST_F(CudaPixelBuffers, AreCopiedAndFilled) {
  for (const ImageType type : {ImageType::image1d, ImageType::image1d_buffer}) {
    const PixelLayout layout = floats(type, {3, 1, 1});
    const auto from = iota_in(layout);
    const auto to = device->create_pixel_buffer(layout).value();
    stream->fill(*to, std::byte{0xFF}).value();
    EXPECT_EQ(contents_of<unsigned>(*to, *stream), std::vector<unsigned>(3, 0xFFFFFFFFu));
    stream->copy(*from, *to).value();
    EXPECT_THAT(contents_of<float>(*to, *stream), ElementsAre(0, 1, 2));
  }
}

TEST_F(CudaPixelBuffers, SamplersAreNoParameters) {
  const auto texture = iota_in(floats(ImageType::image2d, {2, 2, 1}));
  const auto output = buffer_with<float>(*device, *stream, std::vector<float>(4, -1.0f));
  run("sample", {output.get(), Sampling{}, texture.get(), scalar(4)}).value();
  EXPECT_THAT(contents_of<float>(*output, *stream), ElementsAre(0, 1, 2, 3));
}

TEST_F(CudaPixelBuffers, ThatCudaLacksAreNamed) {
  PixelLayout layout;
  layout.order = ChannelOrder::bgra;
  EXPECT_EQ(refusal(layout), "CUDA has no order of channels but R, RG and RGBA");
  layout = floats(ImageType::image1d_buffer, {4, 1, 1});
  layout.written = true;
  EXPECT_EQ(refusal(layout), "CUDA has no surfaces of linear memory: write a buffer");
  layout = {.channel = ElementType::uint8, .sampling = {.filter = FilterMode::linear}};
  EXPECT_EQ(refusal(layout), "CUDA has no linear filter of integers that are not read as reals");
  layout = {.channel = ElementType::float64};
  EXPECT_EQ(refusal(layout), "CUDA has no pixels with channels of float64");
}

TEST_F(CudaPixelBuffers, AreReleased) {
  const long before = driver().live();
  for (const bool written : {false, true}) {
    PixelLayout layout = floats(ImageType::image3d, {2, 2, 2});
    layout.written = written;
    EXPECT_EQ(device->create_pixel_buffer(layout).value()->bytes(), 32u);
  }
  EXPECT_EQ(driver().live(), before);
}

}  // namespace
}  // namespace wattune::backend
