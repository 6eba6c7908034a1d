#include "backend/opencl/discovery.h"

#include <CL/cl_ext.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/opencl/cl_error.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

// Returns a number that the device reports. If the driver does not answer, the number is 0, so that the device is
// listed nevertheless.
template <typename T>
T device_value(const ClApi& cl, cl_device_id device, cl_device_info what) {
  T value{};
  cl.clGetDeviceInfo(device, what, sizeof(T), &value, nullptr);  // NOLINT(bugprone-sizeof-expression): may be a handle
  return value;
}

// Returns a number that the device reports; nullopt if the driver does not report it.
template <typename T>
std::optional<T> told_value(const ClApi& cl, cl_device_id device, cl_device_info what) {
  const T value = device_value<T>(cl, device, what);
  return value != T{} ? std::optional(value) : std::nullopt;
}

// Returns a text of a device or platform, without the padding that some drivers add.
template <typename Function, typename Object>
std::string text(Function get, Object object, cl_uint what) {
  std::size_t size = 0;
  if (get(object, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string value(size, '\0');
  if (get(object, what, size, value.data(), nullptr) != CL_SUCCESS) return {};
  value.resize(value.find_last_not_of(std::string_view("\0 \n", 3)) + 1);
  return value.substr(std::min(value.find_first_not_of(' '), value.size()));
}

// Returns the place on the PCI bus if the driver has the extension cl_khr_pci_bus_info.
std::optional<cl_device_pci_bus_info_khr> bus_info(const ClApi& cl, cl_device_id device) {
  cl_device_pci_bus_info_khr info{};
  const cl_int code = cl.clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof info, &info, nullptr);
  return code == CL_SUCCESS ? std::optional(info) : std::nullopt;
}

// Returns the place on the PCI bus from older drivers of NVIDIA (cl_nv_device_attribute_query; Khronos' headers do not
// define its numbers).
std::optional<cl_device_pci_bus_info_khr> nvidia_bus_info(const ClApi& cl, cl_device_id device) {
  constexpr cl_device_info kBus = 0x4008;
  constexpr cl_device_info kSlot = 0x4009;  // number of the property that tells the slot: device * 8 + function
  constexpr cl_device_info kDomain = 0x400A;
  cl_uint bus = 0;
  if (cl.clGetDeviceInfo(device, kBus, sizeof bus, &bus, nullptr) != CL_SUCCESS) return std::nullopt;
  const auto slot = device_value<cl_uint>(cl, device, kSlot);
  return cl_device_pci_bus_info_khr{device_value<cl_uint>(cl, device, kDomain), bus, slot / 8, slot % 8};
}

// Returns the place on the PCI bus in NVML's form; empty if the driver does not report it.
std::string pci_bus_id_of(const ClApi& cl, cl_device_id device) {
  auto info = bus_info(cl, device);
  if (!info) info = nvidia_bus_info(cl, device);
  if (!info) return {};
  return fmt::format("{:04X}:{:02X}:{:02X}.{:X}", info->pci_domain, info->pci_bus, info->pci_device,
                     info->pci_function);
}

DeviceKind kind_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return DeviceKind::gpu;
  if (type & CL_DEVICE_TYPE_CPU) return DeviceKind::cpu;
  return DeviceKind::accelerator;
}

