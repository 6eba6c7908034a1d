#include "cli/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <future>

#include "cli/devices.h"
#include "cli/replay.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "wattune/search/strategy.h"

namespace wattune::cli {

namespace {

using Station = Target::Station;

// Calls it for all stations at the same time; the first Error in their order.
Result<void> at_once(std::vector<Station>& stations, const std::function<Result<void>(std::size_t)>& work) {
  const std::launch how = stations.size() == 1 ? std::launch::deferred : std::launch::async;
  std::vector<std::future<Result<void>>> all;
  for (std::size_t i = 0; i < stations.size(); ++i) all.push_back(std::async(how, work, i));
  for (std::future<Result<void>>& one : all) WATTUNE_TRY(one.get());
  return {};
}

// None when the device's own worker is to compile, or nothing else can. On a processor compilers would share with what
// is timed, so that they must be asked for.
Result<void> make_compilers(const TuneOptions& options, const KernelSource& source, backend::Device& device,
                            Target& target) {
  const std::size_t jobs = compile_jobs_of(options);
  if (jobs == 0 || (!options.compile_jobs && device.info().kind == DeviceKind::cpu)) return {};
  Result<backend::CompileTarget> compiled_for = device.compile_target(source);
  if (!compiled_for && compiled_for.error().code() != ErrorCode::unavailable) return std::move(compiled_for).error();
  if (!compiled_for) {
    if (options.compile_jobs && !options.quiet)
      print_note("the device's worker compiles: " + compiled_for.error().to_string());
    return {};
  }
  WATTUNE_ASSIGN(const std::shared_ptr<backend::ImageCache> cache, cache_of(options));
  target.pool = std::make_unique<backend::CompilePool>(backend::CompilePoolOptions{
      .processes = jobs, .worker = {.memory_limit_bytes = options.memory_limit}, .cache = cache});
  target.compilers = std::make_unique<backend::PooledSource>(target.pool->add(*std::move(compiled_for), source));
  return {};
}

Result<void> check_together(const TuneOptions& options, const std::vector<DeviceInfo>& devices) {
  std::string models;
  const auto groups = by_model(devices);
  for (const auto& group : groups) models += (models.empty() ? "" : ", ") + describe(group);
  if (groups.size() > 1)
    return Error(ErrorCode::mismatch, "the devices are of different models: " + models)
        .hint("--mixed-devices tunes each model apart");
  if (devices.size() > 1 && options.in_process)
    return Error(ErrorCode::invalid_argument, "--in-process works with one device").about(options.device);
  return {};
}

// A strategy that reads counters would search at random without any of them.
bool needs_counters(const std::string& strategy, const std::vector<std::string>& observed, backend::Device& device) {
  const auto is_observed = [&](const std::string& name) { return std::ranges::count(observed, name) > 0; };
  const search::StrategyInfo* info = search::find_strategy(strategy);
  return info != nullptr && info->reads_counters && std::ranges::none_of(search::profiled_counters(), is_observed) &&
         device.counters();
}

tune::EvaluatorOptions evaluation_for(const TuneOptions& options, const std::string& strategy,
                                      backend::Device& device) {
  tune::EvaluatorOptions evaluation = evaluator_options(options);
  if (!needs_counters(strategy, evaluation.counters, device)) return evaluation;
  const std::vector<std::string> counters = search::profiled_counters();
  evaluation.counters.insert(evaluation.counters.end(), counters.begin(), counters.end());
  if (!options.quiet)
    print_note(
        fmt::format("{} hardware counters are observed for the strategy, as by --observe profile", counters.size()));
  return evaluation;
}

// "NVIDIA H200" as part of a file's name.
std::string in_file_name(const std::string& name) {
  std::string text;
  for (const unsigned char c : name) text += std::isalnum(c) != 0 ? static_cast<char>(c) : '-';
  return text;
}

// Before the first dot.
std::filesystem::path with_label(const std::filesystem::path& file, const std::string& label) {
  std::string name = file.filename();
  name.insert(std::min(name.find('.', 1), name.size()), "." + label);
  return file.parent_path() / name;
}

}  // namespace

std::vector<tune::Evaluator*> Target::evaluators() const {
  std::vector<tune::Evaluator*> all;
  for (const Station& station : stations) all.push_back(station.evaluator.get());
  return all;
}

Result<Target> open_recording(const TuneOptions& options, const KernelSpec& spec, const space::SearchSpace& space,
                              ResultSet recorded) {
  Target target;
  const auto matched = tune::Recording::match(space, std::move(recorded));
  if (!matched) return Error(matched.error()).with_context(options.device);
  auto recording = matched->with_objectives(spec);
  if (!recording) return std::move(recording).error().with_context(options.device);
  target.recording = std::make_unique<tune::Recording>(*std::move(recording));
  target.devices = {tune::replay_device(target.recording->info().device, options.device)};
  target.stations.emplace_back().evaluator =
      tune::make_replay_evaluator(*target.recording, tune::ReplayClock::recorded);
  if (options.quiet) return target;
  const std::size_t answers = target.recording->trials().size();
  if (answers < space.count())
    print_note(fmt::format("{} of {} configurations are recorded, the others fail as not_recorded",
                           group_digits(answers), group_digits(space.count())));
  if (target.recording->outside() > 0)
    print_note(fmt::format("{} recorded configurations are not in the space of the spec",
                           group_digits(target.recording->outside())));
  return target;
}

Result<Target> open_devices(const TuneOptions& options, const std::string& strategy, KernelSpec& spec,
                            const space::SearchSpace& space) {
  Target target;
  WATTUNE_ASSIGN(target.devices, find_named_devices(options.device, spec, options.in_process));
  WATTUNE_TRY(check_together(options, target.devices));
  target.stations.resize(target.devices.size());
  WATTUNE_TRY(at_once(target.stations, [&](std::size_t i) -> Result<void> {
    WATTUNE_ASSIGN(target.stations[i].device,
                   open_device(target.devices[i].selector, options.in_process, options.memory_limit));
    target.devices[i] = target.stations[i].device->info();
    return {};
  }));
  WATTUNE_TRY(use_language(spec, target.devices.front().languages));
  WATTUNE_TRY(make_compilers(options, launched_source(spec), *target.stations.front().device, target));
  tune::EvaluatorOptions evaluation = evaluation_for(options, strategy, *target.stations.front().device);
  evaluation.compilers = target.compilers.get();
  WATTUNE_TRY(at_once(target.stations, [&](std::size_t i) -> Result<void> {
    Station& station = target.stations[i];
    station.policy = policy_of(options);
    tune::EvaluatorOptions its_evaluation = evaluation;
    if (i > 0) its_evaluation.on_slow_reference = nullptr;  // one says it for all
    auto evaluator = tune::make_evaluator(spec, space, *station.device, *station.policy, its_evaluation);
    if (!evaluator && target.stations.size() > 1)
      return std::move(evaluator).error().with_context(target.devices[i].selector);
    WATTUNE_ASSIGN(station.evaluator, std::move(evaluator));
    return {};
  }));
  return target;
}

Result<std::vector<TuneOptions>> options_by_model(const TuneOptions& options, const KernelSpec& spec,
                                                  const std::filesystem::path& journal) {
  WATTUNE_ASSIGN(const auto devices, find_named_devices(options.device, spec, options.in_process));
  const auto groups = by_model(devices);
  std::vector<TuneOptions> all;
  for (const auto& group : groups) {
    const auto same_name = [&](const auto& other) { return other.front().name == group.front().name; };
    std::string label = group.front().name;
    if (std::ranges::count_if(groups, same_name) > 1) label += " " + group.front().selector;
    TuneOptions each = options;
    each.device.clear();
    for (const DeviceInfo& device : group) each.device += (each.device.empty() ? "" : ",") + device.selector;
    each.output = groups.size() == 1 ? journal : with_label(journal, in_file_name(label));
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace wattune::cli
