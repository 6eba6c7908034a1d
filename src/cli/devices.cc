#include "cli/devices.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <tuple>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "report/text.h"
#include "wattune/backend/counters.h"
#include "wattune/backend/worker.h"

namespace wattune::cli {

namespace {

std::string table_of_devices(const backend::Discovery& discovery) {
  auto table =
      report::TextTable::of_text({"selector", "name", "kind", "units", "clock", "memory", "driver", "sensors"});
  for (const DeviceInfo& device : discovery.devices) {
    table.add_row({device.selector, device.name, to_string(device.kind), fmt::format("{}", device.compute_units),
                   fmt::format("{:.0f} MHz", device.clock_mhz),
                   format_bytes(static_cast<double>(device.global_memory_bytes)), device.driver_version,
                   fmt::format("{}", fmt::join(device.sensors, " "))});
  }
  std::string text = discovery.devices.empty() ? "no device found\n" : table.to_string();
  if (const DeviceInfo* best = backend::best_device(discovery.devices)) {
    text += fmt::format("\n`--device auto` means {}\n", best->selector);
  }
  for (const backend::BackendStatus& status : discovery.backends) {
    if (!status.reason.empty())
      text += fmt::format("{}: {}{}\n", status.backend, status.available ? "" : "not available: ", status.reason);
  }
  return text;
}

Json discovery_json(const backend::Discovery& discovery) {
  Json json = {{"devices", Json::array()}, {"backends", Json::array()}, {"auto", nullptr}};
  for (const DeviceInfo& device : discovery.devices) json["devices"].push_back(to_json(device));
  for (const backend::BackendStatus& status : discovery.backends) {
    json["backends"].push_back(
        {{"backend", status.backend}, {"available", status.available}, {"reason", status.reason}});
  }
  if (const DeviceInfo* best = backend::best_device(discovery.devices)) json["auto"] = best->selector;
  return json;
}

// `wanted` is a chip, for which no device is needed, or whatever names a device.
Result<std::vector<backend::CounterInfo>> find_counters(const std::string& wanted, bool in_process) {
  auto of_chip = backend::counters_of_chip(wanted);
  if (of_chip || of_chip.error().code() != ErrorCode::not_found) return of_chip;
  WATTUNE_ASSIGN(const backend::Discovery discovery, find_devices(in_process));
  const Result<DeviceInfo> device = backend::select_device(discovery, wanted);
  if (!device)
    return Error(ErrorCode::not_found, "neither a device of this machine nor a chip whose counters CUPTI knows")
        .about(wanted)
        .hint(of_chip.error().advice());
  WATTUNE_ASSIGN(const auto opened, in_process ? backend::open_device(device->selector)
                                               : backend::open_device_in_worker(device->selector));
  WATTUNE_ASSIGN(backend::Counters* const counters, opened->counters());
  return counters->list();
}

std::string table_of_counters(const std::vector<backend::CounterInfo>& counters) {
  auto table = report::TextTable::of_text({"counter", "kind", "unit", "what it counts"});
  for (const backend::CounterInfo& each : counters)
    table.add_row({each.name, std::string(to_string(each.kind)), each.unit, each.description});
  auto aliases = report::TextTable::of_text({"short name", "stands for", "which is"});
  for (const backend::CounterAlias& alias : backend::counter_aliases())
    aliases.add_row({alias.name, alias.counter, alias.meaning});
  return table.to_string() +
         "\nA sub-metric makes a number of them: .sum .avg .min .max of a counter, and behind these .per_second, "
         ".pct_of_peak_sustained_elapsed and others; .ratio or .pct of a ratio; "
         ".avg.pct_of_peak_sustained_elapsed of a throughput.\n\n" +
         aliases.to_string();
}

Json counters_json(const std::vector<backend::CounterInfo>& counters) {
  Json json = {{"counters", Json::array()}};
  for (const backend::CounterInfo& each : counters)
    json["counters"].push_back({{"name", each.name},
                                {"kind", std::string(to_string(each.kind))},
                                {"unit", each.unit},
                                {"description", each.description}});
  return json;
}

Result<ExitStatus> run_counters(const std::string& wanted, bool json, bool in_process) {
  WATTUNE_ASSIGN(const std::vector<backend::CounterInfo> counters, find_counters(wanted, in_process));
  const bool printed = json ? print_document(dump(counters_json(counters))) : print_result(table_of_counters(counters));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

Result<ExitStatus> run_devices(bool json, bool in_process) {
  WATTUNE_ASSIGN(const backend::Discovery discovery, find_devices(in_process));
  const bool printed =
      json ? print_document(dump(discovery_json(discovery))) : print_result(table_of_devices(discovery));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

Error no_device(const backend::Discovery& discovery) {
  std::string reasons;
  for (const backend::BackendStatus& status : discovery.backends) {
    if (status.available) continue;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", status.backend, status.reason);
  }
  return Error(ErrorCode::unavailable, "no device found").hint(reasons.empty() ? "see `wattune devices`" : reasons);
}

}  // namespace

Result<backend::Discovery> find_devices(bool in_process) {
  return in_process ? backend::discover() : backend::discover_in_worker();
}

Result<std::vector<DeviceInfo>> find_named_devices(const std::string& wanted, const KernelSpec& spec, bool in_process) {
  std::vector<Language> languages{spec.source.language};
  for (const KernelSource& source : spec.alternatives) languages.push_back(source.language);
  WATTUNE_ASSIGN(const backend::Discovery discovery, find_devices(in_process));
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

Result<std::unique_ptr<backend::Device>> open_device(const std::string& selector, bool in_process,
                                                     std::uint64_t memory_limit) {
  if (in_process) return backend::open_device(selector);
  auto opened = backend::open_device_in_worker(selector, {.memory_limit_bytes = memory_limit});
  if (opened || memory_limit == backend::default_memory_limit()) return opened;
  return std::move(opened).error().with_context(
      fmt::format("with --memory-limit {}", format_bytes(static_cast<double>(memory_limit))));
}

Command add_devices(CLI::App& program) {
  struct Options {
    bool json = false;
    bool in_process = false;
    std::string counters;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("devices", "List the devices kernels can be tuned on, and what is missing");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->add_flag("--in-process", options->in_process, "Load the drivers into this process instead of a worker");
  app->add_option("--counters", options->counters,
                  "List the hardware counters of a device, or of a chip such as GH100, instead")
      ->type_name("DEVICE|CHIP");
  app->footer(
      "Examples:\n  wattune devices\n  wattune devices --counters cuda:0\n"
      "  wattune tune kernel.toml --device opencl:0:0\n"
      "host:0 stands for the processors of this machine, which run functions in C++ and C.");
  return {app, [options] {
            if (!options->counters.empty()) return run_counters(options->counters, options->json, options->in_process);
            return run_devices(options->json, options->in_process);
          }};
}

}  // namespace wattune::cli
