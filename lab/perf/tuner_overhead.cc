// Measures the cost of the tuner itself per evaluation, with an empty kernel on the fake device. Every Trial is written
// to a journal.
//
//   perf_tuner_overhead [EVALUATIONS]
//
// EVALUATIONS is their number, 100000 unless given, in a space of 10^6 configurations.
//
// The kernel does nothing and takes no device time, so that only Wattune's own time is measured. This includes launch
// planning, a checked run and seven timed ones through the Device interface, statistics, the journal line with its
// write, and the strategy. There is no warm-up. A warm-up lasts a fixed time and starts again after every pause, so
// that a slow strategy would add to the evaluator's time.
//
// The program prints processor time in microseconds per evaluation: of each part, and of each strategy.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "fakes/fake_device.h"
#include "tune/interface/describe_run.h"
#include "wattune/measure/policy.h"
#include "wattune/search/strategy.h"
#include "wattune/store/journal.h"
#include "wattune/tune/search.h"

namespace wattune {
namespace {

// Returns the processor time of this thread, which does all the work of tuning.
Nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return Nanoseconds(static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec));
}

// An evaluator that passes calls on to another one and sums the time spent there.
class TimedEvaluator : public tune::Evaluator {
 public:
  explicit TimedEvaluator(tune::Evaluator& inner) : inner_(inner) {}
  Result<Observation> evaluate(const Configuration& configuration) override {
    const Nanoseconds start = processor_time();
    Result<Observation> observation = inner_.evaluate(configuration);
    total += processor_time() - start;
    return observation;
  }
  Nanoseconds total;

 private:
  tune::Evaluator& inner_;
};

class TimedSink : public TrialSink {
 public:
  explicit TimedSink(TrialSink& inner) : inner_(inner) {}
  Result<void> add(const Trial& trial) override {
    const Nanoseconds start = processor_time();
    Result<void> done = inner_.add(trial);
    total += processor_time() - start;
    return done;
  }
  Nanoseconds total;

 private:
  TrialSink& inner_;
};

class Silent : public tune::TuningObserver {
 public:
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const tune::TuningEvent&) override {}
};

// Returns a spec with six parameters of ten values each. Its other parts are those of a usual small spec.
KernelSpec empty_kernel_spec() {
  KernelSpec spec;
  spec.source.function = "nothing";
  spec.source.text = "kernel void nothing(global float* y, global const float* x, uint n) {}";
  spec.problem_size = {{"n", 1024}};
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes[0] = {"n", {}};
  spec.geometry.work_group[0] = {"block", {}};
  spec.geometry.divisors[0] = {{"block", {}}, {"tile", {}}};
  VectorArgument vector;
  vector.length = {"n", {}};
  VectorArgument output = vector;
  output.access = ArgumentAccess::write_only;
  spec.arguments = {
      {"y", output, {}}, {"x", vector, {}}, {"n", ScalarArgument{ElementType::uint32, {"n * tile", {}}}, {}}};
  const std::vector<Value> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (const char* name : {"block", "tile", "unroll", "vector", "stride", "order"})
    spec.parameters.push_back({name, ten, {}, {}});
  return spec;
}

Result<void> measure_overhead(const std::string& strategy_name, std::uint64_t evaluations) {
  const KernelSpec spec = empty_kernel_spec();
  fakes::FakeDevice device;
  device.add_kernel("nothing", 3, [](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return Nanoseconds(1000); });
  WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
  const auto policy = measure::make_repeated_runs({.warm_up = Nanoseconds()});
  WATTUNE_ASSIGN(const auto evaluator, tune::make_evaluator(spec, space, device, *policy));
  WATTUNE_ASSIGN(const auto strategy, search::make_strategy(strategy_name, space));
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("wattune-overhead-{}.journal", getpid());
  WATTUNE_ASSIGN(const auto journal, store::Journal::open(file, tune::describe_run(spec, space, device.info())));

  TimedEvaluator timed_evaluator(*evaluator);
  TimedSink timed_sink(*journal);
  Silent observer;
  tune::TuningOptions options;
  options.stop.evaluations = evaluations;
  const Nanoseconds start = processor_time();
  const auto result = tune::tune(space, *strategy, timed_evaluator, timed_sink, observer, {}, options);
  const Nanoseconds elapsed = processor_time() - start;
  std::filesystem::remove(file);
  if (!result) return result.error();

  const auto per_evaluation = [&](Nanoseconds time) {
    return time.value() / 1e3 / static_cast<double>(result->evaluated);
  };
  const Nanoseconds rest = elapsed - timed_evaluator.total - timed_sink.total;
  fmt::print("{:<20} {:>11} {:>10.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n", strategy_name, result->evaluated,
             per_evaluation(rest), per_evaluation(timed_evaluator.total), per_evaluation(timed_sink.total),
             per_evaluation(elapsed));
  return {};
}

}  // namespace
}  // namespace wattune

int main(int argc, char** argv) {
  const std::uint64_t evaluations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  fmt::print("microseconds of processor time per evaluation\n{:<20} {:>11} {:>10} {:>9} {:>9} {:>9}\n", "strategy",
             "evaluations", "ask, tell", "evaluate", "journal", "total");
  for (const wattune::search::StrategyInfo& strategy : wattune::search::strategies()) {
    const auto done = wattune::measure_overhead(strategy.name, evaluations);
    if (done) continue;
    fmt::print(stderr, "{}: {}\n", strategy.name, done.error().to_string());
    return 1;
  }
}
