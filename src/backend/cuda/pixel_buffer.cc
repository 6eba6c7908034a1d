#include "backend/cuda/pixel_buffer.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::backend::cuda {

namespace {

CUarray_format format_of(ElementType type) {
  switch (type) {
    case ElementType::int8: return CU_AD_FORMAT_SIGNED_INT8;
    case ElementType::uint8: return CU_AD_FORMAT_UNSIGNED_INT8;
    case ElementType::int16: return CU_AD_FORMAT_SIGNED_INT16;
    case ElementType::uint16: return CU_AD_FORMAT_UNSIGNED_INT16;
    case ElementType::int32: return CU_AD_FORMAT_SIGNED_INT32;
    case ElementType::uint32: return CU_AD_FORMAT_UNSIGNED_INT32;
    case ElementType::float16: return CU_AD_FORMAT_HALF;
    default: return CU_AD_FORMAT_FLOAT;
  }
}

CUaddress_mode mode_of(AddressMode mode) {
  switch (mode) {
    case AddressMode::edge: return CU_TR_ADDRESS_MODE_CLAMP;
    case AddressMode::border: return CU_TR_ADDRESS_MODE_BORDER;
    case AddressMode::repeat: return CU_TR_ADDRESS_MODE_WRAP;
    case AddressMode::mirror: break;
  }
  return CU_TR_ADDRESS_MODE_MIRROR;
}

CUDA_TEXTURE_DESC description_of(const PixelLayout& layout) {
  CUDA_TEXTURE_DESC description{};
  std::ranges::fill(description.addressMode, mode_of(layout.sampling.address));
  description.filterMode =
      layout.sampling.filter == FilterMode::linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  const bool is_real = layout.channel == ElementType::float16 || layout.channel == ElementType::float32;
  if (!is_real && !layout.normalized_channels) description.flags |= CU_TRSF_READ_AS_INTEGER;
  if (layout.sampling.normalized_coordinates) description.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  return description;
}

// Checks that CUDA has the features that the layout needs. Fails if only OpenCL has them.
Result<void> check(const PixelLayout& layout) {
  const auto lacks = [](std::string_view what) {
    return Error(ErrorCode::unavailable, fmt::format("CUDA has no {}", what));
  };
  const bool standard_order =
      layout.order == ChannelOrder::r || layout.order == ChannelOrder::rg || layout.order == ChannelOrder::rgba;
  if (!standard_order) return lacks("order of channels but R, RG and RGBA");
  if (size_in_bytes(layout.channel) > 4 || layout.channel == ElementType::bfloat16)
    return lacks(fmt::format("pixels with channels of {}", to_string(layout.channel)));
  if (layout.type == ImageType::image1d_buffer && layout.written)
    return lacks("surfaces of linear memory: write a buffer");
  const bool is_integer = layout.channel != ElementType::float16 && layout.channel != ElementType::float32;
  if (is_integer && !layout.normalized_channels && layout.sampling.filter == FilterMode::linear)
    return lacks("linear filter of integers that are not read as reals");
  return {};
}

}  // namespace

Result<std::unique_ptr<Buffer>> CudaPixelBuffer::make(const std::shared_ptr<Session>& session,
                                                      const PixelLayout& layout) {
  WATTUNE_TRY(check(layout));
  std::unique_ptr<CudaPixelBuffer> pixels(new CudaPixelBuffer(*session, layout));
  WATTUNE_TRY(pixels->allocate(session));
  WATTUNE_TRY(pixels->make_object(session));
  return std::unique_ptr<Buffer>(std::move(pixels));
}

