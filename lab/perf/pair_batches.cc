// Runs every two kernels together in batches of works (docs/results/unseen.md). The policy `paired`, which learns on
// the way, is compared with baselines. Needs an NVIDIA GPU, or simulates one.
//
//   pair_batches FOLDER SPEC... [--device cuda:0] [--seconds 540] [--traces]
//   pair_batches FOLDER --device simulated:C2050 --kernels TEA,PC
//
// A batch is one work of the longer kernel, and as many works of the shorter kernel as take equally long alone. Batches
// are submitted in parts: all batches of a part at once, when the part before has ended.
//
// - The baselines are one after the other, streams, priority for either kernel, and each split of the SMs. Each runs
//   four batches, and the fastest three then run a part of 20 in each round.
// - `first` is a part of 20 batches five times, by `paired` that has no speeds of the pair and tries its ways by works.
//   The time of forecasts is apart.
// - `again` is a part of ten batches and one of 20, by `paired` with the speeds that the first left.
//
// There are three rounds, or as many as take 5 s, at least one. The result of a pair is the file FOLDER/A-B.json; a
// pair that has its file already is skipped. No pair begins after the --seconds are over. `--traces` also writes each
// part of the first round to A-B.WAY.N.trace, for Perfetto.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stopwatch.h"
#include "schedule/forecast/pair_memory.h"
#include "schedule/interface/queue_experiment.h"
#include "schedule/session/stage.h"
#include "wattune/schedule/round_times.h"
#include "wattune/schedule/session.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace wattune::perf {
namespace {

using namespace schedule;
using Json = nlohmann::ordered_json;

constexpr std::size_t kPart = 20;  // batches
constexpr std::size_t kPartsOfFirst = 5;
constexpr std::size_t kBegin = 10;     // batches of the part with which `again` begins
constexpr std::size_t kScreening = 4;  // batches
constexpr std::size_t kFinalists = 3;
constexpr std::size_t kRounds = 3;
constexpr Nanoseconds kTimeForRounds{5e9};
constexpr std::size_t kProfileRounds = 3;
constexpr std::uint64_t kWaves = 2;  // of simulated kernels

struct Options {
  std::string folder;
  std::vector<std::string> specs;
  std::vector<std::string> kernels;  // of a simulated GPU
  std::string device = "cuda:0";
  double seconds = 540.0;
  bool traces = false;
};

// A way to run two kernels that needs no knowledge of them.
struct Baseline {
  std::string name;
  std::string policy;
  std::optional<unsigned> sms_of_first = {};
  std::array<int, 2> priorities = {0, 0};
};

Json times_json(const std::vector<Nanoseconds>& times) {
  Json json = Json::array();
  for (const Nanoseconds time : times) json.push_back(to_ms(time));
  return json;
}

Json ways_json(const std::vector<PairForecast>& ways) {
  Json json = Json::array();
  for (const PairForecast& way : ways)
    if (way.measured > 0)
      json.push_back(Json{{"ratio", {way.ratio.first, way.ratio.second}},
                          {"sms_of_first", way.sms_of_first ? Json(*way.sms_of_first) : Json()},
                          {"whole", way.whole},
                          {"urgent", way.urgent ? Json(*way.urgent) : Json()},
                          {"many_streams", way.many_streams},
                          {"speeds", way.rates},
                          {"works", way.measured}});
  return json;
}

// A pair of kernels that runs on a machine of its own.
class Pair {
 public:
  // Makes a pair whose trace files have names that begin with `traces`; if it is empty, no traces are written.
  Pair(Stage& stage, Machine& machine, KernelId first, KernelId second, std::string traces)
      : stage_(stage), machine_(machine), kernels_{first, second}, traces_(std::move(traces)) {
    for (std::size_t i = 0; i < 2; ++i) alone_[i] = *machine.kernel(kernels_[i])->alone;
    longer_ = alone_[0] >= alone_[1] ? 0 : 1;
  }

