// Images and samplers on an OpenCL device, in this process and in a worker.
#include "backend/support.h"
#include "programs.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PixelBuffers : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_OPENCL();
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    device =
        (GetParam() ? open_device_in_worker(*opencl_selector(), options) : open_device(*opencl_selector())).value();
    stream = device->create_stream().value();
  }

  template <typename T>
  std::unique_ptr<Buffer> pixels_with(const PixelLayout& layout, const std::vector<T>& values) {
    auto buffer = device->create_pixel_buffer(layout).value();
    stream->write(*buffer, std::as_bytes(std::span(values))).value();
    stream->finish(kLimit).value();
    return buffer;
  }

  // Returns the four floats that kernel f writes into its first argument.
  std::vector<float> four_floats(const std::string& text, std::vector<LaunchArgument> arguments) {
    const auto output = buffer_with<float>(*device, *stream, {-1.0f, -1.0f, -1.0f, -1.0f});
    arguments.insert(arguments.begin(), output.get());
    const auto time = run_once(*device, *stream, text, "f", {}, std::move(arguments));
    EXPECT_TRUE(time) << time.error().to_string();
    return contents_of<float>(*output, *stream);
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

PixelLayout floats(ImageType type, std::array<std::size_t, 3> sizes) {
  return {.type = type, .sizes = sizes, .channel = ElementType::float32, .channels = 1, .order = ChannelOrder::r};
}

TEST_P(PixelBuffers, AreReadAndWrittenInRowsWithoutGaps) {
  const auto image = pixels_with(floats(ImageType::image2d, {3, 2, 1}), iota(6));
  EXPECT_EQ(image->bytes(), 24u);
  EXPECT_TRUE(image->has_pixels());
  EXPECT_FALSE(device->create_buffer(24).value()->has_pixels());
  EXPECT_THAT(contents_of<float>(*image, *stream), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_P(PixelBuffers, AreCopiedAndFilled) {
  const PixelLayout layout = floats(ImageType::image3d, {2, 2, 2});
  const auto from = pixels_with(layout, iota(8));
  const auto to = device->create_pixel_buffer(layout).value();
  stream->fill(*to, std::byte{0xFF}).value();
  EXPECT_THAT(contents_of<unsigned>(*to, *stream), Each(0xFFFFFFFFu));
  stream->copy(*from, *to).value();
  EXPECT_EQ(contents_of<float>(*to, *stream), iota(8));
  EXPECT_THAT(stream->check_guards(*to, kLimit).value(), ElementsAre(0u, 0u));
}

// Pixel (1, 0) of three rows of two is 1. The first reads are within the image, the others beyond its edge.
TEST_P(PixelBuffers, KernelsSampleThemAsTheSamplerSays) {
  const auto image = pixels_with(floats(ImageType::image2d, {2, 3, 1}), iota(6));
  const std::string text = R"(kernel void f(global float* y, read_only image2d_t image, sampler_t s) {
    y[0] = read_imagef(image, s, (float2)(1.5f, 0.5f)).x;
    y[1] = read_imagef(image, s, (float2)(7.5f, 2.5f)).x;
    y[2] = read_imagef(image, s, (float2)(0.5f, -3.5f)).x;
  })";
  const Sampling edge;
  EXPECT_THAT(four_floats(text, {image.get(), edge}), ElementsAre(1, 5, 0, -1));
  const Sampling border{.address = AddressMode::border};
  EXPECT_THAT(four_floats(text, {image.get(), border}), ElementsAre(1, 0, 0, -1));
}

TEST_P(PixelBuffers, HaveOneDimensionToThree) {
  const auto line = pixels_with(floats(ImageType::image1d, {4, 1, 1}), iota(4));
  const auto linear = pixels_with(floats(ImageType::image1d_buffer, {4, 1, 1}), iota(4));
  const auto volume = pixels_with(floats(ImageType::image3d, {2, 2, 2}), iota(8));
  const std::string text = R"(
  constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  kernel void f(global float* y, read_only image1d_t a, read_only image1d_buffer_t b, read_only image3d_t c) {
    y[0] = read_imagef(a, s, 1).x;
    y[1] = read_imagef(b, 2).x;
    y[2] = read_imagef(c, s, (int4)(1, 0, 1, 0)).x;
  })";
  EXPECT_THAT(four_floats(text, {line.get(), linear.get(), volume.get()}), ElementsAre(1, 2, 5, -1));
}

TEST_P(PixelBuffers, IntegersMayStandForReals) {
  PixelLayout layout{.sizes = {1, 1, 1}, .channel = ElementType::uint8, .channels = 4, .normalized_channels = true};
  const auto image = pixels_with<unsigned char>(layout, {0, 255, 51, 102});
  const std::string text = R"(
  constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  kernel void f(global float* y, read_only image2d_t a) { vstore4(read_imagef(a, s, (int2)(0, 0)), 0, y); })";
  EXPECT_THAT(four_floats(text, {image.get()}),
              ElementsAre(0.0f, 1.0f, ::testing::FloatEq(0.2f), ::testing::FloatEq(0.4f)));
  layout.normalized_channels = false;
  const auto whole = pixels_with<unsigned char>(layout, {0, 255, 51, 102});
  const std::string as_integers = R"(
  constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  kernel void f(global float* y, read_only image2d_t a) {
    vstore4(convert_float4(read_imageui(a, s, (int2)(0, 0))), 0, y);
  })";
  EXPECT_THAT(four_floats(as_integers, {whole.get()}), ElementsAre(0, 255, 51, 102));
}

TEST_P(PixelBuffers, AreWrittenByKernels) {
  const auto image = device->create_pixel_buffer(floats(ImageType::image2d, {2, 2, 1})).value();
  const std::string text = R"(kernel void f(global float* y, write_only image2d_t image) {
    for (int i = 0; i < 4; ++i) write_imagef(image, (int2)(i % 2, i / 2), (float4)(10.0f + i));
  })";
  EXPECT_THAT(four_floats(text, {image.get()}), Each(-1.0f));
  EXPECT_THAT(contents_of<float>(*image, *stream), ElementsAre(10, 11, 12, 13));
}

TEST_P(PixelBuffers, ThatTheDeviceDoesNotMakeAreNamed) {
  PixelLayout layout = floats(ImageType::image2d, {2, 2, 1});
  layout.channel = ElementType::float64;
  const auto none = device->create_pixel_buffer(layout);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(none.error().message(), HasSubstr("makes no image of 2 x 2 x 1 pixels with 1 channels of float64"));
}

TEST_P(PixelBuffers, NullPointersReachTheKernel) {
  EXPECT_THAT(four_floats("kernel void f(global float* y, global float* x) { y[0] = x == 0 ? 1.0f : 2.0f; }",
                          {static_cast<const Buffer*>(nullptr)}),
              ElementsAre(1, -1, -1, -1));
}

INSTANTIATE_TEST_SUITE_P(Devices, PixelBuffers, ::testing::Bool(),
                         [](const auto& place) { return place.param ? "InAWorker" : "InThisProcess"; });

}  // namespace
}  // namespace wattune::backend
