#include "wattune/backend/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <sstream>

#include "backend/cuda/compiler.h"
#include "backend/cuda/cuda_device.h"
#include "backend/host/host_device.h"
#include "backend/opencl/compiler.h"
#include "backend/opencl/opencl_device.h"
#include "core/interface/suggest.h"

namespace wattune::inline v0_1::backend {

namespace {

using BackendPointer = std::shared_ptr<const Backend>;

std::vector<BackendPointer> built_in() {
  const Backend all[] = {
      {"cuda", cuda::discover_devices, cuda::open_device, cuda::missing, cuda::compile, 30},
      {"opencl", opencl::discover_devices, opencl::open_device, {}, opencl::compile, 20},
      {"host", host::discover_devices, host::open_device, host::missing, {}, 10},
  };
  std::vector<BackendPointer> backends;
  for (const Backend& backend : all) backends.push_back(std::make_shared<const Backend>(backend));
  return backends;
}

// The backends of this process, the preferred first. Callers share ownership of the backends that they use.
class Registry {
 public:
  std::vector<BackendPointer> all() {
    const std::lock_guard lock(mutex_);
    return backends_;
  }

  Result<void> add(Backend backend) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::count(backends_, backend.name, name_of) > 0)
      return Error(ErrorCode::already_exists, "a backend of this name is registered").about(backend.name);
    const auto place = std::ranges::find_if(
        backends_, [&](const BackendPointer& other) { return other->preference < backend.preference; });
    backends_.insert(place, std::make_shared<const Backend>(std::move(backend)));
    return {};
  }

  void remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::erase_if(backends_, [&](const BackendPointer& backend) { return backend->name == name; });
  }

 private:
  static const std::string& name_of(const BackendPointer& backend) { return backend->name; }

  std::mutex mutex_;
  std::vector<BackendPointer> backends_ = built_in();
};

Registry& registry() {
  static Registry registry;
  return registry;
}

// Tells whether a backend may have this name. It must be easy to type in a shell. It must have no colon, which ends it
// in a selector, and no comma, which separates selectors.
bool is_name(const std::string& name) {
  return !name.empty() && name != "auto" && std::ranges::all_of(name, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_' || c == '-';
  });
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

int rank_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu: return 3;
    case DeviceKind::accelerator: return 2;
    case DeviceKind::cpu: return 1;
    case DeviceKind::simulated: return 0;
  }
  return 0;
}

double speed_of(const DeviceInfo& device) { return device.compute_units.value_or(0) * device.clock_mhz.value_or(0.0); }

// True if device a, which is listed after b, is better than b. Backends are listed in the order of preference.
bool better(const DeviceInfo& a, const DeviceInfo& b) {
  if (rank_of(a.kind) != rank_of(b.kind)) return rank_of(a.kind) > rank_of(b.kind);
  return a.backend == b.backend && speed_of(a) > speed_of(b);
}

std::vector<DeviceInfo> devices_where(const Discovery& discovery, const auto& predicate) {
  std::vector<DeviceInfo> found;
  std::ranges::copy_if(discovery.devices, std::back_inserter(found), predicate);
  return found;
}

std::vector<DeviceInfo> devices_named(const Discovery& discovery, const std::string& wanted) {
  if (wanted == "auto") return discovery.devices;
  const std::string key = lower(wanted);
  std::vector<DeviceInfo> found =
      devices_where(discovery, [&](const DeviceInfo& d) { return lower(d.selector) == key; });
  if (found.empty()) found = devices_where(discovery, [&](const DeviceInfo& d) { return lower(d.backend) == key; });
  if (found.empty() && !key.empty())
    found = devices_where(discovery, [&](const DeviceInfo& d) { return lower(d.name).find(key) != std::string::npos; });
  return found;
}

bool compiles_one_of(const DeviceInfo& device, const std::vector<Language>& languages) {
  return std::ranges::any_of(languages, [&](Language language) { return compiles(device, language); });
}

std::string reasons_of(const Discovery& discovery) {
  std::string reasons;
  for (const BackendStatus& status : discovery.backends)
    if (!status.available)
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", status.backend, status.reason);
  return reasons;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Error nothing_here(const Discovery& discovery) {
  return Error(ErrorCode::unavailable, "this machine has no device to run kernels on").hint(reasons_of(discovery));
}

Error no_such_compiler(const Discovery& discovery, const std::string& wanted, const std::vector<Language>& languages) {
  const std::string_view language = to_string(languages.front());
  if (wanted == "auto")
    return Error(ErrorCode::unavailable, fmt::format("this machine has no device for {}", language))
        .hint(reasons_of(discovery));
  return Error(ErrorCode::mismatch,
               fmt::format("the kernel is written in {}, which device `{}` does not compile", language, wanted));
}

}  // namespace

