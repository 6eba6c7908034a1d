#include "dynamic/screening/screening_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "backend/interface/sharing.h"

namespace wattune::inline v0_1::dynamic {

namespace {

bool is_at_same_place(const DeviceInfo& a, const DeviceInfo& b) {
  return a.backend == b.backend && !a.pci_bus_id.empty() && a.pci_bus_id == b.pci_bus_id;
}

bool is_same_model(const DeviceInfo& a, const DeviceInfo& b) {
  const auto model = [](const DeviceInfo& device) {
    return std::tie(device.backend, device.platform, device.name, device.driver_version);
  };
  return model(a) == model(b);
}

}  // namespace

bool is_screening_device(const DeviceInfo& attached, const DeviceInfo& device) {
  return attached.pci_bus_id.empty() ? is_same_model(attached, device) : is_at_same_place(attached, device);
}

Result<DeviceInfo> find_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                         const backend::Discovery& discovery) {
  if (!wanted.empty()) return backend::select_device(discovery, wanted, attached.languages);
  const auto find = [&](const auto& is_alike) {
    return std::ranges::find_if(discovery.devices, [&](const DeviceInfo& each) { return is_alike(attached, each); });
  };
  auto found = find(is_at_same_place);
  if (found == discovery.devices.end()) found = find(is_same_model);
  if (found != discovery.devices.end()) return *found;
  return Error(ErrorCode::not_found,
               fmt::format("another process does not find the device {} ({})", attached.name, attached.selector))
      .hint("TunerOptions::screening_device names one");
}

Result<std::unique_ptr<backend::Device>> open_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                                               const backend::WorkerOptions& worker) {
  WATTUNE_TRY(backend::check_second_process(attached));
  if (wanted.empty()) {
    // Tries the same selector first. In most cases it names the same device in both processes, and searching for the
    // device takes as long as opening it.
    auto opened = backend::open_device_in_worker(attached.selector, worker);
    if (opened ? is_screening_device(attached, (*opened)->info()) : opened.error().code() != ErrorCode::not_found)
      return opened;
  }
  WATTUNE_ASSIGN(const backend::Discovery discovery, backend::discover_in_worker(worker));
  WATTUNE_ASSIGN(const DeviceInfo device, find_screening_device(attached, wanted, discovery));
  return backend::open_device_in_worker(device.selector, worker);
}

}  // namespace wattune::dynamic
