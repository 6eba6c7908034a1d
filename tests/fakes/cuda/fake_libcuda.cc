// A stand-in for libcuda.so.1 (fake_cuda.h says what it does). It runs on one thread and checks what the real driver
// would not forgive: objects of a context that is gone, of another context, or freed twice, end the process.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "backend/cuda/cu_api.h"
#include "fakes/cuda/fake_cuda.h"
#include "fakes/cuda/fake_image.h"

using namespace wattune::backend::cuda;
using namespace wattune::fakes;

namespace {

constexpr std::size_t kMemoryBytes = std::size_t{64} << 20;
FakeCuda state;

[[noreturn]] void misused(const char* what) {
  std::fprintf(stderr, "stand-in for libcuda: %s\n", what);
  std::abort();
}

int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

// Without streams, which do not work where the program holds the C++ library itself.
std::vector<std::string> device_names() {
  const char* const list = std::getenv("WATTUNE_FAKE_CUDA_DEVICES");
  std::string text = list != nullptr ? list : "Stand-in GPU";
  std::vector<std::string> names;
  for (std::size_t comma; (comma = text.find(',')) != std::string::npos; text.erase(0, comma + 1))
    names.push_back(text.substr(0, comma));
  names.push_back(text);
  return names;
}

// Device 1 works for kLaunchesUntilLost launches. A file remembers that it is gone, for the processes that come.
constexpr CUdevice kFragileDevice = 1;
constexpr long kLaunchesUntilLost = 10;

bool is_lost(CUdevice device) {
  const char* const file = std::getenv("WATTUNE_FAKE_CUDA_LOST");
  return file != nullptr && device == kFragileDevice && access(file, F_OK) == 0;
}

void lose_when_due(CUdevice device) {
  const char* const file = std::getenv("WATTUNE_FAKE_CUDA_LOST");
  if (file != nullptr && device == kFragileDevice && state.launches == kLaunchesUntilLost) close(creat(file, 0600));
}

}  // namespace

namespace wattune::backend::cuda {

struct CUfunc_st {
  CUmodule module;
  fakes::FakeFunction description;
  bool loaded = false;
  bool launched = false;
};
struct CUmod_st {
  std::vector<std::unique_ptr<CUfunc_st>> functions;
  std::map<std::string, std::vector<char>> constants;
};
struct CUstream_st {
  double time_ms = 0.0;  // when it is done with what it was sent
  bool hangs = false;
  bool busy = false;  // says so once
  std::uint32_t* word = nullptr;
  std::uint32_t awaited = 0;

  bool held() const { return word != nullptr && std::atomic_ref(*word).load() < awaited; }
};
struct CUevent_st {
  double time_ms = 0.0;
  CUstream stream = nullptr;  // that comes to it
  bool hangs = false;
};
struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  std::vector<char> pixels;
};
// Of a texture or a surface.
struct FakeObject {
  char* pixels = nullptr;
  CUDA_TEXTURE_DESC description{};
};
struct CUctx_st {
  CUdevice device = 0;
  CUresult broken = CUDA_SUCCESS;
  double now_ms = 0.0;  // of the host
  std::size_t bytes = 0;
  std::map<CUdeviceptr, std::unique_ptr<char[]>> allocations;
  std::map<CUdeviceptr, std::size_t> sizes;
  std::set<CUmodule> modules;
  std::set<CUstream> streams;
  std::set<CUevent> events;
  std::set<CUarray> arrays;
  std::set<FakeObject*> objects;
};

}  // namespace wattune::backend::cuda

