#include "backend/cuda/discovery.h"

#include <fmt/format.h>

#include <array>

#include "backend/cuda/cuda_error.h"
#include "backend/interface/nvml_sensors.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Returns an attribute of the device. If the driver cannot answer, the attribute is 0, so that the device is listed
// nevertheless.
int attribute(const CuApi& cu, CUdevice device, int which) {
  int value = 0;
  cu.cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(which), device);
  return value;
}

std::string name_of(const CuApi& cu, CUdevice device) {
  std::array<char, 256> name{};
  if (cu.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device) != CUDA_SUCCESS) return {};
  return name.data();
}

// Returns the place on the PCI bus; empty if the driver does not report it.
std::string pci_bus_id_of(const CuApi& cu, CUdevice device) {
  std::array<char, 32> id{};
  if (cu.cuDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), device) != CUDA_SUCCESS) return {};
  return id.data();
}

// Returns the types that devices of this compute capability have instructions for. Older devices convert half and
// bfloat16 to float.
std::vector<std::string> types_of(int major, int minor) {
  std::vector<std::string> types;
  if (major > 5 || (major == 5 && minor >= 3)) types.emplace_back("half");
  types.emplace_back("double");
  if (major >= 8) types.emplace_back("bfloat16");
  return types;
}

CuDevice describe(const CuApi& cu, CUdevice id, int ordinal) {
  const auto size = [&](int which) { return static_cast<std::size_t>(attribute(cu, id, which)); };
  CuDevice device{.id = id};
  DeviceInfo& info = device.info;
  info.selector = fmt::format("cuda:{}", ordinal);
  info.backend = "cuda";
  info.kind = DeviceKind::gpu;
  info.name = name_of(cu, id);
  info.vendor = "NVIDIA Corporation";
  info.platform = "NVIDIA CUDA";
  info.driver_version = "CUDA " + version_text(cu.version);
  info.language_version = "CUDA C++";
  info.languages = {Language::cuda};
  const int major = attribute(cu, id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = attribute(cu, id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.architecture = fmt::format("sm_{}{}", major, minor);
  info.types = types_of(major, minor);
  info.compute_units = static_cast<unsigned>(size(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  if (const int khz = attribute(cu, id, CU_DEVICE_ATTRIBUTE_CLOCK_RATE); khz > 0) info.clock_mhz = khz / 1000.0;
  std::size_t memory = 0;
  cu.cuDeviceTotalMem(&memory, id);
  info.global_memory_bytes = memory;
  info.max_allocation_bytes = memory;
  device.plain_local_bytes = size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  device.unit_local_bytes = size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.local_memory_bytes =
      std::max(device.plain_local_bytes, size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  info.max_work_group_size = size(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_work_item_sizes = {size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1),
                              size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2)};
  device.max_threads_per_unit = static_cast<unsigned>(size(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
  device.pci_bus_id = pci_bus_id_of(cu, id);
  info.pci_bus_id = device.pci_bus_id;
  info.sensors = nvml::NvmlSensors(device.pci_bus_id).names();
  return device;
}

}  // namespace

Result<std::vector<CuDevice>> list_devices() {
  WATTUNE_ASSIGN(const CuApi* cu, cu_api());
  int count = 0;
  if (const CUresult code = cu->cuDeviceGetCount(&count); code != CUDA_SUCCESS)
    return cu_error(*cu, code, "counting the CUDA devices");
  if (count == 0) return cu_error(*cu, CUDA_ERROR_NO_DEVICE, "looking for CUDA devices");
  std::vector<CuDevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice id = 0;
    if (const CUresult code = cu->cuDeviceGet(&id, ordinal); code != CUDA_SUCCESS)
      return cu_error(*cu, code, fmt::format("looking at CUDA device {}", ordinal));
    devices.push_back(describe(*cu, id, ordinal));
  }
  return devices;
}

}  // namespace wattune::backend::cuda
