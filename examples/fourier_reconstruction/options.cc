#include "options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <vector>

namespace fourier {
namespace {

using wattune::dynamic::Safety;

// Finds the spec beside the sources, or at its place in an installed package.
std::filesystem::path find_spec() {
  const std::filesystem::path name = "benchmarks/fourier_reconstruction/fourier_reconstruction.toml";
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const auto& folder : {std::filesystem::path(WATTUNE_SOURCE_DIR), program / "../share/wattune"})
    if (std::filesystem::exists(folder / name)) return folder / name;
  return name;
}

void add_work(CLI::App& app, Options& options) {
  app.add_option("--size", options.size, "Pixels of a sample in each dimension, an even number")
      ->check(CLI::Range(32, 1024));
  app.add_option("--samples", options.samples, "Samples of one call")->check(CLI::Range(1, 100'000));
  app.add_option("--buffers", options.buffers, "Different buffers of samples, which calls take in turns")
      ->check(CLI::Range(1, 1000));
  app.add_option("--calls", options.calls, "Calls of one run")->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "Length of one run, in the place of --calls")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--resident", options.resident, "Upload samples once, not in every call");
  app.add_option("--wait-every", options.wait_every, "Calls after which the application waits for the device")
      ->check(CLI::PositiveNumber);
  app.add_option("--repetitions", options.repetitions, "Runs, each beside one with the optimum known")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Of volume, projections and search");
}

void add_tuning(CLI::App& app, Options& options, std::string& configurations) {
  const std::map<std::string, RunMode> modes{
      {"oracle", RunMode::oracle}, {"paper", RunMode::paper}, {"ours", RunMode::ours}, {"foreign", RunMode::foreign}};
  app.add_option(
         "--mode", options.mode,
         "oracle: the optimum is known; paper: random search, every call runs to its end; ours: search within the "
         "budget; foreign: the optimum of --foreign")
      ->transform(CLI::CheckedTransformer(modes))
      ->default_str("ours");
  const std::map<std::string, Safety> levels{
      {"screened", Safety::screened}, {"shadowed", Safety::shadowed}, {"trusted", Safety::trusted}};
  app.add_option("--safety", options.safety, "Of --mode ours: what is known of a configuration before a call uses it")
      ->transform(CLI::CheckedTransformer(levels))
      ->default_str("screened");
  app.add_option("--configurations", configurations, "To explore at most: a number or all")
      ->check(CLI::Range(1, 1'000'000) | CLI::IsMember({"all"}));
  app.add_flag("--blocking", options.blocking, "Compile in the calling thread, as KTT does");
  app.add_option("--share", options.share, "Budget of tuning, a share of the time")->check(CLI::Range(0.0, 1.0));
  app.add_option("--longest", options.longest_ms,
                 "Budget of tuning in one call, in ms; by default 5 ms, and twice what the call takes")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--compile-processes", options.compile_processes, "That compile beside the calls")
      ->check(CLI::PositiveNumber);
  app.add_option("--niceness", options.niceness,
                 "Of these and of the process that screens; less where others crowd the processors")
      ->check(CLI::Range(0, 19));
  app.add_option("--optimum", options.optimum, "Journal of the offline pass: read, and completed where it is not");
  app.add_flag("--only-known", options.only_known, "Take the best of the journal as it is, complete or not");
  app.add_option("--foreign", options.foreign, "Results whose best configuration runs in --mode foreign")
      ->check(CLI::ExistingFile);
  app.add_option("--offline", options.offline, "Configurations of the offline pass, at random, in the place of all")
      ->check(CLI::PositiveNumber);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  options.spec = find_spec();
  std::string configurations = "50";
  CLI::App app("Reconstructs a volume from projections of it, while the kernel that inserts them tunes itself.");
  app.option_defaults()->always_capture_default();
  app.add_option("--device", options.device, "auto, cuda:0, opencl, or part of a name");
  app.add_option("--spec", options.spec, "Of the kernel")->check(CLI::ExistingFile);
  app.add_flag("--json", options.json, "Print the result as JSON");
  add_work(app, options);
  add_tuning(app, options, configurations);
  try {
    app.parse(argc, argv);
    if (options.size % 2 != 0) throw CLI::ValidationError("--size", "must be even");
    if (options.mode == RunMode::foreign && options.foreign.empty())
      throw CLI::ValidationError("--mode foreign", "needs --foreign");
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  if (configurations == "all")
    options.configurations.reset();
  else
    options.configurations = std::stoull(configurations);
  return options;
}

}  // namespace fourier
