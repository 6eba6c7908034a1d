// `wattune power`: lists the boards' sensors of power and energy, with what is known about them, and the settings that
// can be changed.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/inspect/power_report.h"
#include "cli/inspect/restore_boards.h"
#include "cli/inspect/spin_load.h"
#include "cli/program/command.h"
#include "cli/program/terminal.h"

namespace wattune::cli {

namespace {

struct PowerOptions {
  bool json = false;
  bool in_process = false;
  bool characterise = false;
  bool restore = false;
  std::string device;

  tune::DriverHost where() const { return {.in_process = in_process}; }
};

// A board, and the device that computes on it, if there is one.
struct PoweredBoard {
  power::Board board;
  std::string selector;
};

Result<PoweredBoard> board_of_device(const PowerOptions& options) {
  WATTUNE_ASSIGN(const backend::Discovery discovery, tune::find_devices(options.where()));
  WATTUNE_ASSIGN(const DeviceInfo device, backend::select_device(discovery, options.device));
  Result<power::Board> board = power::open_board(device.pci_bus_id);
  if (!board) return std::move(board).error().with_context("the sensors of " + device.selector);
  return PoweredBoard{*std::move(board), device.selector};
}

// Returns the device that computes on the board; empty if no driver lists one.
std::string selector_on(const power::Board& board, const Result<backend::Discovery>& discovery) {
  if (!discovery || board.pci_bus_id.empty()) return {};
  const auto device = std::ranges::find(discovery->devices, board.pci_bus_id, &DeviceInfo::pci_bus_id);
  return device != discovery->devices.end() ? device->selector : "";
}

struct PowerBoards {
  std::vector<PoweredBoard> boards;
  std::vector<std::string> problems;
};

Result<PowerBoards> find_powered(const PowerOptions& options) {
  PowerBoards found;
  if (!options.device.empty()) {
    WATTUNE_ASSIGN(PoweredBoard board, board_of_device(options));
    found.boards.push_back(std::move(board));
    return found;
  }
  power::BoardsFound all = power::find_boards();
  found.problems = std::move(all.problems);
  for (power::Board& each : all.boards) found.boards.push_back({std::move(each), ""});
  if (!options.characterise) return found;
  const Result<backend::Discovery> discovery = tune::find_devices(options.where());
  for (PoweredBoard& each : found.boards) each.selector = selector_on(each.board, discovery);
  return found;
}

// Measures the power of the board at rest. Nothing is stored, because without a device there is no load, and so no full
// characterisation.
Result<void> characterise_idle(power::Board& board, power::Recorder& recorder) {
  print_note("no device computes on this board, so that only its power at rest is measured");
  WATTUNE_ASSIGN(const power::Characterisation found, power::characterise(recorder, nullptr));
  board.idle = found.idle;
  return {};
}

Result<void> characterise_board(PoweredBoard& powered, const tune::DriverHost& where) {
  power::Board& board = powered.board;
  print_note(fmt::format("characterising {} ({}), which nothing else should use: it takes about 25 s", board.name,
                         board.pci_bus_id));
  auto recorder = power::make_recorder(board, power::kCharacterisationInterval);
  if (powered.selector.empty()) return characterise_idle(board, *recorder);
  WATTUNE_TRY(power::characterisation_file(board));
  SpinLoad load(powered.selector, where);
  WATTUNE_ASSIGN(const power::Characterisation found, power::characterise(*recorder, &load, print_note));
  WATTUNE_TRY(power::store(board, found));
  recorder.reset();
  WATTUNE_ASSIGN(board, power::open_board(board.pci_bus_id));
  return {};
}

// Restores the board of a device, or the board with the given UUID. Without a name, restores all boards.
Result<ExitStatus> restore_named(const PowerOptions& options) {
  if (options.device.empty()) return restore_boards({});
  const Result<backend::Discovery> discovery = tune::find_devices(options.where());
  const auto device = discovery ? backend::select_device(*discovery, options.device) : discovery.error();
  return restore_boards(device && !device->pci_bus_id.empty() ? device->pci_bus_id : options.device);
}

Result<ExitStatus> run_power(const PowerOptions& options) {
  if (options.restore) return restore_named(options);
  WATTUNE_ASSIGN(PowerBoards found, find_powered(options));
  std::vector<BoardReport> reports;
  for (PoweredBoard& each : found.boards) {
    if (options.characterise) WATTUNE_TRY(characterise_board(each, options.where()));
    reports.push_back(report_of(each.board));
  }
  const bool printed = options.json ? print_document(dump(power_json(reports, found.problems)))
                                    : print_result(power_text(reports, found.problems));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_power(CLI::App& program) {
  const auto options = std::make_shared<PowerOptions>();
  CLI::App* app = program.add_subcommand("power", "Show the sensors of boards, and which settings can be changed");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->add_flag("--in-process", options->in_process, "Load the drivers into this process instead of a worker");
  app->add_option("--device,-d", options->device, "Only the board of this device")->type_name("DEVICE");
  app->add_flag(
      "--characterise", options->characterise,
      "Measure the properties of the sensors (period, window, lag, noise), and keep them for this board and driver");
  app->add_flag("--restore", options->restore, "Restore settings that killed runs have left on boards")
      ->excludes("--characterise", "--json");
  app->footer(
      "Examples:\n  wattune power\n  wattune power --device cuda:0 --json\n"
      "  wattune power --characterise --device cuda:0\n  wattune power --restore\n"
      "Without --restore nothing is ever set. Properties that were not measured are assumed from publications about "
      "such boards.");
  return {app, [options] { return run_power(*options); }};
}

}  // namespace wattune::cli
