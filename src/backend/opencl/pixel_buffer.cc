#include "backend/opencl/pixel_buffer.h"

#include <fmt/format.h>

#include "backend/opencl/cl_error.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

constexpr std::array<std::size_t, 3> kOrigin{0, 0, 0};

cl_channel_order order_of(ChannelOrder order) {
  switch (order) {
    case ChannelOrder::r: return CL_R;
    case ChannelOrder::a: return CL_A;
    case ChannelOrder::intensity: return CL_INTENSITY;
    case ChannelOrder::luminance: return CL_LUMINANCE;
    case ChannelOrder::rg: return CL_RG;
    case ChannelOrder::ra: return CL_RA;
    case ChannelOrder::bgra: return CL_BGRA;
    case ChannelOrder::argb: return CL_ARGB;
    case ChannelOrder::rgba: break;
  }
  return CL_RGBA;
}

// Returns OpenCL's channel type; 0 if there are no images with such channels.
cl_channel_type channel_of(ElementType type, bool normalized) {
  switch (type) {
    case ElementType::int8: return normalized ? CL_SNORM_INT8 : CL_SIGNED_INT8;
    case ElementType::uint8: return normalized ? CL_UNORM_INT8 : CL_UNSIGNED_INT8;
    case ElementType::int16: return normalized ? CL_SNORM_INT16 : CL_SIGNED_INT16;
    case ElementType::uint16: return normalized ? CL_UNORM_INT16 : CL_UNSIGNED_INT16;
    case ElementType::int32: return CL_SIGNED_INT32;
    case ElementType::uint32: return CL_UNSIGNED_INT32;
    case ElementType::float16: return CL_HALF_FLOAT;
    case ElementType::float32: return CL_FLOAT;
    default: return 0;
  }
}

cl_mem_object_type type_of(ImageType type) {
  switch (type) {
    case ImageType::image1d: return CL_MEM_OBJECT_IMAGE1D;
    case ImageType::image2d: return CL_MEM_OBJECT_IMAGE2D;
    case ImageType::image3d: return CL_MEM_OBJECT_IMAGE3D;
    case ImageType::image1d_buffer: break;
  }
  return CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

Error no_such_image(const Session& session, const PixelLayout& layout, cl_int code) {
  const auto& [width, height, depth] = layout.sizes;
  return Error(ErrorCode::unavailable,
               fmt::format("{} makes no image of {} x {} x {} pixels with {} channels of {}{}", session.info().selector,
                           width, height, depth, layout.channels, layout.normalized_channels ? "normalised " : "",
                           to_string(layout.channel)))
      .native(code, std::string(cl_name(code)));
}

cl_addressing_mode mode_of(AddressMode mode) {
  switch (mode) {
    case AddressMode::edge: return CL_ADDRESS_CLAMP_TO_EDGE;
    case AddressMode::border: return CL_ADDRESS_CLAMP;
    case AddressMode::repeat: return CL_ADDRESS_REPEAT;
    case AddressMode::mirror: break;
  }
  return CL_ADDRESS_MIRRORED_REPEAT;
}

}  // namespace

Result<std::unique_ptr<Buffer>> OpenClPixelBuffer::make(const std::shared_ptr<Session>& session,
                                                        const PixelLayout& layout) {
  const ClApi& cl = session->cl();
  const cl_image_format format{order_of(layout.order), channel_of(layout.channel, layout.normalized_channels)};
  if (format.image_channel_data_type == 0) return no_such_image(*session, layout, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  cl_image_desc description{};
  description.image_type = type_of(layout.type);
  description.image_width = layout.sizes[0];
  description.image_height = layout.sizes[1];
  description.image_depth = layout.sizes[2];
  cl_int code = CL_SUCCESS;
  Handle<cl_mem> linear;
  if (layout.type == ImageType::image1d_buffer) {
    linear = Handle<cl_mem>(session,
                            cl.clCreateBuffer(session->context(), CL_MEM_READ_WRITE, bytes_of(layout), nullptr, &code));
    if (code != CL_SUCCESS) return no_such_image(*session, layout, code);
    description.buffer = linear.get();
  }
  Handle<cl_mem> image(session,
                       cl.clCreateImage(session->context(), CL_MEM_READ_WRITE, &format, &description, nullptr, &code));
  if (code != CL_SUCCESS) return no_such_image(*session, layout, code);
  return std::unique_ptr<Buffer>(new OpenClPixelBuffer(std::move(linear), std::move(image), layout));
}

cl_int OpenClPixelBuffer::write(cl_command_queue queue, const void* data, cl_event* event) const {
  return cl().clEnqueueWriteImage(queue, image_.get(), CL_FALSE, kOrigin.data(), layout_.sizes.data(), 0, 0, data, 0,
                                  nullptr, event);
}

cl_int OpenClPixelBuffer::read(cl_command_queue queue, void* data, cl_event* event) const {
  return cl().clEnqueueReadImage(queue, image_.get(), CL_FALSE, kOrigin.data(), layout_.sizes.data(), 0, 0, data, 0,
                                 nullptr, event);
}

cl_int OpenClPixelBuffer::copy(cl_command_queue queue, const OpenClMemory& to, cl_event* event) const {
  return cl().clEnqueueCopyImage(queue, image_.get(), to.contents(), kOrigin.data(), kOrigin.data(),
                                 layout_.sizes.data(), 0, nullptr, event);
}

// Fills the pixels from host memory. clEnqueueFillImage is not used, because it takes a colour, and some bytes are part
// of no colour.
cl_int OpenClPixelBuffer::fill(cl_command_queue queue, std::byte value, cl_event* event) {
  filling_.assign(bytes(), value);
  return write(queue, filling_.data(), event);
}

cl_sampler make_sampler(const Session& session, const Sampling& sampling, cl_int& code) {
  return session.cl().clCreateSampler(
      session.context(), sampling.normalized_coordinates ? CL_TRUE : CL_FALSE, mode_of(sampling.address),
      sampling.filter == FilterMode::linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &code);
}

}  // namespace wattune::backend::opencl
