// `wattune devices`: lists the devices of this machine. They are found in a worker process, or in this process if the
// user asks for it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "report/interface/text.h"
#include "wattune/backend/counters.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

namespace {

std::string table_of_devices(const backend::Discovery& discovery) {
  auto table = report::TextTable::of_text(
      {"selector", "name", "kind", "units", "clock", "memory", "types", "driver", "sensors"});
  for (const DeviceInfo& device : discovery.devices) {
    table.add_row({device.selector, device.name, to_string(device.kind),
                   fmt::format("{}", device.compute_units.value_or(0)),
                   fmt::format("{:.0f} MHz", device.clock_mhz.value_or(0.0)),
                   format_bytes(static_cast<double>(device.global_memory_bytes.value_or(0))),
                   fmt::format("{}", fmt::join(device.types, " ")), device.driver_version,
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
  for (const DeviceInfo& device : discovery.devices) {
    json["devices"].push_back(to_json(device));
    json["devices"].back()["types"] = device.types;
  }
  for (const backend::BackendStatus& status : discovery.backends) {
    json["backends"].push_back(
        {{"backend", status.backend}, {"available", status.available}, {"reason", status.reason}});
  }
  if (const DeviceInfo* best = backend::best_device(discovery.devices)) json["auto"] = best->selector;
  return json;
}

// Lists the counters of `wanted`: a chip such as GH100, for which no device is needed, or the name of a device.
Result<std::vector<backend::CounterInfo>> find_counters(const std::string& wanted, bool in_process) {
  auto of_chip = backend::counters_of_chip(wanted);
  if (of_chip || of_chip.error().code() != ErrorCode::not_found) return of_chip;
  WATTUNE_ASSIGN(const backend::Discovery discovery, tune::find_devices({.in_process = in_process}));
  const Result<DeviceInfo> device = backend::select_device(discovery, wanted);
  if (!device)
    return Error(ErrorCode::not_found, "neither a device of this machine nor a chip whose counters CUPTI knows")
        .about(wanted)
        .hint(of_chip.error().advice());
  WATTUNE_ASSIGN(const auto opened, tune::open_device(device->selector, {.in_process = in_process}));
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
  WATTUNE_ASSIGN(const backend::Discovery discovery, tune::find_devices({.in_process = in_process}));
  const bool printed =
      json ? print_document(dump(discovery_json(discovery))) : print_result(table_of_devices(discovery));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

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
