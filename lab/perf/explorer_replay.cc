// Replays recorded results through the searches that tune an application's kernels while it runs. It measures how good
// the best configuration is after some trials. It also measures what the trials cost an application that waits for each
// call of its kernel.
//
//   explorer_replay [--seeds N] FILE...
//
// FILE is a result file of all configurations, such as a journal. A search begins with the default configuration and no
// knowledge. It proposes `ahead` configurations before it learns the result of the first of them, because an
// application compiles them meanwhile.
//
// The program prints means over the seeds of two numbers. The first is the best of all times over the best time so far,
// after 5, 10, 25 and 50 trials. The second is the sum over the 50 trials of how much longer a call takes than with the
// best configuration so far, in ms.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <limits>
#include <string_view>

#include "dynamic/tuning/key_search.h"
#include "wattune/store/formats.h"
#include "wattune/tune/replay.h"

namespace wattune {
namespace {

constexpr std::array<std::size_t, 4> kMarks = {5, 10, 25, 50};

struct Replayed {
  std::array<double, kMarks.size()> shares{};
  double cost = 0.0;  // ms
};

// Returns a spec with the parts that a search needs.
KernelSpec spec_of(const RunInfo& info) {
  KernelSpec spec;
  spec.name = info.kernel_name;
  spec.parameters = info.parameters;
  for (std::size_t i = 0; i < info.default_values.size(); ++i)
    spec.parameters[i].default_value = info.default_values[i];
  for (const std::string& constraint : info.constraints) spec.constraints.push_back({constraint, {}});
  spec.geometry.sizes[0] = {"1"};
  return spec;
}

double time_of(const tune::Recording& recording, ConfigurationId id) {
  const Observation* const seen = recording.find(id);
  return seen != nullptr && seen->ok() ? seen->objective() : std::numeric_limits<double>::infinity();
}

Replayed replay(const dynamic::Problem& problem, const tune::Recording& recording, const dynamic::TuningPolicy& policy,
                std::size_t ahead, double best) {
  const dynamic::KeySearch search = dynamic::plan_key_search(problem, policy, {}).value();
  Replayed replayed;
  std::deque<ConfigurationId> proposed;
  double best_so_far = std::numeric_limits<double>::infinity();
  for (std::size_t trial = 0; trial < kMarks.back(); ++trial) {
    for (const ConfigurationId id : search.strategy->ask(ahead - proposed.size())) proposed.push_back(id);
    if (!proposed.empty()) {
      const double time = time_of(recording, proposed.front());
      const Observation* const seen = recording.find(proposed.front());
      search.strategy->tell(proposed.front(), seen != nullptr ? *seen : Observation{.status = Status::runtime});
      proposed.pop_front();
      if (time > best_so_far && std::isfinite(time)) replayed.cost += (time - best_so_far) * 1e-6;
      best_so_far = std::min(best_so_far, time);
    }
    for (std::size_t mark = 0; mark < kMarks.size(); ++mark)
      if (trial + 1 == kMarks[mark]) replayed.shares[mark] = best / best_so_far;
  }
  return replayed;
}

Result<void> replay_file(const std::string& file, std::uint64_t seeds) {
  WATTUNE_ASSIGN(ResultSet results, store::load_results(file));
  WATTUNE_ASSIGN(const auto problem, dynamic::Problem::make(spec_of(results.info), {}, {}));
  WATTUNE_ASSIGN(const tune::Recording recording, tune::Recording::match(problem->space, std::move(results)));
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : recording.trials()) best = std::min(best, time_of(recording, trial.configuration.id()));
  for (const dynamic::Safety safety : {dynamic::Safety::screened, dynamic::Safety::trusted}) {
    for (const std::size_t ahead : {1, 2, 4, 6, 14}) {
      Replayed sum;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Replayed one = replay(*problem, recording, {.safety = safety, .seed = seed}, ahead, best);
        for (std::size_t mark = 0; mark < kMarks.size(); ++mark) sum.shares[mark] += one.shares[mark];
        sum.cost += one.cost;
      }
      fmt::print("| {} | {} |", safety == dynamic::Safety::screened ? "screened" : "trusted", ahead);
      for (const double share : sum.shares) fmt::print(" {:.3f} |", share / static_cast<double>(seeds));
      fmt::print(" {:.0f} |\n", sum.cost / static_cast<double>(seeds));
    }
  }
  return {};
}

}  // namespace
}  // namespace wattune

int main(int argc, char** argv) {
  std::uint64_t seeds = 40;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--seeds" && i + 1 < argc)
      seeds = std::strtoull(argv[++i], nullptr, 10);
    else
      files.emplace_back(argv[i]);
  }
  if (files.empty() || seeds == 0) {
    fmt::print(stderr, "usage: explorer_replay [--seeds N] FILE...\n");
    return 2;
  }
  for (const std::string& file : files) {
    fmt::print("{}\n| explorer | ahead | 5 | 10 | 25 | 50 | cost, ms |\n| --- | --- | --- | --- | --- | --- | --- |\n",
               file);
    if (const auto done = wattune::replay_file(file, seeds); !done) {
      fmt::print(stderr, "{}: {}\n", file, done.error().to_string());
      return 1;
    }
  }
}
