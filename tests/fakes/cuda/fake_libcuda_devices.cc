// The facts about itself and its devices that the stand-in for libcuda.so.1 reports.
#include <cstdio>
#include <cstdlib>

#include "fakes/cuda/fake_driver.h"

namespace {

int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

// Returns the names without the use of streams, which do not work if the program holds the C++ library itself.
std::vector<std::string> device_names() {
  const char* const list = std::getenv("WATTUNE_FAKE_CUDA_DEVICES");
  std::string text = list != nullptr ? list : "Stand-in GPU";
  std::vector<std::string> names;
  for (std::size_t comma; (comma = text.find(',')) != std::string::npos; text.erase(0, comma + 1))
    names.push_back(text.substr(0, comma));
  names.push_back(text);
  return names;
}

}  // namespace

extern "C" {

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
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) {
    *value = from_environment("WATTUNE_FAKE_CUDA_COMPUTE_MODE", 0);
    return CUDA_SUCCESS;
  }
  // Without the variable it is an older driver, which does not know the attribute.
  if (attribute == CU_DEVICE_ATTRIBUTE_MPS_ENABLED && std::getenv("WATTUNE_FAKE_CUDA_MPS") != nullptr) {
    *value = from_environment("WATTUNE_FAKE_CUDA_MPS", 0);
    return CUDA_SUCCESS;
  }
  const std::map<int, int> known = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                                    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
                                    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, 1024},
                                    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, 64},
                                    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                                    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
                                    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                                    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                                    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
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

}  // extern "C"
