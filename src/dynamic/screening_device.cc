#include "dynamic/screening_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "wattune/backend/sharing.h"

namespace wattune::dynamic {

Result<DeviceInfo> find_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                         const backend::Discovery& discovery) {
  if (!wanted.empty()) return backend::select_device(discovery, wanted, attached.languages);
  const auto same_place = [&](const DeviceInfo& device) {
    return device.backend == attached.backend && !device.pci_bus_id.empty() && device.pci_bus_id == attached.pci_bus_id;
  };
  const auto model = [](const DeviceInfo& device) {
    return std::tie(device.backend, device.platform, device.name, device.driver_version);
  };
  auto found = std::ranges::find_if(discovery.devices, same_place);
  if (found == discovery.devices.end()) found = std::ranges::find(discovery.devices, model(attached), model);
  if (found != discovery.devices.end()) return *found;
  return Error(ErrorCode::not_found,
               fmt::format("another process does not find the device {} ({})", attached.name, attached.selector))
      .hint("TunerOptions::screening_device names one");
}

Result<std::unique_ptr<backend::Device>> open_screening_device(const DeviceInfo& attached, const std::string& wanted,
                                                               const backend::WorkerOptions& worker) {
  WATTUNE_TRY(backend::check_second_process(attached));
  WATTUNE_ASSIGN(const backend::Discovery discovery, backend::discover_in_worker(worker));
  WATTUNE_ASSIGN(const DeviceInfo device, find_screening_device(attached, wanted, discovery));
  return backend::open_device_in_worker(device.selector, worker);
}

}  // namespace wattune::dynamic
