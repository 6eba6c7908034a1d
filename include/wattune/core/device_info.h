// DeviceInfo: the facts about a device that are known without running anything on it. kDeviceFields lists those that
// files hold, and for_each_field() visits them. A value that owns its parts.
//
//   for_each_field(info, [&](const char* name, const auto& value) { write(name, in_files(value)); });
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/kernel_source.h"

namespace wattune::inline v0_1 {

enum class DeviceKind { cpu, gpu, accelerator, simulated };

// The facts about one device, as far as its backend reports them.
struct WATTUNE_EXPORT DeviceInfo {
  std::string selector;  // the user's name for it: "opencl:0:0"
  std::string backend;   // "opencl"
  DeviceKind kind = DeviceKind::cpu;
  std::string name;
  std::string vendor;
  std::string platform;          // "Portable Computing Language"
  std::string driver_version;    // part of the identity that Trials of one journal share
  std::string language_version;  // "OpenCL C 1.2 pocl"
  std::string architecture;      // "sm_90", of CUDA devices; empty for others
  std::string pci_bus_id;        // "0000:3B:00.0", by which power::open_board() finds its sensors; empty for others
  std::optional<unsigned> compute_units = {};
  std::optional<double> clock_mhz = {};
  std::optional<std::uint64_t> global_memory_bytes = {};
  std::optional<std::uint64_t> local_memory_bytes = {};
  std::optional<std::uint64_t> max_allocation_bytes = {};
  std::optional<std::size_t> max_work_group_size = {};
  std::optional<std::array<std::size_t, 3>> max_work_item_sizes = {};
  std::vector<std::string> sensors;  // readable quantities: clock, throttling, power, energy, temperature
  // The languages that its compiler reads. A device that reads CUDA also has constant symbols, clusters and cooperative
  // launches.
  std::vector<Language> languages;
  // The types among half, double and bfloat16 with which kernels can compute. Only discover() fills the list. Files do
  // not hold it, and opening a host device leaves it empty to save a question to the compiler.
  std::vector<std::string> types;

  bool operator==(const DeviceInfo&) const = default;
};

constexpr const char* to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::gpu: return "gpu";
    case DeviceKind::accelerator: return "accelerator";
    case DeviceKind::simulated: return "simulated";
  }
  return "unknown";
}

// True if the device's compiler reads this language.
inline bool compiles(const DeviceInfo& device, Language language) {
  return std::ranges::find(device.languages, language) != device.languages.end();
}

// A member of DeviceInfo under the name that it has in files and in --json.
template <typename T>
struct WATTUNE_EXPORT DeviceField {
  const char* name;
  T DeviceInfo::*member;
};
template <typename T>
DeviceField(const char*, T DeviceInfo::*) -> DeviceField<T>;

// Every member that is written to files, in their order. Together they tell one device from another.
inline constexpr std::tuple kDeviceFields{
    DeviceField{"selector", &DeviceInfo::selector},
    DeviceField{"backend", &DeviceInfo::backend},
    DeviceField{"kind", &DeviceInfo::kind},
    DeviceField{"name", &DeviceInfo::name},
    DeviceField{"vendor", &DeviceInfo::vendor},
    DeviceField{"platform", &DeviceInfo::platform},
    DeviceField{"driver_version", &DeviceInfo::driver_version},
    DeviceField{"language_version", &DeviceInfo::language_version},
    DeviceField{"architecture", &DeviceInfo::architecture},
    DeviceField{"pci_bus_id", &DeviceInfo::pci_bus_id},
    DeviceField{"compute_units", &DeviceInfo::compute_units},
    DeviceField{"clock_mhz", &DeviceInfo::clock_mhz},
    DeviceField{"global_memory_bytes", &DeviceInfo::global_memory_bytes},
    DeviceField{"local_memory_bytes", &DeviceInfo::local_memory_bytes},
    DeviceField{"max_allocation_bytes", &DeviceInfo::max_allocation_bytes},
    DeviceField{"max_work_group_size", &DeviceInfo::max_work_group_size},
    DeviceField{"max_work_item_sizes", &DeviceInfo::max_work_item_sizes},
    DeviceField{"sensors", &DeviceInfo::sensors},
};

// Calls visit(name, value) for each member in kDeviceFields of a DeviceInfo, const or not.
template <typename Device, typename Visit>
void for_each_field(Device& device, Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field.name, device.*field.member), ...); }, kDeviceFields);
}

// Returns the value that stands for a fact in files and in --json: 0 if the fact is unknown.
template <typename T>
const T& in_files(const T& fact) {
  return fact;
}
template <typename T>
T in_files(const std::optional<T>& fact) {
  return fact.value_or(T{});
}

}  // namespace wattune