  Result<Json> run() {
    Json json = {{"device", stage_.device()},
                 {"kernels", {name(0), name(1)}},
                 {"alone_ms", {to_ms(alone_[0]), to_ms(alone_[1])}},
                 {"batches", {{"part", kPart}, {"first", kPart * kPartsOfFirst}, {"begin", kBegin}}},
                 {"screened", Json::array()},
                 {"baselines", Json::array()},
                 {"first", Json::array()},
                 {"again", Json::array()}};
    WATTUNE_ASSIGN(const std::vector<Baseline> finalists, screen(json["screened"]));
    std::vector<std::vector<Nanoseconds>> times(finalists.size());
    const Stopwatch watch;
    for (const std::vector<std::size_t>& order : balanced_orders(finalists.size() + 1, kRounds, 1)) {
      if (!times.front().empty() && watch.elapsed() > kTimeForRounds) break;
      for (const std::size_t entrant : order) {
        if (entrant == finalists.size()) {
          WATTUNE_TRY(run_paired(json));
          traces_.clear();
          continue;
        }
        WATTUNE_ASSIGN(const Nanoseconds time, time_of(finalists[entrant], kPart));
        times[entrant].push_back(time);
      }
    }
    for (std::size_t i = 0; i < finalists.size(); ++i)
      json["baselines"].push_back(Json{{"way", finalists[i].name}, {"parts_ms", times_json(times[i])}});
    return json;
  }

 private:
  const std::string& name(std::size_t place) const { return machine_.kernel(kernels_[place])->name; }

  std::vector<Baseline> baselines() const {
    std::vector<Baseline> all = {{"in turn", "fifo"},
                                 {"streams", "streams"},
                                 {"priority of " + name(0), "priority", {}, {1, 0}},
                                 {"priority of " + name(1), "priority", {}, {0, 1}}};
    for (const unsigned sms : splits_of(machine_.limits())) all.push_back({fmt::format("{} SMs", sms), "split", sms});
    return all;
  }

  // Returns the fastest baselines of a trial. Each runs a batch that is not measured, in which its streams are made,
  // and then a few measured batches.
  Result<std::vector<Baseline>> screen(Json& json) {
    std::vector<std::pair<Nanoseconds, Baseline>> screened;
    for (const Baseline& baseline : baselines()) {
      WATTUNE_TRY(time_of(baseline, 1));
      WATTUNE_ASSIGN(const Nanoseconds time, time_of(baseline, kScreening));
      screened.emplace_back(time, baseline);
      json.push_back(Json{{"way", baseline.name}, {"batch_ms", to_ms(time) / kScreening}});
    }
    std::ranges::stable_sort(screened, {}, &std::pair<Nanoseconds, Baseline>::first);
    std::vector<Baseline> fastest;
    for (const auto& [time, baseline] : screened)
      if (fastest.size() < kFinalists) fastest.push_back(baseline);
    return fastest;
  }

  // Returns the arrivals of a part's works, which are all there from the beginning.
  std::vector<Arrival> arrivals(std::size_t batches, const std::array<int, 2>& priorities = {0, 0}) const {
    const std::size_t shorter = 1 - longer_;
    const double ratio = alone_[longer_] / alone_[shorter];
    std::vector<Arrival> works;
    for (std::size_t batch = 1, of_shorter = 0; batch <= batches; ++batch) {
      works.push_back({.moment = {}, .kernel = kernels_[longer_], .priority = priorities[longer_]});
      for (; static_cast<double>(of_shorter) + 0.5 < ratio * static_cast<double>(batch); ++of_shorter)
        works.push_back({.moment = {}, .kernel = kernels_[shorter], .priority = priorities[shorter]});
    }
    return works;
  }

  // Runs the works by a policy. Writes the trace of the run if traces are wanted.
  Result<QueueRun> run_traced(const std::vector<Arrival>& works, const QueueOptions& options, const PairTable& table,
                              const std::string& way) {
    Trace trace;
    WATTUNE_ASSIGN(QueueRun run, run_queue(machine_, works, options, table, traces_.empty() ? nullptr : &trace));
    if (!traces_.empty()) std::ofstream(fmt::format("{}.{}.trace", traces_, way)) << trace.json();
    return run;
  }