// Returns the types that the device computes with: half by its extension, double by its extension or by the support
// that OpenCL 1.2 and later report. OpenCL C has no bfloat16.
std::vector<std::string> types_of(const ClApi& cl, cl_device_id device) {
  const std::string extensions = " " + text(cl.clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS) + " ";
  std::vector<std::string> types;
  if (extensions.find(" cl_khr_fp16 ") != std::string::npos) types.emplace_back("half");
  if (extensions.find(" cl_khr_fp64 ") != std::string::npos ||
      device_value<cl_device_fp_config>(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0)
    types.emplace_back("double");
  return types;
}

DeviceInfo describe(const ClApi& cl, cl_platform_id platform, cl_device_id device, std::string selector) {
  DeviceInfo info;
  info.selector = std::move(selector);
  info.backend = "opencl";
  info.kind = kind_of(device_value<cl_device_type>(cl, device, CL_DEVICE_TYPE));
  info.name = text(cl.clGetDeviceInfo, device, CL_DEVICE_NAME);
  info.vendor = text(cl.clGetDeviceInfo, device, CL_DEVICE_VENDOR);
  info.platform = text(cl.clGetPlatformInfo, platform, CL_PLATFORM_NAME);
  info.driver_version = text(cl.clGetDeviceInfo, device, CL_DRIVER_VERSION);
  info.language_version = text(cl.clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_VERSION);
  info.languages = {Language::opencl};
  info.types = types_of(cl, device);
  info.pci_bus_id = pci_bus_id_of(cl, device);
  info.compute_units = told_value<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.clock_mhz = told_value<cl_uint>(cl, device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  info.global_memory_bytes = told_value<cl_ulong>(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.local_memory_bytes = told_value<cl_ulong>(cl, device, CL_DEVICE_LOCAL_MEM_SIZE);
  info.max_allocation_bytes = told_value<cl_ulong>(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.max_work_group_size = told_value<std::size_t>(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info.max_work_item_sizes = told_value<std::array<std::size_t, 3>>(cl, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  return info;
}

bool usable(const ClApi& cl, cl_device_id device) {
  return device_value<cl_bool>(cl, device, CL_DEVICE_AVAILABLE) &&
         device_value<cl_bool>(cl, device, CL_DEVICE_COMPILER_AVAILABLE);
}

std::vector<cl_device_id> devices_of(const ClApi& cl, cl_platform_id platform) {
  cl_uint count = 0;
  if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS) return {};
  return devices;
}

Result<std::vector<cl_platform_id>> platforms(const ClApi& cl) {
  cl_uint count = 0;
  const cl_int code = cl.clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0)
    return Error(ErrorCode::unavailable, "the OpenCL loader found no driver")
        .native(code, std::string(cl_name(code)))
        .hint("install the vendor's driver, or pocl-opencl-icd for the CPU");
  std::vector<cl_platform_id> ids(count);
  if (const cl_int status = cl.clGetPlatformIDs(count, ids.data(), nullptr); status != CL_SUCCESS)
    return cl_error(status, "listing the OpenCL platforms");
  return ids;
}

}  // namespace

Result<std::vector<ClDevice>> list_devices() {
  WATTUNE_ASSIGN(const ClApi* cl, cl_api());
  WATTUNE_ASSIGN(const std::vector<cl_platform_id> platform_ids, platforms(*cl));
  std::vector<ClDevice> found;
  for (std::size_t p = 0; p < platform_ids.size(); ++p) {
    const std::vector<cl_device_id> device_ids = devices_of(*cl, platform_ids[p]);
    for (std::size_t d = 0; d < device_ids.size(); ++d) {
      if (!usable(*cl, device_ids[d])) continue;
      found.push_back({platform_ids[p], device_ids[d],
                       describe(*cl, platform_ids[p], device_ids[d], fmt::format("opencl:{}:{}", p, d))});
    }
  }
  if (found.empty()) return Error(ErrorCode::unavailable, "no OpenCL device is available with a compiler");
  return found;
}

Result<ClDevice> describe_device(cl_device_id device) {
  WATTUNE_ASSIGN(const ClApi* cl, cl_api());
  WATTUNE_ASSIGN(const std::vector<ClDevice> devices, list_devices());
  cl_device_id whole = device;
  while (const auto parent = device_value<cl_device_id>(*cl, whole, CL_DEVICE_PARENT_DEVICE)) whole = parent;
  const auto found = std::ranges::find(devices, whole, &ClDevice::id);
  if (found == devices.end()) return Error(ErrorCode::unavailable, "the device has no compiler, or is not available");
  return ClDevice{found->platform, device, describe(*cl, found->platform, device, found->info.selector)};
}

}  // namespace wattune::backend::opencl
