// `wattune score`: measures how well strategies search recorded spaces.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/output_file.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "cli/results/score_report.h"
#include "cli/tune/replay.h"
#include "score/interface/recorded_run.h"
#include "wattune/search/strategy.h"
#include "wattune/spec/spec.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

struct ScoreOptions {
  std::vector<std::string> strategies;
  std::vector<std::string> strategy_options;  // options as NAME=VALUE
  std::vector<std::string> spaces;            // spaces as FILE or FILE:SPEC
  std::vector<std::string> runs;              // folders of recorded runs
  std::vector<std::string> warm_start;
  std::string clock = "recorded";
  std::optional<Objective> objective;  // objective; if nullopt, that of the files is used
  score::ScoreOptions score;
  std::optional<double> within;
  std::string svg;
  bool overwrite = false;
  bool json = false;
  bool quiet = false;
};

// A space with the results recorded on it.
struct RecordedSpace {
  std::string name;
  std::unique_ptr<space::SearchSpace> space;
  std::unique_ptr<tune::Recording> recording;
};

// Returns the file's name up to the first dot: "convolution__A100" for "data/convolution__A100.json.xz".
std::string short_name(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.', 1));
}

// Splits FILE:SPEC at the last colon, unless a file has the whole text as its name.
std::pair<std::string, std::string> split_space(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || fs::exists(text, ignored)) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<space::SearchSpace> build_space(const ResultSet& results, const std::string& spec_file) {
  if (spec_file.empty()) return tune::recorded_space(results);
  WATTUNE_ASSIGN(KernelSpec spec, spec::load(spec_file, spec::SourcePolicy::optional));
  return space::SearchSpace::build(std::move(spec.parameters), std::move(spec.constraints));
}

Result<RecordedSpace> load_space(const std::string& text, const std::optional<Objective>& objective) {
  const auto [file, spec_file] = split_space(text);
  WATTUNE_ASSIGN(ResultSet results, store::load_results(file));
  Result<space::SearchSpace> space = build_space(results, spec_file);
  if (!space) return std::move(space).error().with_context(file);
  Result<tune::Recording> recording = tune::Recording::match(*space, std::move(results));
  if (!recording) return std::move(recording).error().with_context(file);
  if (objective)
    recording = recording->with_objectives({.parameters = recording->info().parameters, .objectives = {*objective}});
  if (!recording) return std::move(recording).error().with_context(file);
  const std::size_t answers = recording->trials().size();
  if (answers < space->count())
    print_note(fmt::format("{}: {} of {} configurations are recorded, the others fail as not_recorded", file,
                           group_digits(answers), group_digits(space->count())));
  return RecordedSpace{short_name(file), std::make_unique<space::SearchSpace>(*std::move(space)),
                       std::make_unique<tune::Recording>(*std::move(recording))};
}

// Checks that there is something to score. Fails with invalid_argument if there is not, or if only recorded runs are
// scored but options for strategies are given.
Result<void> check_strategies(const ScoreOptions& options) {
  if (!options.strategies.empty()) return {};
  if (options.runs.empty())
    return Error(ErrorCode::invalid_argument, "nothing to score").hint("give --strategy NAME,... or --runs FOLDER");
  const std::array<std::pair<bool, const char*>, 4> given = {{{!options.strategy_options.empty(), "--strategy-option"},
                                                              {!options.warm_start.empty(), "--warm-start"},
                                                              {options.score.ahead > 1, "--ahead"},
                                                              {options.within.has_value(), "--within"}}};
  for (const auto& [is_given, name] : given)
    if (is_given) return Error(ErrorCode::invalid_argument, fmt::format("{} needs --strategy", name));
  return {};
}

// Gives each parameter to the strategies that have it. A parameter that no strategy has is rejected by make_strategy().
Result<std::vector<score::StrategyChoice>> choose_strategies(const ScoreOptions& options) {
  std::vector<score::StrategyChoice> choices;
  WATTUNE_TRY(check_strategies(options));
  for (const std::string& name : options.strategies) choices.push_back({name, {}});
  for (const std::string& text : options.strategy_options) {
    WATTUNE_ASSIGN(const auto assignment, parse_assignment(text));
    WATTUNE_ASSIGN(const double value, parse_number(assignment.second));
    bool taken = false;
    for (score::StrategyChoice& choice : choices) {
      const search::StrategyInfo* info = search::find_strategy(choice.name);
      if (info == nullptr) continue;
      if (std::ranges::find(info->parameters, assignment.first, &search::StrategyParameter::name) ==
          info->parameters.end())
        continue;
      choice.parameters[assignment.first] = value;
      taken = true;
    }
    if (!taken) choices.front().parameters[assignment.first] = value;
  }
  return choices;
}

