// Measures what a proposal of each strategy costs: the CPU time of ask(1) and tell() per evaluation. The evaluated
// function is invented.
//
//   search_overhead [EVALUATIONS] [SPEC]        default 1000
//
// There are two spaces: `small` has some 5,800 configurations of 8 parameters, `large` 2 * 10^8 of 12. One in ten
// configurations fails. `first` is the mean over the first half of the evaluations, `second` the mean over the second
// half.
//
// At the end the program prints how long a device waits for the proposals of `auto`, which learns while the device is
// busy. This is measured in the space `large`, or in the space of SPEC, whose parameters must be numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "wattune/search/strategy.h"
#include "wattune/spec/spec.h"

namespace {

using namespace wattune;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

space::SearchSpace make_space(int parameters, int values, const std::string& constraint) {
  std::vector<Parameter> list;
  for (int p = 0; p < parameters; ++p) {
    Parameter& parameter = list.emplace_back();
    parameter.name = fmt::format("p{}", p);
    for (int v = 1; v <= values; ++v) parameter.values.emplace_back(v);
  }
  return space::SearchSpace::build(std::move(list), {{constraint, {}}}).value();
}

space::SearchSpace large_space() { return make_space(12, 5, "p0 + p1 + p2 < 12"); }

Observation pretend_to_measure(const space::SearchSpace& space, ConfigurationId id) {
  Observation observation;
  double time = 1000.0;
  double sum = 0.0;
  const Configuration configuration = space.configuration(id);
  for (const Value& value : configuration.values()) {
    time += 10.0 * std::pow(value.as_real() - 2.5, 2.0) + 5.0 * std::sin(3.0 * sum);
    sum += value.as_real();
  }
  if (id % 10 == 0) {
    observation.status = Status::runtime;
  } else {
    observation.statistics = Statistics{.median = Nanoseconds(time)};
  }
  return observation;
}

// Returns the microseconds per evaluation, as means over the first and the second half.
std::pair<double, double> measure(const std::string& name, const space::SearchSpace& space, int evaluations) {
  const auto strategy = search::make_strategy(name, space).value();
  double halves[2] = {0.0, 0.0};
  for (int i = 0; i < evaluations; ++i) {
    const double start = cpu_seconds();
    const std::vector<ConfigurationId> ids = strategy->ask(1);
    const double asked = cpu_seconds();
    if (ids.empty()) break;
    const Observation observation = pretend_to_measure(space, ids.front());
    const double measured = cpu_seconds();
    strategy->tell(ids.front(), observation);
    halves[2 * i / evaluations] += asked - start + cpu_seconds() - measured;
  }
  return {halves[0] * 2e6 / evaluations, halves[1] * 2e6 / evaluations};
}

Result<space::SearchSpace> space_of(const std::string& file) {
  WATTUNE_ASSIGN(KernelSpec spec, spec::load(file, spec::SourcePolicy::optional));
  return space::SearchSpace::build(std::move(spec.parameters), std::move(spec.constraints));
}

// Returns the milliseconds that each ask(1) takes, ascending.
std::vector<double> latencies(const space::SearchSpace& space, int evaluations) {
  const auto strategy = search::make_strategy("auto", space).value();
  std::vector<double> waits;
  for (int i = 0; i < evaluations; ++i) {
    const double start = cpu_seconds();
    const std::vector<ConfigurationId> ids = strategy->ask(1);
    waits.push_back(1e3 * (cpu_seconds() - start));
    if (const std::function<void()> work = strategy->pending_work()) work();
    strategy->tell(ids.front(), pretend_to_measure(space, ids.front()));
  }
  std::ranges::sort(waits);
  return waits;
}

}  // namespace

int main(int argc, char** argv) {
  const int evaluations = argc > 1 ? std::atoi(argv[1]) : 1000;
  const space::SearchSpace small = make_space(8, 3, "p0 + p1 < 6");
  const space::SearchSpace large = large_space();
  fmt::print("microseconds per evaluation, {} evaluations\n{:<24} {:>12} {:>12} {:>12} {:>12}\n{:<24}", evaluations,
             "strategy", "small first", "second", "large first", "second", "");
  fmt::print(" {:>25} {:>25}\n", to_string(small.count()), to_string(large.count()));
  for (const search::StrategyInfo& strategy : search::strategies()) {
    const auto [a, b] = measure(strategy.name, small, evaluations);
    const auto [c, d] = measure(strategy.name, large, evaluations);
    fmt::print("{:<24} {:>12.2f} {:>12.2f} {:>12.2f} {:>12.2f}\n", strategy.name, a, b, c, d);
  }
  const Result<space::SearchSpace> asked = argc > 2 ? space_of(argv[2]) : large_space();
  if (!asked) {
    fmt::print(stderr, "{}\n", asked.error().to_string());
    return 1;
  }
  const std::vector<double> waits = latencies(*asked, evaluations);
  fmt::print("auto, {} configurations: 99.9 % of {} proposals take {:.3f} ms or less, the longest {:.3f} ms\n",
             to_string(asked->count()), waits.size(), waits[waits.size() - 1 - waits.size() / 1000], waits.back());
  return 0;
}
