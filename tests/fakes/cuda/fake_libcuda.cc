// A stand-in for libcuda.so.1 (fake_cuda.h says what it does). It checks for misuse that the real driver would not
// tolerate: objects of a context that is gone, of another context, or freed twice, end the process.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "fakes/cuda/fake_board.h"
#include "fakes/cuda/fake_driver.h"
#include "fakes/nvml/profile.h"

namespace {

// The number of launches after which device 1 is lost. A file records that it is gone, for later processes.
constexpr long kLaunchesUntilLost = 10;

void lose_when_due(CUdevice device) {
  const char* const file = std::getenv("WATTUNE_FAKE_CUDA_LOST");
  if (file != nullptr && device == kFragileDevice && state.launches == kLaunchesUntilLost) close(creat(file, 0600));
}

template <typename T>
T value(void* parameter) {
  T result;
  std::memcpy(&result, parameter, sizeof result);
  return result;
}

// Runs the kernels scale and raise.
void change(bool scale, void** parameters) {
  auto* const x = value<float*>(parameters[0]);
  const auto by = value<float>(parameters[1]);
  for (int i = 0; i < value<int>(parameters[2]); ++i) x[i] = scale ? x[i] * by : x[i] + by;
}

// Runs the kernel; any result but success refuses the launch.
CUresult run(const CUlaunchConfig& config, CUfunction function, CUstream_st& stream, void** parameters) {
  const std::string& name = function->description.function;
  if (run_mark(name, config, stream, parameters)) return CUDA_SUCCESS;
  if (name == "too_large") return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (name == "illegal") context().broken = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (name == "misaligned") context().broken = CUDA_ERROR_MISALIGNED_ADDRESS;
  if (name == "failed_assertion") context().broken = CUDA_ERROR_ASSERT;
  if (name == "hang") stream.hung = true;
  if (name == "scale" || name == "raise") change(name == "scale", parameters);
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

std::size_t private_bytes_of(const CUfunc_st& function) {
  return function.description.function == "spill" ? 16384 : function.description.private_bytes;
}

// Reserves private memory, as the driver does at the first launch of a kernel that needs more than any before.
void make_private_room(const CUfunc_st& function) {
  const std::size_t needed = private_bytes_of(function);
  if (needed <= context().private_bytes) return;
  context().private_bytes = needed;
  if (needed > 16) state.room_made_for = function.description.symbol;
}

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

void say(void** values, int option, const char* text) {
  std::strncpy(static_cast<char*>(values[option]), text, reinterpret_cast<std::size_t>(values[option + 1]));
}

}  // namespace

namespace wattune::fakes {

FakeCuda state;
std::recursive_mutex entry;

void misused(const char* what) {
  std::fprintf(stderr, "stand-in for libcuda: %s\n", what);
  std::abort();
}

bool is_lost(CUdevice device) {
  const char* const file = std::getenv("WATTUNE_FAKE_CUDA_LOST");
  return file != nullptr && device == kFragileDevice && access(file, F_OK) == 0;
}

CUstream_st& stream_of(CUstream handle) {
  const auto number = reinterpret_cast<std::size_t>(handle);
  if (number < context().default_streams.size()) return context().default_streams[number];
  if (!context().streams.contains(handle)) misused("a stream that is gone, or of another context");
  return *handle;
}

CUmodule make_module(const std::string& image) {
  const FakeImage description = read_image(image);
  const CUmodule module = made(context().modules, new CUmod_st, state.modules);
  for (const FakeFunction& function : description.functions)
    module->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{module, function}));
  for (const auto& [symbol, bytes] : description.constants) module->constants[symbol].resize(bytes);
  return module;
}

