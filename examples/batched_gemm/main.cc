// Products of very small matrices whose sizes change, tuned while they run (Petrovic et al. 2020, 5.2).
//
//   batched_gemm [--device NAME] [--sizes N] [--per-size SECONDS] [--mode ours,paper,synchronous] ...
//
// The program draws sizes of the matrices. For each size it runs the application's loop for some time, tuned from
// scratch. Then it finds the best configuration of each size, and runs the loops again with these for comparison.
// README.md says more.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>

#include "results.h"
#include "wattune/core/log.h"

namespace batched_gemm {
namespace {

using wattune::Error;
using wattune::ErrorCode;
using wattune::Result;

struct Options {
  std::string device = "auto";
  std::size_t sizes = 3;
  double seconds = 0.0;
  std::uint64_t bytes = 0;
  double peak = 0.0;  // in GB/s
  std::vector<Mode> modes{Mode::ours};
  std::size_t screen = 0;
  bool only_optimum = false;
  bool only_known = false;
  bool json = false;
  std::filesystem::path optimum, svg, spec = BATCHED_GEMM_SPEC;
  RunOptions run;
};

void describe(CLI::App& app, Options& options) {
  const std::map<std::string, Mode> modes{
      {"ours", Mode::ours}, {"paper", Mode::paper}, {"synchronous", Mode::synchronous}};
  using wattune::dynamic::Safety;
  const std::map<std::string, Safety> levels{
      {"screened", Safety::screened}, {"shadowed", Safety::shadowed}, {"trusted", Safety::trusted}};
  app.add_option("--device", options.device, "auto, cuda, opencl:0:0, part of a name");
  app.add_option("--sizes", options.sizes, "how many sizes are drawn")->check(CLI::Range(1, 100'000));
  auto* const seconds = app.add_option("--seconds", options.seconds, "of running, for all sizes of a mode together")
                            ->check(CLI::Range(0.01, 1e6));
  app.add_option("--per-size", options.run.seconds, "seconds for each size")
      ->check(CLI::Range(0.01, 1e6))
      ->excludes(seconds)
      ->capture_default_str();
  app.add_option("--seed", options.run.seed, "of the sizes and of the search")->capture_default_str();
  app.add_option("--bytes", options.bytes, "that a batch takes; 900 MB on GPUs, 4 MB elsewhere");
  app.add_option("--peak", options.peak, "bandwidth in GB/s for the paper's rule; that of a copy unless given");
  app.add_option("--mode", options.modes, "ours, paper, synchronous, or several with commas")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(modes));
  app.add_option("--safety", options.run.safety, "of ours: screened, trusted, shadowed")
      ->transform(CLI::CheckedTransformer(levels))
      ->default_str("screened");
  app.add_flag("--ahead,!--no-ahead", options.run.ahead, "ours: tell the library of a size before its first call")
      ->capture_default_str();
  app.add_option("--compile-processes", options.run.compile_processes, "that compile beside the application")
      ->capture_default_str();
  app.add_option("--niceness", options.run.niceness, "of these processes; less where others crowd the processors")
      ->check(CLI::Range(0, 19))
      ->capture_default_str();
  app.add_option("--optimum", options.optimum, "file in which the optima are kept");
  app.add_option("--screen", options.screen,
                 "configurations drawn for an optimum, beside the likeliest; all unless given");
  auto* const only_optimum =
      app.add_flag("--only-optimum", options.only_optimum, "find the optima of the sizes and run nothing");
  app.add_flag("--only-known", options.only_known, "leave out sizes whose optimum is not in the file")
      ->excludes(only_optimum);
  app.add_flag("--json", options.json, "print JSON");
  app.add_option("--svg", options.svg, "picture of the share of the optimum over the time");
  app.add_option("--spec", options.spec, "gemm_batched.toml")->check(CLI::ExistingFile);
}

// Returns the optimum of these sizes: the known one, or else the result of a search that also measures the
// configurations in `also`.
Result<Optimum> optimum_of(Machine& machine, const Sizes& sizes, const wattune::KernelSpec& spec, OptimumFile& known,
                           const Options& options, std::vector<wattune::Configuration> also = {}) {
  if (const Optimum* const found = known.find(sizes)) return *found;
  const ScreeningOptions screening{.configurations = options.screen,
                                   .also = std::move(also),
                                   .compile_processes = options.run.compile_processes,
                                   .seed = options.run.seed};
  WATTUNE_ASSIGN(Optimum optimum, find_optimum(machine, sizes, spec, screening));
  WATTUNE_TRY(known.add(sizes, optimum));
  return optimum;
}

// Returns the spec of the kernel in the device's language.
Result<wattune::KernelSpec> spec_for(Machine& machine, const Sizes& sizes, const Options& options) {
  WATTUNE_ASSIGN(auto spec, spec_of(options.spec, sizes, batch_of(sizes, machine.bytes())));
  WATTUNE_TRY(wattune::use_language(spec, machine.info().languages));
  return spec;
}

Result<void> find_optima(Machine& machine, const Options& options) {
  WATTUNE_ASSIGN(const auto any, spec_for(machine, {2, 2, 2}, options));
  WATTUNE_ASSIGN(OptimumFile known, OptimumFile::open(options.optimum, machine, any.source.text));
  for (const Sizes& sizes : draw_sizes(options.sizes, options.run.seed)) {
    WATTUNE_ASSIGN(const auto spec, spec_for(machine, sizes, options));
    WATTUNE_ASSIGN(const Optimum optimum, optimum_of(machine, sizes, spec, known, options));
    std::printf("%s: %s ms with %s\n", to_string(sizes).c_str(), std::to_string(to_ms(optimum.time)).c_str(),
                optimum.configuration.c_str());
    std::fflush(stdout);
  }
  return {};
}

// Runs all sizes in one mode before another mode begins, so that tuning in the background only affects its own mode.
Result<ModeResult> run_mode(Machine& machine, Mode mode, const wattune::KernelSpec& all_sizes,
                            const std::vector<Sizes>& drawn, const Options& options) {
  ModeResult result{.mode = mode, .rows = {}, .report = {}};
  WATTUNE_ASSIGN(const auto application, Application::make(machine, mode, all_sizes, options.run));
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    WATTUNE_ASSIGN(const auto spec, spec_for(machine, drawn[n], options));
    const std::optional<Sizes> next = n + 1 < drawn.size() ? std::optional(drawn[n + 1]) : std::nullopt;
    WATTUNE_ASSIGN(result.rows.emplace_back(), run(machine, *application, drawn[n], spec, next));
  }
  result.report = application->tuner().report();
  return result;
}

// Runs all modes. The optima are searched for afterwards, so that the search can also measure the final configurations
// of all runs.
Result<Results> run_all(Machine& machine, Options options) {
  WATTUNE_ASSIGN(const auto all_sizes, spec_of_all_sizes(options.spec, machine.info().languages));
  WATTUNE_ASSIGN(OptimumFile known, OptimumFile::open(options.optimum, machine, all_sizes.source.text));
  options.run.best = [&known](const Sizes& sizes) { return known.find(sizes)->values(); };
  std::vector<Sizes> drawn = draw_sizes(options.sizes, options.run.seed);
  if (options.only_known) std::erase_if(drawn, [&](const Sizes& each) { return known.find(each) == nullptr; });
  if (drawn.empty()) return Error(ErrorCode::not_found, "no size has a known optimum").about(options.optimum.string());
  Results results;
  for (const Mode mode : options.modes) {
    WATTUNE_ASSIGN(results.modes.emplace_back(), run_mode(machine, mode, all_sizes, drawn, options));
  }
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    WATTUNE_ASSIGN(const auto spec, spec_for(machine, drawn[n], options));
    std::vector<wattune::Configuration> also;
    for (const ModeResult& each : results.modes)
      if (each.rows[n].best) also.push_back(*each.rows[n].best);
    WATTUNE_ASSIGN(results.optima.emplace_back(), optimum_of(machine, drawn[n], spec, known, options, std::move(also)));
  }
  WATTUNE_ASSIGN(results.known, run_mode(machine, Mode::known, all_sizes, drawn, options));
  return results;
}

Result<int> show(const Machine& machine, const Options& options, const Results& results) {
  if (options.json) std::fputs(to_json(machine, options.run, results).c_str(), stdout);
  std::uint64_t wrong = summarize(results, results.known).wrong_results;
  for (const ModeResult& each : results.modes) {
    wrong += summarize(results, each).wrong_results;
    if (!options.json) std::fputs((to_table(results, each) + "\n").c_str(), stdout);
  }
  if (!options.json)
    std::printf(
        "With its optimum known a size comes to %.1f %% of what the time of that, measured by itself, allows.\n",
        100 * summarize(results, results.known).share_of_optimum_time);
  if (!options.svg.empty() && !(std::ofstream(options.svg) << to_svg(results, options.run)))
    return Error(ErrorCode::io_error, "cannot be written").about(options.svg.string());
  return wrong > 0 ? 1 : 0;
}

Result<int> tune_and_judge(Options options) {
  WATTUNE_ASSIGN(const wattune::LogLevel level, wattune::log_level_of_environment());
  wattune::set_log_level(level);
  wattune::log_to_standard_error();
  if (options.seconds > 0) options.run.seconds = options.seconds / static_cast<double>(options.sizes);
  WATTUNE_ASSIGN(const auto machine, Machine::open(options.device, options.bytes));
  if (options.only_optimum) {
    WATTUNE_TRY(find_optima(*machine, options));
    return 0;
  }
  options.run.peak = options.peak * 1e9;
  if (options.peak == 0) {
    WATTUNE_ASSIGN(options.run.peak, machine->copy_bandwidth());
  }
  WATTUNE_ASSIGN(const auto results, run_all(*machine, options));
  return show(*machine, options, results);
}

}  // namespace
}  // namespace batched_gemm

int main(int argc, char** argv) {
  batched_gemm::Options options;
  CLI::App app("Products of very small matrices whose sizes change, tuned while they run");
  batched_gemm::describe(app, options);
  CLI11_PARSE(app, argc, argv);
  const auto status = batched_gemm::tune_and_judge(options);
  if (status) return *status;
  std::fprintf(stderr, "batched_gemm: error: %s\n", status.error().to_string().c_str());
  return 3;
}
