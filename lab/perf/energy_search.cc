// Replays searches for little energy on a board in virtual time, and measures what they find in a given time. Times and
// energies of the configurations are recorded ones. The sensors are those of an A100: the power of 25 ms in every 100
// ms, and an energy counter that changes as often.
//
//   energy_search [--policy gated|repeated] [--seconds S] [--seeds N] [--idle WATTS] [--restore MS] [--faster N]
//                 [--slowdown PERCENT] FILE...
//
// FILE has the energy of each configuration. A launch takes the recorded time at the recorded power; with --faster it
// takes an N-th of the time, as a smaller problem would. With --restore the board restores an argument for MS
// milliseconds before each launch. Compiling, checking and warming up a configuration take 70 ms. The strategy is
// `auto` with its default parameters, and there is no final.
//
// The policy `repeated` measures the energy of every configuration in a whole window, `gated` only that of possible
// winners. For each file the program prints medians over the seeds: the configurations evaluated in that time, and
// those whose energy was not measured. It also prints the recorded energy of the best configuration over the least
// energy, with the worst of the seeds. With --slowdown only configurations that are fast enough count for the least
// energy.
//
//   energy_search --histories N [--idle WATTS] FILE...
//
// `gated` assumes that no configuration has less than a certain share of the least dynamic energy measured so far. With
// --histories the program tests such shares. It prints how often the assumption would leave out the configuration of
// least energy. For that it draws the measured configurations at random: N times each 1, 2, 4, 8, 32 and 128 of them,
// of which the worst number counts. It also prints the share of configurations that is left out once the least energy
// is known.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "core/interface/energy.h"
#include "search/interface/slowdown.h"
#include "tune/observed_board.h"
#include "tune/problem.h"
#include "wattune/search/strategy.h"
#include "wattune/store/formats.h"
#include "wattune/tune/replay.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {
namespace {

struct Settings {
  std::string policy = "gated";
  double seconds = 90.0;
  std::uint64_t seeds = 20;
  double idle = 45.0;
  double restore_ms = 0.0;
  double faster = 1.0;
  std::optional<double> slowdown;  // as a share
  std::size_t histories = 0;
  std::vector<std::string> files;
};

struct Recorded {
  space::SearchSpace space;
  Recording recording;

  Joules energy(ConfigurationId id) const { return *energy_of(*recording.find(id)); }
  Nanoseconds time(ConfigurationId id) const { return recording.find(id)->statistics->median; }
  // Returns the least energy of the configurations that are at most `slowdown` slower than the fastest one, as a share.
  Joules least_energy(double slowdown) const {
    const auto all = recording.trials();
    Nanoseconds fastest(std::numeric_limits<double>::infinity());
    for (const Trial& trial : all) fastest = std::min(fastest, time(trial.configuration.id()));
    Joules least(std::numeric_limits<double>::infinity());
    for (const Trial& trial : all)
      if (time(trial.configuration.id()) <= (1.0 + slowdown) * fastest)
        least = std::min(least, energy(trial.configuration.id()));
    return least;
  }
};

// Loads the configurations that ran without failure and have an energy.
Result<Recorded> load(const std::string& file) {
  WATTUNE_ASSIGN(ResultSet results, store::load_results(file));
  std::erase_if(results.trials, [](const Trial& trial) { return !energy_of(trial.observation); });
  WATTUNE_ASSIGN(space::SearchSpace space, recorded_space(results));
  WATTUNE_ASSIGN(Recording recording, Recording::match(space, std::move(results)));
  return Recorded{std::move(space), std::move(recording)};
}

// Sets the phases of the sensors and the moments at which they are read, which differ with the seed.
void place_sensors(power::VirtualSensors& sensors, std::uint64_t seed) {
  Random random(seed);
  power::VirtualSensor& energy = sensors.energy.front();
  energy.phase = random.uniform() * power::ms(100);
  energy.poll = power::ms(25);
  energy.poll_phase = random.uniform() * energy.poll;
  sensors.power.front() = power::boxcar(power::ms(100), power::ms(25), {}, 0.002);
  sensors.power.front().phase = energy.phase;
  sensors.power.front().poll_phase = random.uniform() * energy.poll;
  sensors.power.front().seed = random.bits();
}

// A search in which the kernel takes the recorded time and power of the configuration that is being evaluated.
class Search : public Evaluator {
 public:
  Search(const Recorded& recorded, const Settings& settings, std::uint64_t seed)
      : recorded_(recorded), board_(Watts(settings.idle)), settings_(settings), spec_(scale_spec()) {
    spec_.parameters = recorded.space.parameters();
    for (Parameter& parameter : spec_.parameters) parameter.role = ParameterRole::code;  // recorded clocks are not set
    spec_.geometry.work_group[0] = at_line("8", 21);
    spec_.objectives = {{"energy", false, settings.slowdown}};
    if (settings.restore_ms > 0.0) spec_.arguments[0] = vector_argument("y", ArgumentAccess::read_write);
    device_.slow_transfers(nanoseconds_from_ms(settings.restore_ms));
    device_.on_build([](const auto&, const auto&) { return fakes::FakeCompilation{"", nanoseconds_from_ms(70)}; });
    device_.add_kernel("scale", 3, [this](const fakes::FakeLaunch&) -> Result<Nanoseconds> {
      const Nanoseconds time = recorded_.time(now_at_);
      return board_.run(recorded_.energy(now_at_) / time, time / settings_.faster);
    });
    place_sensors(board_.board.sensors(), seed);
    // There is no warm-up, because it is timed by the host's clock, which stands still in virtual time.
    const measure::SamplingOptions sampling{.warm_up = Nanoseconds(0)};
    policy_ = settings.policy == "gated" ? measure::make_gated(sampling) : measure::make_repeated_runs(sampling);
  }