namespace {

CUcontext current = nullptr;
std::set<CUcontext> contexts;

CUctx_st& context() {
  if (current == nullptr || !contexts.contains(current)) misused("a call without a context");
  return *current;
}

// What every call on a context returns once it is broken.
#define WATTUNE_UNLESS_BROKEN() \
  if (context().broken != CUDA_SUCCESS) return context().broken

template <typename T>
void take(std::set<T*>& owned, T* object, long& live) {
  if (owned.erase(object) == 0) misused("an object was released twice or in another context");
  delete object;
  --live;
}

template <typename T>
T* made(std::set<T*>& owned, T* object, long& live) {
  owned.insert(object);
  ++live;
  ++state.made;
  return object;
}

template <typename T>
T value(void* parameter) {
  T result;
  std::memcpy(&result, parameter, sizeof result);
  return result;
}

// Runs the kernel; a result that is not success refuses the launch.
CUresult run(const std::string& name, CUfunction function, CUstream stream, void** parameters) {
  if (name == "too_large") return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (name == "illegal") context().broken = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (name == "misaligned") context().broken = CUDA_ERROR_MISALIGNED_ADDRESS;
  if (name == "failed_assertion") context().broken = CUDA_ERROR_ASSERT;
  if (name == "hang") stream->hangs = true;
  if (name == "scale") {
    auto* const x = value<float*>(parameters[0]);
    for (int i = 0; i < value<int>(parameters[2]); ++i) x[i] *= value<float>(parameters[1]);
  }
  if (name == "overrun") {
    auto* const x = value<char*>(parameters[0]);
    const int n = value<int>(parameters[1]);
    for (const int i : {-1, n, n + 1, n + 2}) x[i] = static_cast<char>(x[i] ^ 1);
  }
  if (name == "sample") {
    const auto* const texture = value<FakeObject*>(parameters[1]);
    state.texture = {texture->description.addressMode[0], texture->description.filterMode,
                     static_cast<int>(texture->description.flags)};
    std::memcpy(value<float*>(parameters[0]), texture->pixels, sizeof(float) * value<int>(parameters[2]));
  }
  if (name == "paint") {
    auto* const pixels = reinterpret_cast<float*>(value<FakeObject*>(parameters[0])->pixels);
    for (int i = 0; i < value<int>(parameters[1]); ++i) pixels[i] = static_cast<float>(i);
  }
  if (name == "weigh") {
    const std::vector<char>& weights = function->module->constants.at("weights");
    std::memcpy(value<float*>(parameters[0]), weights.data(), sizeof(float) * value<int>(parameters[1]));
  }
  return CUDA_SUCCESS;
}

// What the stream is sent begins no sooner than now. One that is held gets it all before it begins.
void catch_up(CUstream_st& stream) {
  if (!stream.held()) stream.time_ms = std::max(stream.time_ms, context().now_ms);
}

void transfer(CUstream stream, void* to, const void* from, std::size_t bytes) {
  if (stream->hangs) {
    ++state.blocked_transfers;
  } else {
    std::memcpy(to, from, bytes);
  }
}

char* pixels_of(const CUDA_RESOURCE_DESC& resource) {
  return resource.resType == CU_RESOURCE_TYPE_ARRAY ? resource.res.array.hArray->pixels.data()
                                                    : reinterpret_cast<char*>(resource.res.linear.devPtr);
}

std::size_t channel_bytes(CUarray_format format) {
  const bool is_byte = format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8;
  const bool is_word = format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
  return is_byte ? 1 : is_word || format == CU_AD_FORMAT_FLOAT ? 4 : 2;
}

// One end of a copy, whose rows follow each other without gaps here.
char* end_of(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, std::size_t bytes) {
  if (type == CU_MEMORYTYPE_HOST) return static_cast<char*>(const_cast<void*>(host));
  if (type == CU_MEMORYTYPE_DEVICE) return reinterpret_cast<char*>(device);
  if (!context().arrays.contains(array)) misused("a copy of an array that is gone");
  if (array->pixels.size() != bytes) misused("a copy of less or more than an array");
  return array->pixels.data();
}

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

void say(void** values, int option, const char* text) {
  std::strncpy(static_cast<char*>(values[option]), text, reinterpret_cast<std::size_t>(values[option + 1]));
}

}  // namespace