void transfer(CUstream stream, void* to, const void* from, std::size_t bytes) {
  if (hangs(stream_of(stream))) {
    ++state.blocked_transfers;
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace wattune::fakes

extern "C" {

FakeCuda* wattune_fake_cuda() { return &state; }

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  WATTUNE_UNLESS_BROKEN();
  *total = kMemoryBytes;
  *free = kMemoryBytes - context().bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* result, std::size_t bytes) {
  WATTUNE_UNLESS_BROKEN();
  WATTUNE_UNLESS_CAPTURING();
  if (bytes > kMemoryBytes - context().bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  auto memory = std::make_unique<char[]>(bytes);
  *result = reinterpret_cast<CUdeviceptr>(memory.get());
  context().allocations[*result] = std::move(memory);
  static std::uint64_t numbered = 0;
  context().sizes[*result] = bytes;
  context().numbers[*result] = ++numbered;
  context().bytes += bytes;
  ++state.allocations;
  ++state.made;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr memory) {
  const std::lock_guard one_at_a_time(entry);
  const auto found = context().sizes.find(memory);
  if (found == context().sizes.end()) misused("memory was freed twice or in another context");
  context().bytes -= found->second;
  context().sizes.erase(found);
  context().allocations.erase(memory);
  --state.allocations;
  return context().broken;
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  if (!has_context()) return CUDA_ERROR_INVALID_CONTEXT;
  WATTUNE_UNLESS_BROKEN();
  for (const auto& [begin, bytes] : context().sizes) {
    if (address < begin || address >= begin + bytes) continue;
    if (attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID)
      *static_cast<std::uint64_t*>(value) = context().numbers[begin];
    else
      *static_cast<unsigned*>(value) = CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* range, CUdeviceptr address) {
  WATTUNE_UNLESS_BROKEN();
  for (const auto& [begin, bytes] : context().sizes) {
    if (address < begin || address >= begin + bytes) continue;
    *base = begin;
    *range = bytes;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
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
  const std::lock_guard one_at_a_time(entry);
  if (context().allocations.erase(reinterpret_cast<CUdeviceptr>(pointer)) == 0) misused("host memory was freed twice");
  --state.allocations;
  return context().broken;
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

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option*, void** values) {
  WATTUNE_UNLESS_BROKEN();
  WATTUNE_UNLESS_CAPTURING();
  if (count != 4) misused("modules are loaded with four options here");
  const std::string text = static_cast<const char*>(image);
  const bool ptx = text.starts_with(".version");
  if (text.find("BROKEN") != std::string::npos) {
    say(values, 2, "ptxas fatal   : Ptx assembly aborted due to errors");
    return CUDA_ERROR_INVALID_PTX;
  }
  while (text.find("WITHOUT END") != std::string::npos) pause();
  if (text.find("FROM THE FUTURE") != std::string::npos) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (!ptx && !text.starts_with(kImageMark)) return CUDA_ERROR_INVALID_IMAGE;
  if (ptx) say(values, 0, "compiled by the driver");
  *module = make_module(text);
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
           : attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES    ? static_cast<int>(private_bytes_of(*function))
           : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES   ? 256
           : attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
               ? static_cast<int>(state.allowed_dynamic_bytes)
               : 0;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  WATTUNE_UNLESS_BROKEN();
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    state.allowed_dynamic_bytes = static_cast<std::size_t>(value);
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    state.carveout = function->carveout = value;
    ++state.carveouts_set;
  }
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int block_size, std::size_t) {
  WATTUNE_UNLESS_BROKEN();
  *blocks = 1024 / block_size;  // half of what the multiprocessor holds
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void**) {
  const std::lock_guard one_at_a_time(entry);
  CUctx_st* const own = context_of(config->hStream);
  if (own == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (own->broken != CUDA_SUCCESS) return own->broken;
  if (!own->modules.contains(function->module)) return CUDA_ERROR_INVALID_HANDLE;
  const Entered entered(*own);
  CUstream_st& stream = stream_of(config->hStream);
  if (stream.capture) {
    stream.capture->nodes.push_back(
        std::make_unique<CUgraphNode_st>(CUgraphNode_st{*config, function, values_of(function, parameters)}));
    return CUDA_SUCCESS;
  }
  if (config->sharedMemBytes > state.allowed_dynamic_bytes) return CUDA_ERROR_INVALID_VALUE;
  ++state.launches;
  lose_when_due(context().device);
  if (is_lost(context().device)) return context().broken = CUDA_ERROR_UNKNOWN;
  state.dynamic_bytes = config->sharedMemBytes;
  state.block = config->blockDimX;
  state.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  state.priority = stream.priority;
  state.units = stream.units;
  state.cluster = {1, 1, 1};
  state.cooperative = false;
  state.launched_carveouts.push_back(function->carveout);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttributeValue& attribute = config->attrs[i].value;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) state.cooperative = attribute.cooperative != 0;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      state.cluster = {attribute.clusterDim.x, attribute.clusterDim.y, attribute.clusterDim.z};
  }
  make_private_room(*function);
  const bool waits = state.launches_wait || (state.first_launches_wait && !function->launched);
  function->launched = true;
  while (waits && stream.held()) std::this_thread::yield();
  context().now_ms += state.launch_gap_ms;
  catch_up(stream);
  stream.busy = true;
  FakeBoard& board = fake_board(static_cast<unsigned>(context().device));
  const double duration_ms = 0.001 * config->blockDimX * slowdown(board);
  stream.time_ms += duration_ms;
  board.launched_ms += duration_ms;
  return run(*config, function, stream, parameters);
}

}  // extern "C"