// Returns the name of recorded runs, which is that of their folder: "diff_evo" for "runs/diff_evo/".
std::string name_of_runs(const fs::path& folder) {
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

// Lists the files of a folder, sorted by name. They are named SPACE.REPEAT.json.
Result<std::vector<fs::path>> files_in(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file()) files.push_back(entry.path());
  if (error) return Error(ErrorCode::not_found, "--runs names no folder that can be read").about(folder);
  std::ranges::sort(files);
  return files;
}

// Scores the runs of a folder. Skips the files of spaces that are not scored.
Result<score::StrategyScore> score_folder(const std::string& folder, const std::vector<score::ScoredSpace>& spaces,
                                          const score::ScoreOptions& options) {
  WATTUNE_ASSIGN(const std::vector<fs::path> files, files_in(folder));
  std::vector<std::vector<score::SearchRun>> runs(spaces.size());
  for (const fs::path& file : files) {
    const auto space = std::ranges::find(spaces, short_name(file), &score::ScoredSpace::name);
    if (space == spaces.end()) continue;
    WATTUNE_ASSIGN(const ResultSet results, store::load_evaluations(file));
    Result<score::SearchRun> run = score::recorded_run(*space, results);
    if (!run) return std::move(run).error().with_context(file.string());
    runs[static_cast<std::size_t>(space - spaces.begin())].push_back(*std::move(run));
  }
  Result<score::StrategyScore> scored = score::score_runs(spaces, name_of_runs(folder), std::move(runs), options);
  if (!scored) return std::move(scored).error().with_context(folder);
  return scored;
}

// Scores the strategies, and then the recorded runs. The recorded runs are read first, so that an unreadable file is
// found at once.
Result<std::vector<score::StrategyScore>> score_all(const ScoreOptions& options,
                                                    const std::vector<score::ScoredSpace>& spaces,
                                                    const std::vector<score::StrategyChoice>& choices) {
  std::vector<score::StrategyScore> recorded;
  for (const std::string& folder : options.runs) {
    WATTUNE_ASSIGN(score::StrategyScore scored, score_folder(folder, spaces, options.score));
    recorded.push_back(std::move(scored));
  }
  if (choices.empty()) return recorded;
  WATTUNE_ASSIGN(std::vector<score::StrategyScore> scores, score::score(spaces, choices, options.score));
  std::ranges::move(recorded, std::back_inserter(scores));
  return scores;
}

Result<tune::ReplayClock> parse_clock(const std::string& name) {
  if (name == "recorded") return tune::ReplayClock::recorded_and_search;
  if (name == "clean") return tune::ReplayClock::recorded;
  if (name == "evaluations") return tune::ReplayClock::evaluations;
  return Error(ErrorCode::invalid_argument, "--clock").about(name).hint("one of: recorded, clean, evaluations");
}

std::string explain_clock(tune::ReplayClock clock) {
  switch (clock) {
    case tune::ReplayClock::recorded_and_search: return "recorded time, and the time that the search itself takes";
    case tune::ReplayClock::recorded: return "recorded time";
    case tune::ReplayClock::evaluations: return "evaluations";
  }
  return {};
}

// Computes the reach of the strategies if the user asked for it. Recorded runs are left out, because they end with
// their budget.
Result<std::vector<score::StrategyReach>> find_reaches(const ScoreOptions& options,
                                                       const std::vector<score::ScoredSpace>& spaces,
                                                       const std::vector<score::StrategyChoice>& choices) {
  if (!options.within) return std::vector<score::StrategyReach>();
  return score::reach(spaces, choices,
                      {.within = *options.within,
                       .repeats = options.score.repeats,
                       .seed = options.score.seed,
                       .ahead = options.score.ahead,
                       .threads = options.score.threads,
                       .progress = options.score.progress});
}

