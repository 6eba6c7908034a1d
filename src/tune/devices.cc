#include "wattune/tune/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace wattune::inline v0_1::tune {

namespace {

Error no_device(const backend::Discovery& discovery) {
  std::string reasons;
  for (const backend::BackendStatus& status : discovery.backends) {
    if (status.available) continue;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", status.backend, status.reason);
  }
  return Error(ErrorCode::unavailable, "no device found").hint(reasons.empty() ? "see `wattune devices`" : reasons);
}

}  // namespace

Result<backend::Discovery> find_devices(const DriverHost& where) {
  if (where.in_process) return backend::discover();
  return backend::discover_in_worker(
      {.executable = where.worker.executable, .environment = where.worker.environment, .stop = where.worker.stop});
}

Result<std::vector<DeviceInfo>> find_devices_for(const KernelSpec& spec, const std::string& wanted,
                                                 const DriverHost& where) {
  std::vector<Language> languages{spec.source.language};
  for (const KernelSource& source : spec.alternatives) languages.push_back(source.language);
  WATTUNE_ASSIGN(const backend::Discovery discovery, find_devices(where));
  if (discovery.devices.empty()) return no_device(discovery);
  return backend::select_devices(discovery, wanted, languages);
}

std::vector<std::vector<DeviceInfo>> by_model(const std::vector<DeviceInfo>& devices) {
  const auto model = [](const DeviceInfo& device) {
    return std::tie(device.backend, device.platform, device.name, device.driver_version, device.architecture,
                    device.compute_units);
  };
  std::vector<std::vector<DeviceInfo>> groups;
  for (const DeviceInfo& device : devices) {
    const auto group = std::ranges::find_if(groups, [&](const auto& g) { return model(g.front()) == model(device); });
    (group != groups.end() ? *group : groups.emplace_back()).push_back(device);
  }
  return groups;
}

std::string describe(const std::vector<DeviceInfo>& devices) {
  std::string selectors;
  for (const DeviceInfo& device : devices) selectors += (selectors.empty() ? "" : ", ") + device.selector;
  return fmt::format("{} ({})", devices.front().name, selectors);
}

Result<std::unique_ptr<backend::Device>> open_device(const std::string& selector, const DriverHost& where) {
  if (where.in_process) return backend::open_device(selector);
  auto opened = backend::open_device_in_worker(selector, where.worker);
  const std::optional<std::uint64_t> limit = where.worker.memory_limit_bytes;
  if (opened || !limit || *limit == backend::default_memory_limit()) return opened;
  return std::move(opened).error().with_context(
      fmt::format("with a memory limit of {:.4g} MB", static_cast<double>(*limit) / 1e6));
}

}  // namespace wattune::tune
