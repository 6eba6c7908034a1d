#include "backend/host/host_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>

#include "backend/device/foreign_object.h"
#include "backend/device/shared_object.h"
#include "backend/host/buffer.h"
#include "backend/host/fill.h"
#include "backend/host/program.h"
#include "backend/host/stream.h"
#include "core/interface/suggest.h"

namespace wattune::inline v0_1::backend::host {

namespace {

constexpr const char* kSelector = "host:0";

class HostDevice : public Device {
 public:
  explicit HostDevice(const DeviceInfo& info) : info_(info), session_(std::make_shared<Session>(info)) {}
  ~HostDevice() override { session_->close(); }

  const DeviceInfo& info() const override { return info_; }

  Result<std::unique_ptr<Program>> build(const KernelSource& source, std::span<const Macro> macros,
                                         Nanoseconds limit) override {
    WATTUNE_TRY(session_->check());
    if (!is_host_language(source.language))
      return Error(ErrorCode::invalid_argument,
                   fmt::format("the host compiles C++ and C, not {}", to_string(source.language)));
    return build_program(session_, source, macros, limit);
  }

  Result<CompileTarget> compile_target(const KernelSource&) override {
    return Error(ErrorCode::unavailable,
                 "compile processes would share the processors with the kernels that are timed");
  }

  Result<std::unique_ptr<Program>> load(const Image&, std::span<const Macro>, Nanoseconds) override {
    return Error(ErrorCode::invalid_argument, "the host runs what it built itself");
  }

  Result<Counters*> counters() override {
    return Error(ErrorCode::unavailable, "hardware counters of the host's processors are not read");
  }

  Result<std::unique_ptr<Buffer>> create_buffer(std::size_t bytes) override {
    WATTUNE_TRY(session_->check());
    return HostBuffer::make(session_, bytes);
  }

  Result<std::unique_ptr<Stream>> create_stream(const StreamOptions& options) override {
    WATTUNE_TRY(session_->check());
    if (options.units.count > 0) return no_unit_ranges(info());
    return make_stream(session_);
  }

  Result<std::vector<SensorSample>> finish(std::span<Stream* const> streams, const Wait& wait) override {
    WATTUNE_TRY(check_own(*session_, streams));
    return Device::finish(streams, wait);
  }

  Result<Sensors*> sensors() override { return Error(ErrorCode::unavailable, "the host's sensors are not read"); }

  Result<ClockControl*> clock_control() override {
    return Error(ErrorCode::unavailable, "the clocks of the host's processors are not set");
  }

  Result<void> reset() override {
    session_->close();
    session_ = std::make_shared<Session>(info_);
    return {};
  }

 private:
  const DeviceInfo info_;
  std::shared_ptr<Session> session_;
};

// Returns the text that follows a name in /proc/cpuinfo, for the first processor; empty if the name is missing.
std::string processor_text(const std::string& name) {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(name) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

// Returns the highest possible clock, or else the current one; nullopt if the system reports neither.
std::optional<double> clock_mhz() {
  double khz = 0.0;
  if (std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> khz) return khz / 1e3;
  const double mhz = std::strtod(processor_text("cpu MHz").c_str(), nullptr);
  return mhz > 0.0 ? std::optional(mhz) : std::nullopt;
}

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Returns the types with which a compiler that defines these macros computes. A compiler that computes with _Float16 or
// __bf16 defines macros with their limits, as for float.
std::vector<std::string> types_of(const std::string& macros) {
  const auto defines = [&](std::string_view name) { return macros.find(name) != std::string::npos; };
  std::vector<std::string> types;
  if (defines(" __FLT16_MANT_DIG__ ")) types.emplace_back("half");
  types.emplace_back("double");
  if (defines(" __BFLT16_MANT_DIG__ ") || defines(" __BF16_MANT_DIG__ ")) types.emplace_back("bfloat16");
  return types;
}

// Describes the device. The compiler's version stands in place of a driver's, because another compiler makes another
// kernel.
DeviceInfo describe(std::string compiler) {
  DeviceInfo info;
  info.selector = kSelector;
  info.backend = "host";
  info.kind = DeviceKind::cpu;
  info.name = processor_text("model name");
  if (info.name.empty()) info.name = "host CPU";
  info.vendor = processor_text("vendor_id");
  info.platform = "host";
  info.driver_version = std::move(compiler);
  info.language_version = "C++ and C";
  info.languages = {Language::cpp, Language::c};
  info.compute_units = std::max(1U, static_cast<unsigned>(usable_processors().size()));
  info.clock_mhz = clock_mhz();
  info.global_memory_bytes = memory_bytes();
  info.max_allocation_bytes = info.global_memory_bytes;
  info.max_work_group_size = 1;
  info.max_work_item_sizes = {1, 1, 1};
  return info;
}

// Describes the device by its C++ compiler, or by its C compiler if there is no C++ compiler. Fails with unavailable if
// there is neither.
Result<DeviceInfo> describe_with_compiler() {
  Result<std::string> compiler = system_compiler_version(Language::cpp);
  if (!compiler) compiler = system_compiler_version(Language::c);
  if (!compiler) return std::move(compiler).error();
  return describe(*std::move(compiler));
}

}  // namespace

Result<std::vector<DeviceInfo>> discover_devices() {
  WATTUNE_ASSIGN(DeviceInfo device, describe_with_compiler());
  Result<std::string> macros = system_compiler_macros(Language::cpp);
  if (!macros) macros = system_compiler_macros(Language::c);
  device.types = types_of(macros ? *macros : std::string());
  return std::vector<DeviceInfo>{std::move(device)};
}

Result<std::unique_ptr<Device>> open_device(const std::string& selector) {
  WATTUNE_ASSIGN(const DeviceInfo device, describe_with_compiler());
  if (selector == kSelector) return std::unique_ptr<Device>(std::make_unique<HostDevice>(device));
  return Error(ErrorCode::not_found, fmt::format("no device `{}`", selector)).hint(suggest(selector, {kSelector}));
}

std::string missing() {
  for (const Language language : {Language::cpp, Language::c})
    if (const auto compiler = system_compiler_version(language); !compiler) return compiler.error().to_string();
  return {};
}

}  // namespace wattune::backend::host