extern "C" {

FakeCuda* wattune_fake_cuda() { return &state; }

CUresult cuInit(unsigned) { return from_environment("WATTUNE_FAKE_CUDA_INIT", CUDA_SUCCESS); }

CUresult cuDriverGetVersion(int* version) {
  *version = from_environment("WATTUNE_FAKE_CUDA_VERSION", 12080);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_ERROR_ILLEGAL_ADDRESS      ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == CUDA_ERROR_MISALIGNED_ADDRESS ? "CUDA_ERROR_MISALIGNED_ADDRESS"
          : error == CUDA_ERROR_NO_DEVICE          ? "CUDA_ERROR_NO_DEVICE"
                                                   : "CUDA_ERROR_OTHER";
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "what the driver says";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(device_names().size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  std::strncpy(name, device_names().at(static_cast<std::size_t>(device)).c_str(), static_cast<std::size_t>(length));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  const int capability = from_environment("WATTUNE_FAKE_CUDA_CAPABILITY", 90);
  const std::map<int, int> known = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                                    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
                                    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, 1024},
                                    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, 64},
                                    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                                    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
                                    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                                    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                                    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, capability / 10},
                                    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, capability % 10},
                                    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448}};
  const auto found = known.find(attribute);
  if (found == known.end()) return CUDA_ERROR_INVALID_VALUE;
  *value = found->second;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* bus_id, int length, CUdevice device) {
  std::snprintf(bus_id, static_cast<std::size_t>(length), "0000:%02X:00.0",
                kFirstPciBus + static_cast<unsigned>(device));
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = kMemoryBytes;
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext* result, unsigned, CUdevice device) {
  if (is_lost(device)) return CUDA_ERROR_NO_DEVICE;
  if (state.context_result != CUDA_SUCCESS) return state.context_result;
  *result = current = made(contexts, new CUctx_st{.device = device}, state.contexts);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext gone) {
  state.allocations -= static_cast<long>(gone->allocations.size());
  while (!gone->modules.empty()) take(gone->modules, *gone->modules.begin(), state.modules);
  while (!gone->streams.empty()) take(gone->streams, *gone->streams.begin(), state.streams);
  while (!gone->arrays.empty()) take(gone->arrays, *gone->arrays.begin(), state.arrays);
  while (!gone->objects.empty()) take(gone->objects, *gone->objects.begin(), state.objects);
  while (!gone->events.empty()) take(gone->events, *gone->events.begin(), state.events);
  take(contexts, gone, state.contexts);
  if (current == gone) current = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext wanted) {
  if (!contexts.contains(wanted)) misused("a context that is gone was made current");
  current = wanted;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  WATTUNE_UNLESS_BROKEN();
  *total = kMemoryBytes;
  *free = kMemoryBytes - context().bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* result, std::size_t bytes) {
  WATTUNE_UNLESS_BROKEN();
  if (bytes > kMemoryBytes - context().bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  auto memory = std::make_unique<char[]>(bytes);
  *result = reinterpret_cast<CUdeviceptr>(memory.get());
  context().allocations[*result] = std::move(memory);
  context().sizes[*result] = bytes;
  context().bytes += bytes;
  ++state.allocations;
  ++state.made;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr memory) {
  const auto found = context().sizes.find(memory);
  if (found == context().sizes.end()) misused("memory was freed twice or in another context");
  context().bytes -= found->second;
  context().sizes.erase(found);
  context().allocations.erase(memory);
  --state.allocations;
  return context().broken;
}

CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  auto memory = std::make_unique<char[]>(bytes);
  *pointer = memory.get();
  context().allocations[reinterpret_cast<CUdeviceptr>(*pointer)] = std::move(memory);
  ++state.allocations;
  ++state.made;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* pointer) {
  if (context().allocations.erase(reinterpret_cast<CUdeviceptr>(pointer)) == 0) misused("host memory was freed twice");
  --state.allocations;
  return context().broken;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  WATTUNE_UNLESS_BROKEN();
  std::memcpy(pointer(to), from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  WATTUNE_UNLESS_BROKEN();
  transfer(stream, pointer(to), from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  WATTUNE_UNLESS_BROKEN();
  transfer(stream, to, pointer(from), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  WATTUNE_UNLESS_BROKEN();
  std::memmove(pointer(to), pointer(from), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, std::size_t bytes, CUstream) {
  WATTUNE_UNLESS_BROKEN();
  std::memset(pointer(to), byte, bytes);
  return CUDA_SUCCESS;
}

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

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option*, void** values) {
  WATTUNE_UNLESS_BROKEN();
  if (count != 4) misused("modules are loaded with four options here");
  const std::string text = static_cast<const char*>(image);
  const bool ptx = text.starts_with(".version");
  if (text.find("BROKEN") != std::string::npos) {
    say(values, 2, "ptxas fatal   : Ptx assembly aborted due to errors");
    return CUDA_ERROR_INVALID_PTX;
  }
  if (text.find("FROM THE FUTURE") != std::string::npos) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (!ptx && !text.starts_with(kImageMark)) return CUDA_ERROR_INVALID_IMAGE;
  if (ptx) say(values, 0, "compiled by the driver");
  const FakeImage description = read_image(text);
  *module = made(context().modules, new CUmod_st, state.modules);
  for (const FakeFunction& function : description.functions)
    (*module)->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{*module, function}));
  for (const auto& [symbol, bytes] : description.constants) (*module)->constants[symbol].resize(bytes);
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  take(context().modules, module, state.modules);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  WATTUNE_UNLESS_BROKEN();
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  for (unsigned i = 0; i < count; ++i) functions[i] = module->functions.at(i).get();
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  WATTUNE_UNLESS_BROKEN();
  const auto found = module->constants.find(name);
  if (found == module->constants.end()) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(found->second.data());
  *bytes = found->second.size();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = function->description.symbol.c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function) {
  WATTUNE_UNLESS_BROKEN();
  function->loaded = true;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const std::vector<std::size_t>& all = function->description.parameter_bytes;
  if (index >= all.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *bytes = all[index];
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  WATTUNE_UNLESS_BROKEN();
  if (!function->loaded) return 913;  // CUDA_ERROR_FUNCTION_NOT_LOADED
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
           : attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES    ? 16
           : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES   ? 256
                                                                : 0;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute attribute, int value) {
  WATTUNE_UNLESS_BROKEN();
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    state.allowed_dynamic_bytes = static_cast<std::size_t>(value);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int block_size, std::size_t) {
  WATTUNE_UNLESS_BROKEN();
  *blocks = 1024 / block_size;  // half of what the multiprocessor holds
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void**) {
  WATTUNE_UNLESS_BROKEN();
  if (config->sharedMemBytes > state.allowed_dynamic_bytes) return CUDA_ERROR_INVALID_VALUE;
  ++state.launches;
  lose_when_due(context().device);
  if (is_lost(context().device)) return context().broken = CUDA_ERROR_UNKNOWN;
  state.dynamic_bytes = config->sharedMemBytes;
  state.cluster = {1, 1, 1};
  state.cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttributeValue& attribute = config->attrs[i].value;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) state.cooperative = attribute.cooperative != 0;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      state.cluster = {attribute.clusterDim.x, attribute.clusterDim.y, attribute.clusterDim.z};
  }
  const bool waits = state.launches_wait || (state.first_launches_wait && !function->launched);
  function->launched = true;
  while (waits && config->hStream->held()) std::this_thread::yield();
  context().now_ms += state.launch_gap_ms;
  catch_up(*config->hStream);
  config->hStream->busy = true;
  config->hStream->time_ms += 0.001 * config->blockDimX;
  return run(function->description.function, function, config->hStream, parameters);
}