  Result<Nanoseconds> time_of(const Baseline& baseline, std::size_t batches) {
    PairTable forecasts(machine_.limits().sms);
    // The baseline keeps to this split of the SMs even if it is slow, because no measurement corrects the forecast in
    // `forecasts`.
    if (baseline.sms_of_first)
      forecasts.learn(kernels_[0], kernels_[1], {.sms_of_first = baseline.sms_of_first, .rates = {1.0, 1.0}});
    WATTUNE_ASSIGN(const QueueRun run, run_traced(arrivals(batches, baseline.priorities), {.policy = baseline.policy},
                                                  forecasts, fmt::format("{}.{}", baseline.name, batches)));
    return run.makespan;
  }

  Result<void> run_paired(Json& json) {
    const unsigned sms = machine_.limits().sms;
    WATTUNE_ASSIGN(PairTable table, forecast({}, json["first"]));
    WATTUNE_TRY(run_parts(std::vector<std::size_t>(kPartsOfFirst, kPart), table, json["first"].back()));
    stage_.remember(kernels_[0], kernels_[1], sms, table.ways(kernels_[0], kernels_[1]));
    WATTUNE_ASSIGN(table, forecast(stage_.remembered(kernels_[0], kernels_[1], sms), json["again"]));
    return run_parts({kBegin, kPart}, table, json["again"].back());
  }

  // Forecasts the pair as for works that an application submits: there are no pilots, since the works themselves try
  // the ways to run.
  Result<PairTable> forecast(const std::optional<PairForecast>& remembered, Json& runs) {
    const Nanoseconds begin = machine_.now();
    const Forecaster predict = submission_forecaster(machine_.limits(), stage_.sm());
    WATTUNE_ASSIGN(PairForecast ways, predict(*machine_.kernel(kernels_[0]), *machine_.kernel(kernels_[1])));
    if (remembered) ways = completed(*remembered, std::move(ways));
    PairTable table(machine_.limits().sms);
    table.learn(kernels_[0], kernels_[1], ways);
    Json run = {{"pilots_ms", to_ms(machine_.now() - begin)}};
    runs.push_back(std::move(run));
    return table;
  }

  // Runs the batches of works in several parts, one after the other, under the policy `paired`. `parts` has the number
  // of batches of each part. Each part begins with the table of speeds that the part before has left.
  Result<void> run_parts(const std::vector<std::size_t>& parts, PairTable& table, Json& json) {
    const PairTable before = table;
    std::vector<Nanoseconds> times;
    for (const std::size_t batches : parts) {
      const std::string part = fmt::format("paired.{}.{}", parts.size(), times.size());
      WATTUNE_ASSIGN(QueueRun run, run_traced(arrivals(batches), {}, table, part));
      times.push_back(run.makespan);
      table = std::move(run.pairs);
    }
    const std::vector<PairForecast> ways = table.ways(kernels_[0], kernels_[1]);
    json["parts_ms"] = times_json(times);
    json["trials_ms"] = to_ms(time_of_trials(before, ways));
    json["ways"] = ways_json(ways);
    return {};
  }

  // Returns the time that works spent on trials: all works in ways to run that the policy has not kept, and the first
  // work in the way that it has kept. `ways` are those after the runs, the best first.
  Nanoseconds time_of_trials(const PairTable& before, const std::vector<PairForecast>& ways) const {
    Nanoseconds sum;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto known = before.find(kernels_[0], kernels_[1], ways[i].shape(), ways[i].clocks);
      const std::size_t works_before = known ? known->measured : 0;
      if (ways[i].measured <= works_before) continue;
      const std::size_t works = i > 0 ? ways[i].measured - works_before : works_before == 0 ? 1 : 0;
      sum += static_cast<double>(works) * std::max(alone_[0] / ways[i].rates[0], alone_[1] / ways[i].rates[1]);
    }
    return sum;
  }

