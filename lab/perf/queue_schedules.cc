// Runs queues of Kernelet's kernels on a simulated GPU under all policies: makespans, response times and the distance
// from an oracle. All that it prints is simulated.
//
//   queue_schedules [GPU] [WORKS] [WAVES] [SET] [LOAD...] [--seed N]
//
// GPU is a preset, or a part of one: H100:33 has 33 of its SMs with their share of the memory. WAVES is how often a
// kernel fills the GPU. SET is CI, MI, MIX or ALL as in the paper, or `each`. Without a LOAD all works are there from
// the beginning; otherwise they arrive at random. N is the seed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "lab/perf/paper_queues.h"

namespace {

using namespace wattune;
using namespace wattune::perf;
using namespace wattune::schedule;

struct Row {
  std::string policy;
  Knowledge knowledge = Knowledge::predicted;
};

const std::vector<Row> kRows = {{"fifo"},     {"streams"},
                                {"priority"}, {"orion"},
                                {"split"},    {"random"},
                                {"kernelet"}, {"kernelet", Knowledge::measured},
                                {"paired"},   {"paired", Knowledge::measured}};

void print_queue(const simulate::GpuModel& gpu, const std::vector<ProfiledKernel>& kernels,
                 const std::vector<Arrival>& arrivals) {
  std::puts("| policy | makespan ms | gain over streams | mean response ms | 99 % ms | launches |");
  std::puts("| --- | --- | --- | --- | --- | --- |");
  double streams = 0.0;
  for (const Row& row : kRows) {
    const QueueOptions options{.policy = row.policy, .knowledge = row.knowledge};
    const PairTable forecasts =
        forecast_all(*simulated_machine(gpu, kernels), options, simulate::chain_sm(gpu)).value();
    const QueueRun run = run_queue(*simulated_machine(gpu, kernels), arrivals, options, forecasts).value();
    if (row.policy == "streams") streams = run.makespan.value();
    const std::string gain =
        streams > 0.0 ? std::to_string(100.0 * (streams / run.makespan.value() - 1.0)).substr(0, 5) + " %" : "";
    std::printf("| %s%s | %.1f | %s | %.2f | %.2f | %zu |\n", row.policy.c_str(),
                row.knowledge == Knowledge::measured ? ", oracle" : "", to_ms(run.makespan), gain.c_str(),
                to_ms(run.mean_response), to_ms(run.response_99), run.launches);
    std::fflush(stdout);
  }
}

// Returns the seed, and removes it from the arguments.
std::uint64_t seed_of(std::vector<std::string>& arguments) {
  const auto option = std::ranges::find(arguments, "--seed");
  if (option == arguments.end() || option + 1 == arguments.end()) return 1;
  const std::uint64_t seed = std::stoull(*(option + 1));
  arguments.erase(option, option + 2);
  return seed;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::uint64_t seed = seed_of(arguments);
  const Arguments by_place(arguments);
  const auto gpu = find_gpu(by_place.text(0, "C2050"));
  if (!gpu) return std::fprintf(stderr, "no such GPU model\n"), 1;
  const std::size_t works = by_place.number(1, 20);
  const auto waves = static_cast<unsigned>(by_place.number(2, 6));
  for (const KernelSet& set : kKernelSets) {
    if (by_place.text(3, "MIX") != "each" && by_place.text(3, "MIX") != set.name) continue;
    const auto kernels = profiled(*gpu, set, waves);
    const auto machine = simulated_machine(*gpu, kernels);
    if (arguments.size() <= 4) {
      std::printf("\n%s, %s: %zu works at once, simulated\n\n", gpu->name.c_str(), set.name.c_str(), works);
      print_queue(*gpu, kernels, backlog(*machine, {.works = works, .seed = seed}));
    }
    for (std::size_t i = 4; i < arguments.size(); ++i) {
      std::printf("\n%s, %s: %zu works at a load of %s, simulated\n\n", gpu->name.c_str(), set.name.c_str(), works,
                  arguments[i].c_str());
      print_queue(*gpu, kernels,
                  poisson_arrivals(*machine, {.works = works, .load = std::stod(arguments[i]), .seed = seed}));
    }
  }
}
