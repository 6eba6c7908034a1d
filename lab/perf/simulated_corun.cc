// Prints the tables of docs/results/corun.md on kernels that share simulated GPUs.
//
//   simulated_corun [PART...] [--json]
//
// Parts: solo, slicing, pairs, ablation, correlation, hopper, cost; all of them unless some are named.
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <set>

#include "lab/perf/corun_judge.h"
#include "lab/perf/corun_table.h"

using namespace wattune;
using namespace wattune::perf;
using namespace wattune::simulate;

namespace {

constexpr std::array kPapersGpus = {"C2050", "GTX680"};

double peak_of(const GpuModel& gpu) { return gpu.schedulers * gpu.issue_rate; }

// Prints table 4 and figure 7.
void solo(bool json) {
  for (const char* const name : kPapersGpus) {
    const GpuModel gpu = detailed_gpu(name);
    Table table(fmt::format("solo {}", name), json);
    Mean error;
    Mean error_of_paper;
    for (const KerneletKernel& row : kernelet_kernels()) {
      const model::PairKernel kernel = pair_kernel(row.kernel, gpu).value();
      const PublishedRun& published = gpu.name == "C2050" ? row.c2050 : row.gtx680;
      const SteadyRun run = run_detailed(gpu, {row.kernel}, {kernel.blocks_alone});
      const double fast = steady_run(gpu, {row.kernel}, {kernel.blocks_alone}, {}, run_length(row.kernel)).ipc[0];
      const double predicted = chain_alone(chain_sm(gpu), kernel);
      const double by_paper = chain_alone(chain_sm(gpu), as_in_the_paper(kernel));
      error.add(std::abs(predicted - run.ipc[0]));
      error_of_paper.add(std::abs(by_paper - run.ipc[0]));
      table.add(row.kernel.name, {{"PUR published", published.utilisation.pipeline},
                                  {"PUR", run.ipc[0] / peak_of(gpu)},
                                  {"MUR published", published.utilisation.memory},
                                  {"MUR", run.memory_utilisation},
                                  {"IPC detailed", run.ipc[0]},
                                  {"IPC fast", fast},
                                  {"IPC chain", predicted},
                                  {"as in the paper", by_paper}});
    }
    Table summary(fmt::format("chain, {}", name), json);
    summary.add("ours", {{"mean absolute error of IPC", error.value()}, {"peak", peak_of(gpu)}});
    summary.add("as in the paper", {{"mean absolute error of IPC", error_of_paper.value()}, {"peak", peak_of(gpu)}});
  }
}

// Prints figure 6.
void slicing(bool json) {
  for (const char* const name : kPapersGpus) {
    const GpuModel& gpu = gpu_named(name);
    Table table(fmt::format("slicing {}: overhead in % by blocks per SM", name), json);
    for (const KerneletKernel& row : kernelet_kernels()) {
      std::vector<std::pair<std::string, double>> fields;
      double least = 0.0;
      for (const unsigned blocks : {1u, 2u, 3u, 4u, 6u, 8u}) {
        const double overhead = 100.0 * (time_sliced(gpu, row.kernel, blocks) / time_alone(gpu, row.kernel) - 1.0);
        fields.emplace_back(fmt::format("{}", blocks), overhead);
        if (least == 0.0 && overhead <= 2.0) least = blocks * gpu.sms;
      }
      fields.emplace_back("least slice within 2 %", least);
      table.add(row.kernel.name, fields);
    }
  }
}

struct PairErrors {
  Mean ipc;
  Mean profit;
  Mean gain;