  Result<void> start() {
    now_at_ = recorded_.space.default_configuration();
    WATTUNE_ASSIGN(inner_,
                   make_evaluator(spec_, recorded_.space, device_, *policy_,
                                  {.observe = {BoardMetric::energy}, .open_recorder = board_.recorder_of(device_)}));
    return {};
  }
  Result<Observation> evaluate(const Configuration& configuration) override {
    now_at_ = configuration.id();
    return inner_->evaluate(configuration);
  }
  Nanoseconds now() const override { return board_.board.now(); }

 private:
  const Recorded& recorded_;
  ObservedBoard board_;
  const Settings& settings_;
  KernelSpec spec_;
  fakes::FakeDevice device_;
  std::unique_ptr<measure::MeasurePolicy> policy_;
  ConfigurationId now_at_ = 0;
  std::unique_ptr<Evaluator> inner_;
};

struct NoSink : TrialSink {
  Result<void> add(const Trial& trial) override {
    left_out += std::ranges::count(trial.observation.metrics, "energy", &Metric::name) == 0 ? 1.0 : 0.0;
    return {};
  }
  double left_out = 0.0;
};

struct Outcome {
  double evaluated = 0.0;
  double left_out = 0.0;
  double over_least = 0.0;
};

Result<Outcome> run(const Recorded& recorded, const Settings& settings, std::uint64_t seed) {
  Search search(recorded, settings, seed);
  WATTUNE_TRY(search.start());
  const auto make = [&] {
    return search::make_strategy("auto", recorded.space,
                                 {.seed = seed, .start = recorded.space.default_configuration()});
  };
  WATTUNE_ASSIGN(const auto strategy,
                 settings.slowdown ? search::make_strategy_within(*settings.slowdown, recorded.space, make) : make());
  NoSink sink;
  TuningObserver nobody;
  TuningOptions options;
  options.stop.time = nanoseconds_from_seconds(settings.seconds);
  options.slowdown = settings.slowdown;
  Evaluator* const evaluator = &search;
  WATTUNE_ASSIGN(const TuningResult result,
                 tune(recorded.space, *strategy, std::span(&evaluator, 1), sink, nobody, {}, options));
  const Joules least = recorded.least_energy(settings.slowdown.value_or(std::numeric_limits<double>::infinity()));
  const Joules found = recorded.energy(result.best->configuration.id());
  return Outcome{static_cast<double>(result.evaluated), sink.left_out, found / least};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Result<void> run_file(const std::string& file, const Settings& settings) {
  WATTUNE_ASSIGN(const Recorded recorded, load(file));
  std::vector<double> evaluated;
  std::vector<double> left_out;
  std::vector<double> over_least;
  for (std::uint64_t seed = 1; seed <= settings.seeds; ++seed) {
    WATTUNE_ASSIGN(const Outcome outcome, run(recorded, settings, seed));
    evaluated.push_back(outcome.evaluated);
    left_out.push_back(outcome.left_out);
    over_least.push_back(outcome.over_least);
  }
  fmt::print("| {} | {:g} | {} | {} | {:g} | {:.2f} | {:g} | {:.3f} | {:.3f} |\n",
             std::filesystem::path(file).filename().stem().stem().string(), settings.faster, settings.policy,
             settings.restore_ms, median(evaluated), median(evaluated) / settings.seconds, median(left_out),
             median(over_least), std::ranges::max(over_least));
  return {};
}

// The energy of a recorded configuration, and the energy of an idle board in the time that it takes.
struct Taken {
  double energy = 0.0;
  double idle = 0.0;
  double dynamic() const { return energy - idle; }
};

std::vector<Taken> taken_of(const Recorded& recorded, const Settings& settings) {
  std::vector<Taken> all;
  for (const Trial& trial : recorded.recording.trials()) {
    const ConfigurationId id = trial.configuration.id();
    all.push_back({recorded.energy(id).value(), (Watts(settings.idle) * recorded.time(id)).value()});
  }
  return all;
}

// Tells whether the configuration of least energy would be left out once `known` others, drawn with replacement, are
// measured.
bool is_lost(const std::vector<Taken>& all, const Taken& least, double share, std::size_t known, Random& random) {
  double best = std::numeric_limits<double>::infinity();
  double dynamic = best;
  for (std::size_t i = 0; i < known; ++i) {
    const Taken& each = all[random.below(all.size())];
    best = std::min(best, each.energy);
    dynamic = std::min(dynamic, each.dynamic());
  }
  return least.energy < best && least.idle + share * dynamic > best;
}

double most_lost(const std::vector<Taken>& all, const Taken& least, double share, std::size_t histories) {
  double most = 0.0;
  Random random(1);
  for (const std::size_t known : {1, 2, 4, 8, 32, 128}) {
    double lost = 0.0;
    for (std::size_t i = 0; i < histories; ++i) lost += is_lost(all, least, share, known, random) ? 1.0 : 0.0;
    most = std::max(most, lost / static_cast<double>(histories));
  }
  return most;
}

Result<void> judge_shares(const std::string& file, const Settings& settings) {
  WATTUNE_ASSIGN(const Recorded recorded, load(file));
  const std::vector<Taken> all = taken_of(recorded, settings);
  const Taken least = *std::ranges::min_element(all, {}, &Taken::energy);
  const double dynamic = std::ranges::min_element(all, {}, &Taken::dynamic)->dynamic();
  for (const double share : {0.0, 0.75, 0.8, 0.9, 1.0}) {
    const auto is_out = [&](const Taken& each) { return each.idle + share * dynamic > least.energy; };
    const auto out = static_cast<double>(std::ranges::count_if(all, is_out));
    fmt::print("| {} | {:g} | {:.2f} % | {:.0f} % |\n", std::filesystem::path(file).filename().stem().stem().string(),
               share, 100.0 * most_lost(all, least, share, settings.histories),
               100.0 * out / static_cast<double>(all.size()));
  }
  return {};
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--") || i + 1 == argc) {
      settings.files.push_back(argument);
      continue;
    }
    const char* const value = argv[++i];
    if (argument == "--policy") settings.policy = value;
    if (argument == "--seconds") settings.seconds = std::atof(value);
    if (argument == "--seeds") settings.seeds = std::strtoull(value, nullptr, 10);
    if (argument == "--idle") settings.idle = std::atof(value);
    if (argument == "--restore") settings.restore_ms = std::atof(value);
    if (argument == "--slowdown") settings.slowdown = std::atof(value) / 100.0;
    if (argument == "--faster") settings.faster = std::atof(value);
    if (argument == "--histories") settings.histories = std::strtoull(value, nullptr, 10);
  }
  return settings;
}

}  // namespace
}  // namespace wattune::tune

int main(int argc, char** argv) {
  using namespace wattune;
  const tune::Settings settings = tune::settings_of(argc, argv);
  const bool shares = settings.histories > 0;
  fmt::print(
      "{}",
      shares ? "| recording | share | least left out, at worst | configurations left out |\n| --- | --- | --- | --- |\n"
             : "| recording | faster | policy | restoring, ms | configurations | per second | not measured | "
               "best over least | worst |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& file : settings.files) {
    const Result<void> done = shares ? tune::judge_shares(file, settings) : tune::run_file(file, settings);
    if (!done) fmt::print(stderr, "{}\n", done.error().to_string());
    if (!done) return 1;
  }
  return 0;
}
