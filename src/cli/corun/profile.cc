// `wattune profile`: measures kernels alone and stores their profiles, which `wattune corun` reads.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/corun/corun_kernels.h"
#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/options.h"
#include "cli/program/output_file.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "report/interface/text.h"
#include "schedule/interface/kernel_use.h"
#include "simulate/interface/ptx_profile.h"

namespace wattune::cli {

namespace {

struct ProfileCommand {
  CorunKernels kernels;
  std::string device = "auto";
  std::uint64_t repeats = 3;
  bool power = false;
  std::string output = "profiles.jsonl";
  bool overwrite = false;
  bool json = false;
};

Result<void> check_profiling(const ProfileCommand& command) {
  if (command.kernels.specs.empty() && command.kernels.names.empty())
    return Error(ErrorCode::invalid_argument, "there is no kernel to profile").hint("name a spec, or --kernels A,B");
  if (command.repeats == 0)
    return Error(ErrorCode::invalid_argument, "--repeats").about("0").hint("at least 1 is needed");
  WATTUNE_TRY(check_new_file(command.output, command.overwrite));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(command.output, ignored)) return {};
  auto replaced = schedule::load_profiles(command.output);
  return replaced ? Result<void>() : std::move(replaced).error().hint("--output names another file");
}

std::string share_text(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

// Describes the resource that the kernel keeps busy longest, with the share of the kernel's time.
std::string busiest_text(const schedule::KernelTraits& traits) {
  const std::vector<double> use = schedule::known_use(traits);
  if (use.empty()) return "-";
  const auto most = std::ranges::max_element(use);
  return fmt::format("{}, {}", simulate::name_of_resource(static_cast<std::size_t>(most - use.begin())),
                     share_text(*most));
}

// Describes the origin of the shares of use: counters of the device, or counting of instructions.
std::string origin_text(const schedule::KernelTraits& traits) {
  if (!traits.use_by_counters.empty()) return "counters";
  return traits.use.empty() ? "-" : "counts";
}

std::string profiles_table(const schedule::CorunSession& session, const std::vector<schedule::ProfileRecord>& records) {
  report::TextTable table({{"kernel", report::TextTable::Align::left},
                           {"alone"},
                           {"blocks"},
                           {"on an SM"},
                           {"busiest", report::TextTable::Align::left},
                           {"by", report::TextTable::Align::left},
                           {"as fast on"},
                           {"slices from"},
                           {"watts"}});
  for (const schedule::ProfileRecord& record : records) {
    const schedule::KernelTraits& traits = record.traits;
    table.add_row({traits.name, fmt::format("{:.3g} ms", to_ms(traits.alone.value_or(Nanoseconds()))),
                   fmt::format("{}", traits.blocks), fmt::format("{}", traits.profile.blocks_alone),
                   busiest_text(traits), origin_text(traits), share_text(traits.saturating_share) + " of the SMs",
                   fmt::format("{}", traits.least_slice),
                   traits.power ? fmt::format("{:.0f}", traits.power->alone.value()) : "-"});
  }
  return fmt::format("{} on {}{}\n\n{}", counted(records.size(), "kernel"),
                     session.is_simulated() ? "a simulated " : "", session.device(), table.to_string());
}

Json profiles_json(const schedule::CorunSession& session, const std::vector<schedule::ProfileRecord>& records) {
  Json profiles = Json::array();
  for (const schedule::ProfileRecord& record : records) profiles.push_back(Json::parse(schedule::profile_json(record)));
  return {{"device", session.device()},
          {"simulated", session.is_simulated()},
          {"notes", session.notes()},
          {"profiles", std::move(profiles)}};
}

Result<ExitStatus> run_profile(const ProfileCommand& command) {
  WATTUNE_TRY(check_profiling(command));
  WATTUNE_ASSIGN(const auto session, open_corun(command.device, command.kernels));
  WATTUNE_ASSIGN(const auto records, session->profile(command.repeats, command.power));
  WATTUNE_TRY(schedule::store_profiles(command.output, records, command.overwrite));
  if (!command.json)
    for (const std::string& note : session->notes()) print_note(note);
  const bool printed =
      command.json ? print_document(dump(profiles_json(*session, records)))
                   : print_result(profiles_table(*session, records) + fmt::format("\nKept in {}\n", command.output));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_profile(CLI::App& program) {
  const auto command = std::make_shared<ProfileCommand>();
  CLI::App* app =
      program.add_subcommand("profile", "Measure kernels alone, and keep their profiles for running them together");
  declare_corun_kernels(*app, command->kernels, command->device);
  app->option_defaults()->group("Measuring and results");
  add_parsed(*app, "--repeats", command->repeats, parse_count, "N", "Number of runs of everything; medians count")
      ->default_str("3");
  app->add_flag("--power", command->power,
                "Also measure the board's power, which takes 6 s for each kernel and 6 s at rest");
  app->add_option("--output,-o", command->output, "A line of JSON for each kernel (docs/formats/profile.md)")
      ->type_name("FILE")
      ->capture_default_str();
  app->add_flag("--overwrite", command->overwrite, "Replace an existing file of profiles");
  app->add_flag("--json", command->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "Each kernel runs alone: whole, with fewer resident blocks, on fewer SMs, in slices. On a CUDA device of a known "
      "kind some of its blocks also run in an interpreter of PTX, which counts what they execute. So no performance "
      "counters are needed to tell which pipelines and how much of the memory it keeps busy. Where the user may read "
      "the device's counters, these tell it as well, and come first. wattune corun --profiles reads the file instead "
      "of measuring. It refuses profiles of other code, other sizes or another device.\n\n"
      "Examples:\n"
      "  wattune profile gemm.toml copy.toml --output h200.profiles.jsonl\n"
      "  wattune profile gemm.toml@gemm.journal.jsonl --power\n"
      "  wattune corun gemm.toml copy.toml --policies paired,streams --profiles h200.profiles.jsonl");
  return {app, [command] { return run_profile(*command); }};
}

}  // namespace wattune::cli