  void add(const JudgedPair& pair) {
    ipc.add(pair.ipc_error());
    profit.add(pair.profit_error());
    gain.add(pair.simulated_profit);
  }
  Fields fields() const { return {{"IPC", ipc.value()}, {"CP", profit.value()}, {"mean CP simulated", gain.value()}}; }
};

Fields fields_of(const JudgedPair& pair) {
  return {{"blocks of the first", pair.plan.ratio.first},
          {"of the second", pair.plan.ratio.second},
          {"IPC predicted", pair.predicted_ipc()},
          {"IPC simulated", pair.simulated_ipc},
          {"CP predicted", pair.plan.profit},
          {"CP simulated", pair.simulated_profit}};
}

void pairs_of(const char* name, bool json) {
  const PairJudge judge(detailed_gpu(name));
  const auto& rows = kernelet_kernels();
  Table table(fmt::format("pairs {}, best ratio", name), json);
  PairErrors best;
  PairErrors balanced;
  PairErrors even;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const JudgedPair pair = judge.planned(i, j, model::RatioRule::most_profit);
      best.add(pair);
      balanced.add(judge.planned(i, j, model::RatioRule::balanced));
      even.add(judge.even(i, j));
      table.add(rows[i].kernel.name + ", " + rows[j].kernel.name, fields_of(pair));
    }
  }
  Table summary(fmt::format("pairs {}, mean absolute errors", name), json);
  summary.add("best ratio (ours)", best.fields());
  summary.add("balanced ratio (paper)", balanced.fields());
  summary.add("even ratio", even.fields());
}

// Prints figures 8, 9 and 12.
void pairs(bool json) {
  for (const char* const name : kPapersGpus) pairs_of(name, json);
}

// Adds a row to the table of Kernelet's figure 11: all pairs, each at the ratio of blocks that the chain chooses.
void pairs_by_schedulers(const GpuModel& gpu, Table& table, const char* name, const model::ChainSm& sm) {
  const PairJudge judge(gpu, sm);
  Mean predicted;
  Mean simulated;
  Mean error;
  for (std::size_t i = 0; i < kernelet_kernels().size(); ++i)
    for (std::size_t j = i + 1; j < kernelet_kernels().size(); ++j) {
      const JudgedPair pair = judge.planned(i, j, model::RatioRule::most_profit);
      predicted.add(pair.predicted_ipc());
      simulated.add(pair.simulated_ipc);
      error.add(pair.ipc_error());
    }
  table.add(name, {{"mean IPC predicted", predicted.value()},
                   {"mean IPC simulated", simulated.value()},
                   {"mean absolute error", error.value()}});
}

// Prints figures 10 and 11 of Kernelet, for chains that know less. The chain of figure 10 takes all accesses for
// coalesced, that of figure 11 takes an SM's schedulers for one.
void ablation(bool json) {
  const GpuModel fermi = detailed_gpu("C2050");
  Table scattered("all accesses taken for coalesced, C2050", json);
  for (const KerneletKernel& row : kernelet_kernels()) {
    if (row.kernel.scattered == 0.0) continue;
    model::PairKernel kernel = pair_kernel(row.kernel, fermi).value();
    const double known = chain_alone(chain_sm(fermi), kernel);
    SimulatedKernel coalesced = row.kernel;
    coalesced.scattered_requests = 1.0;
    coalesced.scattered_dram_cost = 1.0;
    kernel.profile = chain_profile(coalesced, fermi);
    scattered.add(row.kernel.name, {{"IPC simulated", run_detailed(fermi, {row.kernel}, {kernel.blocks_alone}).ipc[0]},
                                    {"IPC predicted", known},
                                    {"as if coalesced", chain_alone(chain_sm(fermi), kernel)}});
  }
  const GpuModel kepler = detailed_gpu("GTX680");
  Table schedulers("schedulers taken for one, GTX680", json);
  model::ChainSm one = chain_sm(kepler);
  one.schedulers = 1;
  for (const KerneletKernel& row : kernelet_kernels()) {
    const model::PairKernel kernel = pair_kernel(row.kernel, kepler).value();
    schedulers.add(row.kernel.name,
                   {{"IPC simulated", run_detailed(kepler, {row.kernel}, {kernel.blocks_alone}).ipc[0]},
                    {"IPC predicted", chain_alone(chain_sm(kepler), kernel)},
                    {"as if one", chain_alone(one, kernel)}});
  }
  Table both("28 pairs, GTX680", json);
  pairs_by_schedulers(kepler, both, "four schedulers", chain_sm(kepler));
  pairs_by_schedulers(kepler, both, "taken for one", one);
}

