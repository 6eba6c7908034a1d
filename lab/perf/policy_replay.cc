// Replays recorded samples through the measuring policies. It measures how good the winner is, and how many launches it
// takes to find it.
//
//   policy_replay [--policy gated|repeated] [--seeds N] FILE...
//
// FILE is a result file with all samples of each configuration, such as Kernel Tuner's caches. The configurations come
// in random order, each after an idle gap.
//
// The launches of a configuration take the recorded times in recorded order. Once these are used up, the times are
// drawn with replacement. The first quarter is not drawn, because the device warmed up then. Configurations that the
// policy cannot tell from the best meet in the final.
//
// For each file the program prints the regret: how much slower the winner is than the best configuration, by the
// medians of all recorded samples. It also prints the launches, with warm-up and final, as a share of seven per
// configuration. The last three columns are for the worst of the seeds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string_view>

#include "wattune/core/random.h"
#include "wattune/measure/policy.h"
#include "wattune/store/formats.h"

namespace wattune {
namespace {

constexpr std::size_t kFewestSamples = 7;  // samples that make a configuration worth replaying

// A recorded configuration that runs as a kernel.
class RecordedRunner : public measure::Runner {
 public:
  RecordedRunner(const std::vector<Sample>& recorded, std::uint64_t seed)
      : recorded_(recorded), warm_from_(recorded.size() / 4), random_(seed) {}

  Result<std::vector<Sample>> run(std::size_t n) override {
    std::vector<Sample> samples;
    for (; n > 0; --n) {
      const std::size_t i =
          launches_ < recorded_.size() ? launches_ : warm_from_ + random_.below(recorded_.size() - warm_from_);
      samples.push_back(recorded_[i]);
      busy_ += samples.back().time;
      ++launches_;
    }
    return samples;
  }
  Nanoseconds busy_time() const override { return busy_; }

  std::size_t launches() const { return launches_; }

 private:
  const std::vector<Sample>& recorded_;
  std::size_t warm_from_;
  Random random_;
  std::size_t launches_ = 0;
  Nanoseconds busy_;
};

struct Replayed {
  double regret = 0.0;
  double launches = 0.0;  // over seven of each configuration
  double sampled = 0.0;   // share of the configurations that were not rejected
  std::size_t tied = 0;
};

struct Settings {
  std::string policy = "gated";
  std::uint64_t seeds = 10;
  std::vector<std::string> files;
};

std::vector<std::size_t> shuffled(std::size_t n, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

using Recording = std::vector<std::vector<Sample>>;  // for each configuration

Replayed replay(const Recording& recording, measure::MeasurePolicy& policy, std::uint64_t seed) {
  Random random(seed);
  const std::vector<std::size_t> order = shuffled(recording.size(), random);
  std::vector<RecordedRunner> runners;
  for (const std::size_t i : order) runners.emplace_back(recording[i], random.bits());

  std::vector<Statistics> measured;
  std::optional<Statistics> incumbent;
  Replayed replayed;
  for (RecordedRunner& runner : runners) {
    measured.push_back(measure::summarize(policy.measure(runner, incumbent).value()));
    if (!incumbent || measured.back().median < incumbent->median) incumbent = measured.back();
    replayed.sampled += measured.back().confidence ? 1.0 : 0.0;
  }

  const measure::ShootOutOptions options;
  std::vector<measure::ObjectiveInterval> intervals;
  for (const Statistics& each : measured)
    intervals.push_back({each.median.value(), each.interval_low.value(), each.interval_high.value()});
  const std::vector<std::size_t> finalists = measure::choose_finalists(intervals, options.finalists);
  std::vector<measure::TimedContestant> timed;
  for (const std::size_t i : finalists) timed.emplace_back(runners[i]);
  std::vector<measure::Contestant*> contestants;
  for (measure::TimedContestant& each : timed) contestants.push_back(&each);
  std::size_t failed = 0;
  const auto rounds = measure::run_shoot_out(contestants, options, failed);
  const measure::Verdict verdict = measure::judge(*rounds, std::nullopt, options.max_blocks);

  const auto truth = [&](std::size_t i) { return measure::summarize(recording[i]).median; };
  Nanoseconds best = truth(0);
  std::size_t launches = 0;
  for (std::size_t i = 0; i < recording.size(); ++i) {
    best = std::min(best, truth(i));
    launches += runners[i].launches();
  }
  replayed.regret = truth(order[finalists[verdict.winner]]) / best - 1.0;
  replayed.launches = static_cast<double>(launches) / (7.0 * static_cast<double>(recording.size()));
  replayed.sampled /= static_cast<double>(recording.size());
  replayed.tied = verdict.ties.size();
  return replayed;
}

Result<Recording> load(const std::string& file) {
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(file));
  Recording recording;
  for (const Trial& trial : results.trials) {
    if (trial.observation.ok() && trial.observation.samples.size() >= kFewestSamples)
      recording.push_back(trial.observation.samples);
  }
  if (recording.empty()) return Error(ErrorCode::invalid_argument, "no configuration has its samples").about(file);
  return recording;
}

Result<void> replay_file(const std::string& file, const Settings& settings) {
  WATTUNE_ASSIGN(const Recording recording, load(file));
  std::vector<double> regrets;
  Replayed worst;
  for (std::uint64_t seed = 1; seed <= settings.seeds; ++seed) {
    const auto policy = settings.policy == "gated" ? measure::make_gated({}) : measure::make_repeated_runs({});
    const Replayed replayed = replay(recording, *policy, seed);
    regrets.push_back(replayed.regret);
    worst.launches = std::max(worst.launches, replayed.launches);
    worst.sampled = std::max(worst.sampled, replayed.sampled);
    worst.tied = std::max(worst.tied, replayed.tied);
  }
  std::sort(regrets.begin(), regrets.end());
  const auto above = std::ranges::count_if(regrets, [](double regret) { return regret > 0.01; });
  const std::string name = std::filesystem::path(file).filename().stem().stem().string();
  fmt::print("| {} | {} | {:.2f} % | {:.2f} % | {} | {:.2f} | {:.1f} % | {} |\n", name, recording.size(),
             100.0 * regrets[regrets.size() / 2], 100.0 * regrets.back(), above, worst.launches, 100.0 * worst.sampled,
             worst.tied);
  return {};
}

std::optional<Settings> parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--policy" && i + 1 < argc)
      settings.policy = argv[++i];
    else if (argument == "--seeds" && i + 1 < argc)
      settings.seeds = std::strtoull(argv[++i], nullptr, 10);
    else
      settings.files.emplace_back(argument);
  }
  const bool known = settings.policy == "gated" || settings.policy == "repeated";
  return known && settings.seeds > 0 && !settings.files.empty() ? std::optional(settings) : std::nullopt;
}

}  // namespace
}  // namespace wattune

int main(int argc, char** argv) {
  const auto settings = wattune::parse(argc, argv);
  if (!settings) {
    fmt::print(stderr, "usage: policy_replay [--policy gated|repeated] [--seeds N] FILE...\n");
    return 2;
  }
  fmt::print(
      "| set | configurations | regret, median | regret, worst | seeds above 1 % | launches / 7 each | sampled | tied "
      "|\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& file : settings->files) {
    const auto done = wattune::replay_file(file, *settings);
    if (done) continue;
    fmt::print(stderr, "{}: {}\n", file, done.error().to_string());
    return 1;
  }
}