Result<void> CudaPixelBuffer::allocate(const std::shared_ptr<Session>& session) {
  const auto& [width, height, depth] = layout_.sizes;
  const std::string doing = fmt::format("allocating {} x {} x {} pixels", width, height, depth);
  if (layout_.type == ImageType::image1d_buffer) {
    CUdeviceptr memory = 0;
    const CUresult code = session->cu().cuMemAlloc(&memory, bytes());
    if (code != CUDA_SUCCESS) return session->failure(code, doing);
    linear_ = Handle<CUdeviceptr>(session, memory);
    return {};
  }
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = width;
  description.Height = layout_.type == ImageType::image1d ? 0 : height;
  description.Depth = layout_.type == ImageType::image3d ? depth : 0;
  description.Format = format_of(layout_.channel);
  description.NumChannels = layout_.channels;
  description.Flags = layout_.written ? CUDA_ARRAY3D_SURFACE_LDST : 0;
  CUarray array = nullptr;
  const CUresult code = session->cu().cuArray3DCreate(&array, &description);
  if (code != CUDA_SUCCESS) return session->failure(code, doing);
  array_ = Handle<CUarray>(session, array);
  return {};
}

Result<void> CudaPixelBuffer::make_object(const std::shared_ptr<Session>& session) {
  CUDA_RESOURCE_DESC resource{};
  if (layout_.type == ImageType::image1d_buffer) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {linear_.get(), format_of(layout_.channel), layout_.channels, bytes()};
  } else {
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array_.get();
  }
  if (layout_.written) {
    CUsurfObject surface{};
    const CUresult code = session->cu().cuSurfObjectCreate(&surface, &resource);
    if (code != CUDA_SUCCESS) return session->failure(code, "making a surface object");
    surface_ = Handle<CUsurfObject>(session, surface);
    return {};
  }
  const CUDA_TEXTURE_DESC description = description_of(layout_);
  CUtexObject texture{};
  const CUresult code = session->cu().cuTexObjectCreate(&texture, &resource, &description, nullptr);
  if (code != CUDA_SUCCESS) return session->failure(code, "making a texture object");
  texture_ = Handle<CUtexObject>(session, texture);
  return {};
}

std::uint64_t CudaPixelBuffer::argument() const {
  return layout_.written ? static_cast<std::uint64_t>(surface_.get()) : static_cast<std::uint64_t>(texture_.get());
}

CUDA_MEMCPY3D CudaPixelBuffer::whole() const {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = layout_.sizes[0] * pixel_bytes(layout_);
  copy.Height = layout_.sizes[1];
  copy.Depth = layout_.sizes[2];
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes;
  copy.srcHeight = copy.dstHeight = copy.Height;
  return copy;
}

void CudaPixelBuffer::set_source(CUDA_MEMCPY3D& copy) const {
  copy.srcMemoryType = linear_.get() != 0 ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY;
  copy.srcDevice = linear_.get();
  copy.srcArray = array_.get();
}

void CudaPixelBuffer::set_target(CUDA_MEMCPY3D& copy) const {
  copy.dstMemoryType = linear_.get() != 0 ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY;
  copy.dstDevice = linear_.get();
  copy.dstArray = array_.get();
}

CUresult CudaPixelBuffer::write(CUstream stream, const void* data) const {
  CUDA_MEMCPY3D copy = whole();
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = data;
  set_target(copy);
  return cu().cuMemcpy3DAsync(&copy, stream);
}

CUresult CudaPixelBuffer::read(CUstream stream, void* data) const {
  CUDA_MEMCPY3D copy = whole();
  set_source(copy);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = data;
  return cu().cuMemcpy3DAsync(&copy, stream);
}

CUresult CudaPixelBuffer::copy(CUstream stream, const CudaMemory& to) const {
  CUDA_MEMCPY3D copy = whole();
  set_source(copy);
  static_cast<const CudaPixelBuffer&>(to).set_target(copy);
  return cu().cuMemcpy3DAsync(&copy, stream);
}

// Fills the pixels from host memory, because arrays have no memset.
CUresult CudaPixelBuffer::fill(CUstream stream, std::byte value) {
  filling_.assign(bytes(), value);
  return write(stream, filling_.data());
}

}  // namespace wattune::backend::cuda