double correlation_of(const std::vector<double>& x, const std::vector<double>& y) {
  Mean mean_x;
  Mean mean_y;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x.add(x[i]), mean_y.add(y[i]);
  double xy = 0.0;
  double xx = 0.0;
  double yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x.value();
    const double dy = y[i] - mean_y.value();
    xy += dx * dy, xx += dx * dx, yy += dy * dy;
  }
  return xy / std::sqrt(xx * yy);
}

// Prints figure 4 of Kernelet. The pairs are mixtures of computation and memory accesses; their gains are shown by the
// differences of PUR and MUR.
void correlation(bool json) {
  const GpuModel gpu = detailed_gpu("C2050");
  std::vector<SimulatedKernel> kernels;
  std::vector<SteadyRun> alone;
  for (const double ratio : {0.03, 0.05, 0.07, 0.09, 0.11, 0.14, 0.18, 0.25}) {
    kernels.push_back({.name = fmt::format("{}", ratio),
                       .block = {.threads = 256, .registers = 20},
                       .instructions = 1000,
                       .coalesced = ratio});
    alone.push_back(run_detailed(gpu, {kernels.back()}, {6}));
  }
  std::vector<double> pipeline;
  std::vector<double> memory;
  std::vector<double> profit;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    for (std::size_t j = i + 1; j < kernels.size(); ++j) {
      const SteadyRun run = run_detailed(gpu, {kernels[i], kernels[j]}, {3, 3});
      pipeline.push_back(std::abs(alone[i].ipc[0] - alone[j].ipc[0]));
      memory.push_back(std::abs(alone[i].memory_utilisation - alone[j].memory_utilisation));
      profit.push_back(
          model::coscheduling_profit(model::speedup_together(run.ipc, std::array{alone[i].ipc[0], alone[j].ipc[0]})));
    }
  }
  Table table("correlation with CP, C2050", json);
  table.add("28 pairs", {{"PUR from", alone.back().ipc[0]},
                         {"to", alone.front().ipc[0]},
                         {"MUR from", alone.front().memory_utilisation},
                         {"to ", alone.back().memory_utilisation},
                         {"correlation of the difference of PUR", correlation_of(pipeline, profit)},
                         {"of MUR", correlation_of(memory, profit)},
                         {"most CP", std::ranges::max(profit)}});
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

enum class Mechanism { streams, priority, green_contexts, slices, persistent };

// The gains of a mechanism in %, measured on an H100 (hopper_facts).
struct HopperRow {
  Mechanism mechanism;
  model::BlockRatio ratio;  // or the number of SMs of each kernel
  double gather;
  double copy;
};

constexpr HopperRow kHopperRows[] = {
    {Mechanism::streams, {}, 0.5, 0.3},
    {Mechanism::priority, {}, 1.8, 0.3},
    {Mechanism::green_contexts, {116, 16}, -20, kNone},
    {Mechanism::green_contexts, {112, 20}, -6, 37},
    {Mechanism::green_contexts, {100, 32}, 51, kNone},
    {Mechanism::green_contexts, {96, 36}, 45, 43},
    {Mechanism::green_contexts, {84, 48}, 27, kNone},
    {Mechanism::green_contexts, {80, 52}, 21, 19},
    {Mechanism::green_contexts, {68, 64}, 3, kNone},
    {Mechanism::slices, {6, 2}, 59, 2},
    {Mechanism::slices, {4, 4}, 24, 17},
    {Mechanism::slices, {2, 6}, 15, 28},
    {Mechanism::slices, {2, 2}, 50, 18},
    {Mechanism::persistent, {6, 2}, 40, 8},
    {Mechanism::persistent, {4, 4}, 86, 13},
    {Mechanism::persistent, {2, 6}, 96, 26},
    {Mechanism::persistent, {1, 7}, 73, 72},
    {Mechanism::persistent, {1, 4}, 82, 74},
};