Result<void> register_backend(Backend backend) {
  if (!is_name(backend.name))
    return Error(ErrorCode::invalid_argument, "not a name for a backend")
        .about(backend.name)
        .hint("lower-case letters, digits, - and _");
  if (!backend.discover || !backend.open)
    return Error(ErrorCode::invalid_argument, "a backend must discover and open devices").about(backend.name);
  return registry().add(std::move(backend));
}

void unregister_backend(const std::string& name) { registry().remove(name); }

Discovery discover() {
  Discovery discovery;
  for (const BackendPointer& backend : registry().all()) {
    Result<std::vector<DeviceInfo>> devices = backend->discover();
    if (devices) std::ranges::move(*devices, std::back_inserter(discovery.devices));
    std::string reason;
    if (!devices) reason = devices.error().to_string();
    if (devices && backend->missing) reason = backend->missing();
    discovery.backends.push_back({backend->name, devices.has_value(), std::move(reason)});
  }
  return discovery;
}

Result<std::unique_ptr<Device>> open_device(const std::string& selector) {
  const std::string prefix = selector.substr(0, selector.find(':'));
  std::vector<std::string> names;
  for (const BackendPointer& backend : registry().all()) {
    if (prefix == backend->name) return backend->open(selector);
    names.push_back(backend->name);
  }
  return Error(ErrorCode::not_found, fmt::format("no backend `{}`", prefix))
      .about(selector)
      .hint(suggest(prefix, names));
}

Result<Image> compile_image(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                            Nanoseconds limit) {
  for (const BackendPointer& backend : registry().all())
    if (target.backend == backend->name && backend->compile) return backend->compile(target, source, macros, limit);
  return Error(ErrorCode::invalid_argument,
               fmt::format("backend `{}` does not compile without a device", target.backend));
}

const DeviceInfo* best_device(const std::vector<DeviceInfo>& devices) {
  // The first of several equal devices wins, whatever the algorithm.
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : devices)
    if (best == nullptr || better(device, *best)) best = &device;
  return best;
}

Result<DeviceInfo> select_device(const Discovery& discovery, const std::string& wanted,
                                 const std::vector<Language>& languages) {
  if (discovery.devices.empty()) return nothing_here(discovery);
  std::vector<DeviceInfo> found = devices_named(discovery, wanted);
  const std::vector<DeviceInfo> named = found;
  if (!languages.empty()) std::erase_if(found, [&](const DeviceInfo& d) { return !compiles_one_of(d, languages); });
  if (!found.empty()) return *best_device(found);
  if (!named.empty()) return no_such_compiler(discovery, wanted, languages);
  for (const BackendStatus& status : discovery.backends)
    if (!status.available && lower(wanted).substr(0, wanted.find(':')) == status.backend)
      return Error(ErrorCode::unavailable, fmt::format("no device `{}` on this machine", wanted)).hint(status.reason);
  std::vector<std::string> names{"auto"};
  for (const DeviceInfo& device : discovery.devices) names.push_back(device.selector);
  return Error(ErrorCode::not_found, fmt::format("no device `{}` on this machine", wanted))
      .hint(suggest(wanted, names));
}

namespace {

// Resolves one part of a list: a single device, or all devices of a backend.
Result<std::vector<DeviceInfo>> select_one_or_all(const Discovery& discovery, const std::string& wanted,
                                                  const std::vector<Language>& languages) {
  constexpr std::string_view kAll = ":all";
  const bool all = lower(wanted).ends_with(kAll);
  const std::string name = all ? wanted.substr(0, wanted.size() - kAll.size()) : wanted;
  WATTUNE_ASSIGN(const DeviceInfo one, select_device(discovery, name, languages));
  if (!all) return std::vector<DeviceInfo>{one};
  if (lower(name) != one.backend)
    return Error(ErrorCode::not_found, fmt::format("no backend `{}`", name))
        .about(wanted)
        .hint(fmt::format("{}:all means every device of a backend", one.backend));
  return devices_where(discovery, [&](const DeviceInfo& device) { return device.backend == one.backend; });
}

}  // namespace

Result<std::vector<DeviceInfo>> select_devices(const Discovery& discovery, const std::string& wanted,
                                               const std::vector<Language>& languages) {
  // The text is tried as a single name first, because names of devices may contain commas.
  if (const auto one = select_device(discovery, wanted, languages)) return std::vector<DeviceInfo>{*one};
  const std::vector<std::string> parts = split_at_commas(wanted);
  if (parts.size() < 2) return select_one_or_all(discovery, wanted, languages);
  std::vector<DeviceInfo> devices;
  for (const std::string& part : parts) {
    WATTUNE_ASSIGN(const std::vector<DeviceInfo> found, select_one_or_all(discovery, part, languages));
    for (const DeviceInfo& device : found) {
      if (std::ranges::count(devices, device.selector, &DeviceInfo::selector) > 0)
        return Error(ErrorCode::invalid_argument, fmt::format("device `{}` is named twice", device.selector))
            .about(wanted);
      devices.push_back(device);
    }
  }
  return devices;
}

}  // namespace wattune::backend
