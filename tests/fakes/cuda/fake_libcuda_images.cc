// Arrays, textures and surfaces of the stand-in for libcuda.so.1.
#include <algorithm>

#include "fakes/cuda/fake_driver.h"

namespace {

char* pixels_of(const CUDA_RESOURCE_DESC& resource) {
  return resource.resType == CU_RESOURCE_TYPE_ARRAY ? resource.res.array.hArray->pixels.data()
                                                    : reinterpret_cast<char*>(resource.res.linear.devPtr);
}

std::size_t channel_bytes(CUarray_format format) {
  const bool is_byte = format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8;
  const bool is_word = format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
  return is_byte ? 1 : is_word || format == CU_AD_FORMAT_FLOAT ? 4 : 2;
}

// Returns the memory of one end of a copy; rows follow each other without gaps here.
char* end_of(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, std::size_t bytes) {
  if (type == CU_MEMORYTYPE_HOST) return static_cast<char*>(const_cast<void*>(host));
  if (type == CU_MEMORYTYPE_DEVICE) return reinterpret_cast<char*>(device);
  if (!context().arrays.contains(array)) misused("a copy of an array that is gone");
  if (array->pixels.size() != bytes) misused("a copy of less or more than an array");
  return array->pixels.data();
}

}  // namespace

extern "C" {

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
  WATTUNE_UNLESS_BROKEN();
  const std::size_t pixels =
      description->Width * std::max<std::size_t>(1, description->Height) * std::max<std::size_t>(1, description->Depth);
  auto* const made_array = new CUarray_st{*description, {}};
  made_array->pixels.resize(pixels * description->NumChannels * channel_bytes(description->Format));
  *array = made(context().arrays, made_array, state.arrays);
  return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray array) {
  take(context().arrays, array, state.arrays);
  return CUDA_SUCCESS;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  WATTUNE_UNLESS_BROKEN();
  const std::size_t bytes = copy->WidthInBytes * copy->Height * copy->Depth;
  transfer(stream, end_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, bytes),
           end_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray, bytes), bytes);
  return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* description, const void*) {
  WATTUNE_UNLESS_BROKEN();
  auto* const object = made(context().objects, new FakeObject{pixels_of(*resource), *description}, state.objects);
  *texture = static_cast<CUtexObject>(reinterpret_cast<std::uint64_t>(object));
  return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texture) {
  take(context().objects, reinterpret_cast<FakeObject*>(texture), state.objects);
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
  WATTUNE_UNLESS_BROKEN();
  if (resource->resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
  if ((resource->res.array.hArray->description.Flags & CUDA_ARRAY3D_SURFACE_LDST) == 0) return CUDA_ERROR_INVALID_VALUE;
  auto* const object = made(context().objects, new FakeObject{pixels_of(*resource), {}}, state.objects);
  *surface = static_cast<CUsurfObject>(reinterpret_cast<std::uint64_t>(object));
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject surface) {
  take(context().objects, reinterpret_cast<FakeObject*>(surface), state.objects);
  return CUDA_SUCCESS;
}

}  // extern "C"