Result<ExitStatus> run_score(ScoreOptions options) {
  WATTUNE_ASSIGN(const tune::ReplayClock clock, parse_clock(options.clock));
  WATTUNE_ASSIGN(const std::vector<score::StrategyChoice> choices, choose_strategies(options));
  WATTUNE_TRY(check_new_file(options.svg, options.overwrite));
  std::vector<RecordedSpace> recorded;
  std::vector<score::ScoredSpace> spaces;
  for (const std::string& text : options.spaces) {
    WATTUNE_ASSIGN(RecordedSpace loaded, load_space(text, options.objective));
    const RecordedSpace& kept = recorded.emplace_back(std::move(loaded));
    WATTUNE_ASSIGN(score::ScoredSpace space, score::ScoredSpace::of(kept.name, *kept.space, *kept.recording, clock));
    WATTUNE_ASSIGN(auto earlier, load_earlier(options.warm_start));
    const RunInfo& info = kept.recording->info();
    WATTUNE_ASSIGN(space.prior,
                   tune::priors_from(std::move(earlier), {.parameters = info.parameters, .objectives = info.objectives},
                                     *kept.space));
    spaces.push_back(std::move(space));
  }
  if (!options.quiet && stderr_is_terminal()) options.score.progress = counting_line();
  WATTUNE_ASSIGN(const auto scores, score_all(options, spaces, choices));
  WATTUNE_ASSIGN(const auto reaches, find_reaches(options, spaces, choices));
  const ScoreReport report{spaces, scores, options.score, explain_clock(clock), options.within.value_or(0.0), reaches};
  // The result took minutes, so it is printed before the plot, which may fail to be written.
  const bool printed = options.json ? print_document(score_json(report)) : print_result(score_text(report));
  if (!options.svg.empty()) WATTUNE_TRY(store::write_file(options.svg, score_svg(report), options.overwrite));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_score(CLI::App& program) {
  const auto options = std::make_shared<ScoreOptions>();
  CLI::App* app = program.add_subcommand("score", "Compare search strategies on recorded spaces");
  app->add_option("--strategy,-s", options->strategies, "Strategies to compare, separated by commas")
      ->type_name("NAME,...")
      ->delimiter(',');
  app->add_option("--runs", options->runs,
                  "Score the runs that another program recorded as well, in files FOLDER/SPACE.REPEAT.json or another "
                  "result format; may be repeated (docs/score.md)")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app->add_option("--strategy-option", options->strategy_options,
                  "A parameter of each strategy that has it; may be repeated (docs/search.md)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_option("--spaces", options->spaces,
                  "Result files that hold a whole space each; FILE:SPEC takes the space from a spec")
      ->type_name("FILE")
      ->required();
  app->add_option("--warm-start", options->warm_start,
                  "Results of another device to start from on each space (auto, bayesian_optimisation, profile); may "
                  "be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  for (const bool maximize : {false, true})
    app->add_option_function<std::string>(
           maximize ? "--maximize" : "--minimize",
           [options, maximize](const std::string& metric) {
             options->objective = Objective{metric, maximize};
           },
           maximize ? "As --minimize, but maximised" : "The objective: a recorded metric, or edp and the like")
        ->type_name("METRIC");
  add_parsed(*app, "--repeats,-r", options->score.repeats, parse_positive_count, "N",
             "Runs of each strategy on each space")
      ->default_str("100");
  add_parsed(*app, "--seed", options->score.seed, parse_count, "N", "Seed of the runs and the statistics")
      ->default_str("1");
  app->add_option("--clock", options->clock, "What time is: docs/score.md")
      ->type_name("recorded|clean|evaluations")
      ->capture_default_str();
  add_parsed(*app, "--ahead", options->score.ahead, parse_count, "N",
             "Proposals that a strategy is asked for in advance, as by `tune --compile-ahead`")
      ->default_str("1");
  add_parsed(*app, "--within", options->within, parse_share, "SHARE",
             "Also count the evaluations until a run is within this share of the optimum, such as 0.05");
  app->add_option("--svg", options->svg, "Write the mean curves to a file")->type_name("FILE");
  app->add_flag("--overwrite", options->overwrite, "Replace an existing plot");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->add_flag("--quiet,-q", options->quiet, "No progress on standard error");
  app->footer(
      "Nothing is measured: the strategies search recorded results. 0 is random search, 1 the optimum.\n\n"
      "Examples:\n"
      "  wattune score --strategy random,greedy_ils --spaces hub/*.json.xz\n"
      "  wattune score -s greedy_ils --strategy-option random_walk=0.5 --spaces gemm.json.xz:gemm.toml --svg gemm.svg\n"
      "  wattune score -s simulated_annealing --clock evaluations --spaces gemm.json.xz --json\n"
      "  wattune score -s auto,random --minimize energy --within 0.005 --spaces gemm_clocks.json.xz\n"
      "  wattune score -s auto --runs kernel_tuner/diff_evo --spaces hub/*.json.xz");
  return {app, [options] { return run_score(*options); }};
}

}  // namespace wattune::cli
