// Compares random schedules of Kernelet's queues on a simulated GPU with Kernelet's own and ours: figure 14 of the
// paper. All that it prints is simulated.
//
//   random_schedules [GPU] [WORKS] [WAVES] [SET] [SCHEDULES]
//
// WAVES is how often a kernel fills the GPU; SET is CI, MI, MIX or ALL as in the paper, or `each`.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lab/perf/paper_queues.h"

namespace {

using namespace wattune;
using namespace wattune::perf;
using namespace wattune::schedule;

class Queue {
 public:
  Queue(const simulate::GpuModel& gpu, const KernelSet& set, unsigned waves, std::size_t works)
      : gpu_(gpu), kernels_(profiled(gpu, set, waves)), arrivals_(backlog(*machine(), {.works = works})) {}

  // Returns the makespan of the queue, in milliseconds.
  double run(const QueueOptions& options, const PairTable& forecasts) const {
    return to_ms(run_queue(*machine(), arrivals_, options, forecasts).value().makespan);
  }
  PairTable forecasts(const QueueOptions& options) const {
    return forecast_all(*machine(), options, simulate::chain_sm(gpu_)).value();
  }
  double run(const QueueOptions& options) const { return run(options, forecasts(options)); }

 private:
  std::unique_ptr<SimulatedMachine> machine() const { return simulated_machine(gpu_, kernels_); }

  const simulate::GpuModel& gpu_;
  std::vector<ProfiledKernel> kernels_;
  std::vector<Arrival> arrivals_;
};

// Returns the makespans of random schedules, ascending.
std::vector<double> random_makespans(const Queue& queue, std::size_t schedules) {
  QueueOptions options{.policy = "random"};
  const PairTable forecasts = queue.forecasts(options);
  std::vector<double> makespans;
  for (std::size_t i = 0; i < schedules; ++i) {
    options.policy_options.seed = i + 1;
    makespans.push_back(queue.run(options, forecasts));
  }
  std::ranges::sort(makespans);
  return makespans;
}

double percentile(const std::vector<double>& ascending, double share) {
  return ascending[static_cast<std::size_t>(std::lround(share * static_cast<double>(ascending.size() - 1)))];
}

void print_set(const simulate::GpuModel& gpu, const KernelSet& set, const Queue& queue, std::size_t schedules) {
  const double streams = queue.run({.policy = "streams"});
  const std::vector<double> random = random_makespans(queue, schedules);
  const auto gain = [&](double makespan) { return 100.0 * (streams / makespan - 1.0); };
  std::printf("| %s, %s |", gpu.name.c_str(), set.name.c_str());
  for (const double share : {1.0, 0.9, 0.5, 0.1, 0.0}) std::printf(" %.1f %% |", gain(percentile(random, share)));
  const QueueOptions entrants[] = {
      {.policy = "kernelet"}, {.policy = "kernelet", .knowledge = Knowledge::measured}, {.policy = "paired"}};
  for (const QueueOptions& options : entrants) {
    const double makespan = queue.run(options);
    const auto better = std::ranges::lower_bound(random, makespan) - random.begin();
    std::printf(" %.1f %%, %zu |", gain(makespan), static_cast<std::size_t>(better));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments({argv + 1, argv + argc});
  const auto gpu = find_gpu(arguments.text(0, "C2050"));
  if (!gpu) return std::fprintf(stderr, "no such GPU model\n"), 1;
  const std::size_t works = arguments.number(1, 80);
  const auto waves = static_cast<unsigned>(arguments.number(2, 8));
  const std::size_t schedules = arguments.number(4, 1000);
  std::printf("%zu random schedules of %zu works, gain over streams, simulated\n\n", schedules, works);
  std::printf("| GPU, set | least | 10 %% have less | median | 90 %% have less | most |");
  std::printf(" kernelet, random ones that are better | kernelet, measured | paired |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const KernelSet& set : kKernelSets)
    if (arguments.text(3, "each") == "each" || arguments.text(3, "each") == set.name)
      print_set(*gpu, set, Queue(*gpu, set, waves, works), schedules);
}
