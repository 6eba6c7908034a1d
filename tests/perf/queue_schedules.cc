// Queues of Kernelet's kernels on a simulated GPU under all policies: makespans, response times and the distance from
// an oracle. All that it prints is simulated.
//
//   queue_schedules [GPU] [WORKS] [WAVES] [SET] [LOAD...]
//
// WAVES is how often a kernel fills the GPU; SET is CI, MI, MIX or ALL as in the paper, or `each`. Without a LOAD all
// works are there from the beginning, else they arrive at random.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "wattune/schedule/queue_experiment.h"
#include "wattune/simulate/corun_kernels.h"

namespace {

using namespace wattune;
using namespace wattune::schedule;

constexpr Nanoseconds kAlone = nanoseconds_from_ms(4);

struct Set {
  std::string name;
  std::vector<std::string> kernels;
};

const std::vector<Set> kSets = {{"CI", {"BS", "MM", "TEA", "MRIQ"}},
                                {"MI", {"PC", "SPMV", "ST", "SAD"}},
                                {"MIX", {"PC", "BS", "TEA", "SAD"}},
                                {"ALL", {"PC", "SAD", "SPMV", "ST", "MM", "MRIQ", "BS", "TEA"}}};

struct Row {
  std::string policy;
  Knowledge knowledge = Knowledge::predicted;
};

const std::vector<Row> kRows = {{"fifo"},     {"streams"},
                                {"priority"}, {"orion"},
                                {"split"},    {"random"},
                                {"kernelet"}, {"kernelet", Knowledge::measured},
                                {"paired"},   {"paired", Knowledge::measured}};

std::vector<simulate::SimulatedKernel> kernels_of(const Set& set) {
  std::vector<simulate::SimulatedKernel> kernels;
  for (const std::string& name : set.kernels)
    for (const simulate::KerneletKernel& row : simulate::kernelet_kernels())
      if (row.kernel.name == name) kernels.push_back(row.kernel);
  return kernels;
}

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

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto argument = [&](std::size_t i, std::string otherwise) {
    return i < arguments.size() ? arguments[i] : otherwise;
  };
  const simulate::GpuModel* gpu = simulate::find_gpu_model(argument(0, "C2050"));
  if (gpu == nullptr) return std::fprintf(stderr, "no such GPU model\n"), 1;
  const std::size_t works = std::stoul(argument(1, "20"));
  const auto waves = static_cast<unsigned>(std::stoul(argument(2, "6")));
  for (const Set& set : kSets) {
    if (argument(3, "MIX") != "each" && argument(3, "MIX") != set.name) continue;
    const auto kernels = profile_all(*gpu, equally_long(*gpu, kernels_of(set), kAlone, waves).value()).value();
    const auto machine = simulated_machine(*gpu, kernels);
    if (arguments.size() <= 4) {
      std::printf("\n%s, %s: %zu works at once, simulated\n\n", gpu->name.c_str(), set.name.c_str(), works);
      print_queue(*gpu, kernels, backlog(*machine, {.works = works}));
    }
    for (std::size_t i = 4; i < arguments.size(); ++i) {
      std::printf("\n%s, %s: %zu works at a load of %s, simulated\n\n", gpu->name.c_str(), set.name.c_str(), works,
                  arguments[i].c_str());
      print_queue(*gpu, kernels, poisson_arrivals(*machine, {.works = works, .load = std::stod(arguments[i])}));
    }
  }
}