// Not among what Wattune calls: what a launch through it is compared with (tests/perf/launch_overhead.cc).
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
                        void** extra) {
  const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  *stream = made(context().streams, new CUstream_st, state.streams);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (stream->hangs) misused("a stream in which a kernel runs without end was destroyed, which waits for it");
  take(context().streams, stream, state.streams);
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, std::uint32_t value, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  if (!state.holds) return CUDA_ERROR_NOT_SUPPORTED;
  catch_up(*stream);
  stream->word = static_cast<std::uint32_t*>(pointer(address));
  stream->awaited = value;
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  if (!context().events.contains(event)) misused("a stream waits for an event that is gone");
  catch_up(*stream);
  stream->time_ms = std::max(stream->time_ms, event->time_ms);
  stream->hangs |= event->hangs;
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
  WATTUNE_UNLESS_BROKEN();
  if (stream->hangs || stream->held() || std::exchange(stream->busy, false)) return CUDA_ERROR_NOT_READY;
  context().now_ms = std::max(context().now_ms, stream->time_ms);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  *event = made(context().events, new CUevent_st, state.events);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  take(context().events, event, state.events);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  // A kernel that broke the context did so after what was sent right behind it.
  catch_up(*stream);
  *event = {stream->time_ms, stream, stream->hangs};
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  WATTUNE_UNLESS_BROKEN();
  const bool held = context().streams.contains(event->stream) && event->stream->held();
  if (event->hangs || held) return CUDA_ERROR_NOT_READY;
  const bool passed = event->time_ms <= context().now_ms;
  context().now_ms = std::max(context().now_ms, event->time_ms);
  return passed ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  WATTUNE_UNLESS_BROKEN();
  *milliseconds = static_cast<float>(end->time_ms - start->time_ms);
  return CUDA_SUCCESS;
}

}  // extern "C"

// The declarations that Wattune calls these by.
#define WATTUNE_SAME(function, symbol, parameters) \
  static_assert(std::is_same_v<decltype(&::symbol), decltype(CuApi::function)>);
WATTUNE_CU_FUNCTIONS(WATTUNE_SAME)