  Stage& stage_;
  Machine& machine_;
  std::array<KernelId, 2> kernels_;
  std::array<Nanoseconds, 2> alone_;
  std::size_t longer_ = 0;  // its place in `kernels_`
  std::string traces_;      // how the files of this round's traces begin
};

Result<CorunKernel> load(const std::string& file) {
  WATTUNE_ASSIGN(KernelSpec spec, spec::load(file));
  WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
  Configuration configuration = space.configuration(space.default_configuration());
  std::string name = spec.name;
  return CorunKernel{std::move(spec), std::move(configuration), std::move(name)};
}

Result<std::unique_ptr<Stage>> open_stage(const Options& options) {
  constexpr std::string_view kSimulated = "simulated:";
  if (options.device.starts_with(kSimulated))
    return open_simulated_stage(options.kernels, kWaves, {.device = options.device.substr(kSimulated.size())});
  std::vector<CorunKernel> kernels;
  for (const std::string& file : options.specs) {
    WATTUNE_ASSIGN(kernels.emplace_back(), load(file));
  }
  return open_device_stage(kernels, {.device = options.device});
}

// Runs a pair and writes the file of its result. If the run fails, there is no file.
Result<void> run_pair(Stage& stage, KernelId first, KernelId second, const std::filesystem::path& file, bool traces) {
  WATTUNE_ASSIGN(const auto machine, stage.machine());
  WATTUNE_ASSIGN(const Json json,
                 Pair(stage, *machine, first, second, traces ? file.parent_path() / file.stem() : "").run());
  const std::filesystem::path part = file.string() + ".part";
  std::ofstream(part) << json.dump(1) << '\n';
  std::filesystem::rename(part, file);
  return {};
}

Result<int> run(const Options& options) {
  const Stopwatch watch;
  const std::filesystem::path folder(options.folder);
  std::filesystem::create_directories(folder);
  WATTUNE_ASSIGN(const auto stage, open_stage(options));
  WATTUNE_TRY(stage->profile(kProfileRounds));
  for (const std::string& note : stage->notes()) fmt::print(stderr, "{}\n", note);
  int pairs = 0, done = 0, failed = 0;
  const auto& kernels = stage->kernels();
  for (KernelId i = 0; i < kernels.size(); ++i)
    for (KernelId j = i + 1; j < kernels.size(); ++j) {
      const std::string name = kernels[i].traits.name + "-" + kernels[j].traits.name;
      const std::filesystem::path file = folder / (name + ".json");
      ++pairs;
      if (!std::filesystem::exists(file) && to_seconds(watch.elapsed()) < options.seconds) {
        const Stopwatch of_pair;
        const auto ran = run_pair(*stage, i, j, file, options.traces);
        failed += ran ? 0 : 1;
        fmt::print("{}: {:.1f} s{}\n", name, to_seconds(of_pair.elapsed()),
                   ran ? "" : ", failed: " + ran.error().to_string());
        std::fflush(stdout);
      }
      done += std::filesystem::exists(file) ? 1 : 0;
    }
  fmt::print("{} of {} pairs, {} failed in this call\n", done, pairs, failed);
  return failed;
}

}  // namespace
}  // namespace wattune::perf

int main(int argc, char** argv) {
  wattune::perf::Options options;
  CLI::App app("Runs every two kernels together in batches");
  app.add_option("FOLDER", options.folder)->required();
  app.add_option("SPEC", options.specs);
  app.add_option("--device", options.device);
  app.add_option("--kernels", options.kernels)->delimiter(',');
  app.add_option("--seconds", options.seconds);
  app.add_flag("--traces", options.traces);
  CLI11_PARSE(app, argc, argv);
  const auto failed = wattune::perf::run(options);
  if (!failed) fmt::print(stderr, "pair_batches: {}\n", failed.error().to_string());
  return failed && *failed == 0 ? 0 : 1;
}