double gain_of(const HopperRow& row, const SimulatedKernel& partner) {
  PairRun pair(gpu_named("H100"), fma_probe(), partner);
  switch (row.mechanism) {
    case Mechanism::streams: return pair.streams();
    case Mechanism::priority: return pair.streams(1);
    case Mechanism::green_contexts: return pair.green_contexts(row.ratio.first);
    case Mechanism::slices: return pair.slices(row.ratio, 1);
    case Mechanism::persistent: return pair.persistent(row.ratio);
  }
  return 0.0;
}

void hopper(bool json) {
  constexpr std::array kNames = {"two streams", "priority for the second", "green contexts", "slices of a wave",
                                 "persistent"};
  Table table("H100, gain in %", json);
  for (const HopperRow& row : kHopperRows) {
    std::string what = kNames[static_cast<std::size_t>(row.mechanism)];
    if (row.ratio.first > 0) what += fmt::format(" {} : {}", row.ratio.first, row.ratio.second);
    table.add(what, {{"C with L measured", row.gather},
                     {"C with L simulated", 100.0 * gain_of(row, gather_probe())},
                     {"C with M measured", row.copy},
                     {"C with M simulated", 100.0 * gain_of(row, copy_probe())}});
  }
}

double ms_of(const std::function<void()>& work) {
  constexpr int kRounds = 9;
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + kRounds / 2);
  return times[kRounds / 2];
}

// Measures how long a prediction and a simulation take on this machine's processor.
void cost(bool json) {
  Table table("cost", json);
  const model::ChainSm sm{.schedulers = 4, .requests_per_cycle = 0.4};
  const std::array loads = {model::WarpLoad{{.stalls = {{0.1, 600.0}}}, 32},
                            model::WarpLoad{{.stalls = {{0.02, 600.0}}, .issue_distance = 4.0}, 32}};
  table.add("chain, one ratio of a 64-warp SM",
            {{"ms", ms_of([&] { (void)model::instructions_per_cycle(sm, loads); })}});
  const GpuModel& gpu = gpu_named("H100");
  table.add("fast, FMA beside gather, 20 ms of an H100, 59,136 blocks", {{"ms", ms_of([&] {
                                                                            PairRun pair(gpu, fma_probe(),
                                                                                         gather_probe());
                                                                            (void)pair.persistent({4, 4});
                                                                          })}});
  const GpuModel fermi = detailed_gpu("C2050");
  table.add("detailed, 600,000 instructions of two SMs",
            {{"ms", ms_of([&] { (void)run_detailed(fermi, {kernelet_kernels()[4].kernel}, {4}); })}});
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::pair<std::string, void (*)(bool)>> parts = {
      {"solo", solo},     {"slicing", slicing}, {"pairs", pairs}, {"ablation", ablation}, {"correlation", correlation},
      {"hopper", hopper}, {"cost", cost}};
  std::set<std::string> wanted(arguments + 1, arguments + count);
  const bool json = wanted.erase("--json") > 0;
  for (const std::string& name : wanted) {
    if (std::ranges::find(parts, name, [](const auto& part) { return part.first; }) != parts.end()) continue;
    fmt::print(stderr,
               "simulated_corun: no such part: {} (solo, slicing, pairs, ablation, correlation, hopper, cost)\n", name);
    return 2;
  }
  if (json) fmt::print("[\n");
  for (const auto& [name, run] : parts)
    if (wanted.empty() || wanted.contains(name)) run(json);
  if (json) fmt::print("\n]\n");
  return 0;
}
