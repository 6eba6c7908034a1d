// Prints pairs of kernels and clocks of a simulated GT 640, for operations per joule, beside the published numbers of
// Jiao et al.: the tables of docs/results/frugal.md.
//
//   frugal_gt640 [PART...] [--json]
//
// Parts: solo, example, pairs, faster, three, mechanisms, pool, distance, networks, queue; all of them unless some are
// named.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/perf/corun_table.h"
#include "lab/perf/gt640_groups.h"
#include "lab/perf/gt640_mechanisms.h"
#include "lab/perf/gt640_networks.h"
#include "lab/perf/gt640_queue.h"
#include "schedule/interface/profit_table.h"

using namespace wattune;
using namespace wattune::perf;
using namespace wattune::simulate;

namespace {

constexpr double kPercent = 100.0;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double mega(double per_joule) { return 1e-6 * per_joule; }

void solo(bool json) {
  Table table("alone at the highest clocks", json);
  for (const Gt640Kernel& row : gt640_kernels()) {
    const Residents all{&row.kernel, row.resident};
    const Efficiency top = efficiency_at(gt640(), highest_clocks(gt640()), {&all, 1});
    const Efficiency best = best_efficiency(gt640(), {&all, 1});
    const SteadyFlow detailed = simulated_flow(gt640(), {&all, 1}, kDetailed, kInstructions).value();
    table.add(row.kernel.name, {{"GOPS printed", row.gops},
                                {"fast", top.flow.operations},
                                {"detailed", detailed.operations},
                                {"GB/s printed", row.gigabytes_per_second},
                                {"simulated", top.flow.dram_gigabytes},
                                {"M-ops/J", mega(top.operations_per_joule())},
                                {"at the best clocks", mega(best.operations_per_joule())},
                                {"core in MHz", best.clocks.core.value()},
                                {"memory in MHz", best.clocks.memory.value()}});
  }
}

// Prints table 1.
void example(bool json) {
  const Pair pair(named("Hotspot"), named("Mergehist"));
  Table table("Hotspot with Mergehist, M-ops/J", json);
  const auto row = [&](const char* what, model::BlockRatio ratio, double printed_max, double printed_best) {
    const Efficiency top = pair.at(ratio, highest_clocks(gt640()));
    const Efficiency best = pair.best_clocks(ratio);
    table.add(what, {{"highest clocks printed", printed_max},
                     {"ours", mega(top.operations_per_joule())},
                     {"best clocks printed", printed_best},
                     {"ours at the best", mega(best.operations_per_joule())},
                     {"core in MHz", best.clocks.core.value()},
                     {"memory in MHz", best.clocks.memory.value()}});
  };
  const Efficiency mixed = pair.at({3, 5}, highest_clocks(gt640()));
  table.add("one after the other", {{"highest clocks printed", 166},
                                    {"ours", mega(pair.in_turn(mixed, Clocks::highest))},
                                    {"best clocks printed", 177},
                                    {"ours at the best", mega(pair.in_turn(mixed, Clocks::best))},
                                    {"core in MHz", kUnknown},
                                    {"memory in MHz", kUnknown}});
  row("4:4", {4, 4}, 206, 219);
  row("3:5", {3, 5}, 217, 247);
}

struct PrintedPair {
  const char* first;
  const char* second;
  const char* how;  // blocks and clocks
  double gain;      // in %
};
// The rows of table 10.
constexpr std::array kPrinted = {PrintedPair{"Hotspot", "Mergehist", "2:6, 1228/324", 34.5},
                                 PrintedPair{"Pathfinder", "Bitonic", "3:5, 1097/324", 29.8},
                                 PrintedPair{"Samplerank", "Hotspot", "4:4, 1228/625", 28.5},
                                 PrintedPair{"Samplerank", "Bt", "5:3, 562/400", 28.4},
                                 PrintedPair{"Mergehist", "Matrix", "7:1, 1228/324", 26.0},
                                 PrintedPair{"Hotspot", "Transpose", "4:4, 1228/400", 23.4},
                                 PrintedPair{"Matrix", "Bitonic", "3:5, 836/324", 23.2},
                                 PrintedPair{"Layer", "Time_step", "4:4, 1228/480", 23.1},
                                 PrintedPair{"Layer", "Bitonic", "5:3, 1228/400", 22.6},
                                 PrintedPair{"Hotspot", "Time_step", "4:5, 967/400", 21.6},
                                 PrintedPair{"Hotspot", "Srad", "5:3, 1097/400", 20.2},
                                 PrintedPair{"Hotspot", "Matrix", "4:4, 1228/400", 18.6},
                                 PrintedPair{"Bt", "Srad", "3:5, 967/480", 16.0},
                                 PrintedPair{"Layer", "Pathfinder", "2:6, 1097/400", 14.3},
                                 PrintedPair{"Matrix", "Transpose", "7:1, 1228/400", 13.8}};

Fields fields_of(const Pair& pair, const PairPoint& best) {
  return {{"gain in %", kPercent * pair.gain(best.efficiency)},
          {"of the first", best.ratio.first},
          {"of the second", best.ratio.second},
          {"core in MHz", best.efficiency.clocks.core.value()},
          {"memory in MHz", best.efficiency.clocks.memory.value()},
          {"detailed, in %", kPercent * pair.gain_in_detail(best)}};
}

void pairs(bool json) {
  Table printed("table 10", json);
  for (const PrintedPair& row : kPrinted) {
    const Pair pair(named(row.first), named(row.second));
    Fields fields = {{"printed in %", row.gain}};
    std::ranges::copy(fields_of(pair, pair.exhaustive()), std::back_inserter(fields));
    printed.add(fmt::format("{}, {} ({})", row.first, row.second, row.how), fields);
  }
  Table ours("the fifteen best of all 55", json);
  auto all = all_pairs();
  std::ranges::sort(all, std::ranges::greater(), &RankedPair::gain);
  for (std::size_t i = 0; i < kPrinted.size(); ++i) ours.add(all[i].name(), fields_of(all[i].pair, all[i].best));
}

// Prints figure 9: the pairs at the top of table 10.
void faster(bool json) {
  Table table("time over that of one after the other at the highest clocks", json);
  for (std::size_t i = 0; i < 6; ++i) {
    const Pair pair(named(kPrinted[i].first), named(kPrinted[i].second));
    const Efficiency best = pair.exhaustive().efficiency;
    table.add(fmt::format("{}, {}", kPrinted[i].first, kPrinted[i].second),
              {{"together", 1.0 / pair.speedup(best)},
               {"one after the other at the best clocks", pair.slowness_at_best_clocks(best)}});
  }
}

// Prints figure 10.
void three(bool json) {
  Table table("gain in % over one after the other", json);
  for (const Triple& triple : most_promising_triples(5)) {
    const TripleResult result = judge(triple);
    table.add(triple.name(), {{"three at once", kPercent * result.gain_of_three},
                              {"two, and the third alone", kPercent * result.gain_of_two},
                              {"the best two, while they run", kPercent * result.gain_while_two}});
  }
}

// Compares three kernels with two, for each mechanism that brings their blocks to the SMs.
void mechanisms(bool json) {
  Table table("gain at the highest clocks while they run, in %", json);
  const Mechanism persistent(schedule::Form::persistent), slices(schedule::Form::slices);
  for (const Triple& triple : most_promising_triples(5)) {
    const Group three(triple.kernels.begin(), triple.kernels.end());
    table.add(triple.name(), {{"three, persistent", kPercent * persistent.best_gain(three)},
                              {"the best two", kPercent * best_gain_of_two(persistent, triple)},
                              {"three, slices", kPercent * slices.best_gain(three)},
                              {"the best two in slices", kPercent * best_gain_of_two(slices, triple)}});
  }
}

void pool(bool json) {
  const PoolResult result = run_pool();
  Table phases("all eleven pooled: pairs in turn", json);
  for (const schedule::PoolPhase& phase : result.plan.phases)
    phases.add(fmt::format("{}, {}", gt640_kernels()[phase.pair.first].kernel.name,
                           gt640_kernels()[phase.pair.second].kernel.name),
               {{"ms", 1e3 * phase.seconds},
                {"of the first", phase.pair.forecast.ratio.first},
                {"of the second", phase.pair.forecast.ratio.second},
                {"gain in %", kPercent * phase.pair.profit}});
  Table table("all eleven pooled", json);
  table.add("gain in work per joule, in %", {{"printed", 20.3},
                                             {"over the best clocks for each", kPercent * result.over_best},
                                             {"over the highest clocks", kPercent * result.over_highest}});
}

// The distances of gains from the best one, in %.
struct Distances {
  Mean mean;
  double worst = 0.0;

  void add(double chosen, double best) {
    const double off = kPercent * (1.0 - (1.0 + chosen) / (1.0 + best));
    mean.add(off);
    worst = std::max(worst, off);
  }
};

void print_distances(const char* what, const Distances& distances, Table& table) {
  table.add(what, {{"mean", distances.mean.value()}, {"worst", distances.worst}, {"printed, at most", 5.0}});
}

// Prints the distance of choices made from runs of each kernel alone, at each number of resident blocks and each pair
// of clocks. In the first row, running one after the other, which gains nothing, may be chosen too. In the second row
// pairs always run together.
void distance(bool json) {
  Table table("distance of the gain from that at the best of all ratios and clocks, in %", json);
  Distances free, together;
  for (const RankedPair& each : all_pairs()) {
    const PairChoice choice = each.pair.predicted_best();
    const double gain = each.pair.gain(choice.point.efficiency);
    free.add(choice.is_taken() ? gain : 0.0, std::max(0.0, each.gain));
    together.add(gain, each.gain);
  }
  print_distances("55 pairs", free, table);
  print_distances("always together", together, table);
}

// A pair of figures 6 and 7 with the errors that are printed there, in %.
struct PrintedErrors {
  const char* first;
  const char* second;
  double mean_together = kUnknown;  // of the pair's operations per joule
  double worst_in_turn = kUnknown;  // of those one after the other
};
constexpr std::array kPrintedErrors = {
    PrintedErrors{"Matrix", "Bitonic", 4.7, 5.3},         PrintedErrors{"Bt", "Srad", 5.1, 6.1},
    PrintedErrors{"Pathfinder", "Bitonic", 7.2, 9.9},     PrintedErrors{"Layer", "Samplerank", 3.5},
    PrintedErrors{"Hotspot", "Mergehist", kUnknown, 6.1}, PrintedErrors{"Time_step", "Bt"}};

void add_errors(const Pair& pair, Fidelity fidelity, PairErrors& errors) {
  for (const PredictedWay& way : predicted_ways(pair, fidelity)) errors.add(pair, way, fidelity);
}

// Prints the errors of networks that are told the features of each kernel alone: figures 6 and 7, and operations per
// second.
void print_errors(Fidelity fidelity, bool json) {
  Table table(
      fmt::format("networks, {}: errors in % over all ratios", fidelity == Fidelity::fast ? "fast" : "detailed"), json);
  const auto row = [&](const std::string& what, const PairErrors& errors, double mean_together, double worst_in_turn,
                       double worst_operations) {
    table.add(what, {{"operations per second, mean", errors.operations.mean()},
                     {"worst", errors.operations.worst},
                     {"within 5 %", errors.operations.share_within_five()},
                     {"printed, at most", worst_operations},
                     {"operations per joule, mean", errors.efficiency.mean()},
                     {"worst of these", errors.efficiency.worst},
                     {"printed mean", mean_together},
                     {"one after the other, mean", errors.in_turn.mean()},
                     {"worst of those", errors.in_turn.worst},
                     {"printed worst", worst_in_turn}});
  };
  for (const PrintedErrors& each : kPrintedErrors) {
    PairErrors errors;
    add_errors(Pair(named(each.first), named(each.second)), fidelity, errors);
    const bool is_stressed = std::string_view(each.first) == "Time_step";
    row(fmt::format("{}, {}", each.first, each.second), errors, each.mean_together, each.worst_in_turn,
        is_stressed ? 5.0 : kUnknown);
  }
  PairErrors all;
  for (const RankedPair& each : all_pairs()) add_errors(each.pair, fidelity, all);
  row("55 pairs", all, 4.8, 10.1, kUnknown);
}

// Prints figure 8: the gain at the ratio and the clocks that the networks choose, beside the best of all.
void print_choices(bool json) {
  Table table("networks: gain in % over one after the other", json);
  Distances distances, together;
  const auto print = [&](const Pair& pair, const PredictedWay& chosen, const PairPoint& best) {
    const PairPoint point{chosen.ratio, pair.at(chosen.ratio, chosen.clocks)};
    table.add(fmt::format("{}, {}", pair.kernels()[0]->kernel.name, pair.kernels()[1]->kernel.name),
              {{"predicted", kPercent * chosen.gain},
               {"simulated there", kPercent * pair.gain(point.efficiency)},
               {"best of all", kPercent * pair.gain(best.efficiency)},
               {"of the first", chosen.ratio.first},
               {"of the second", chosen.ratio.second},
               {"core in MHz", chosen.clocks.core.value()},
               {"memory in MHz", chosen.clocks.memory.value()},
               {"detailed, there", kPercent * pair.gain_in_detail(point)}});
  };
  for (std::size_t i = 0; i < 8; ++i) {
    const Pair pair(named(kPrinted[i].first), named(kPrinted[i].second));
    print(pair, predicted_ways(pair, Fidelity::fast).front(), pair.exhaustive());
  }
  for (const RankedPair& each : all_pairs()) {
    const PredictedWay chosen = predicted_ways(each.pair, Fidelity::fast).front();
    const double gain = each.pair.gain(each.pair.at(chosen.ratio, chosen.clocks));
    const bool is_taken = chosen.gain >= schedule::PolicyOptions().least_gain;
    distances.add(is_taken ? gain : 0.0, std::max(0.0, each.gain));
    together.add(gain, each.gain);
  }
  Table summary("networks: distance of the gain from that at the best of all ratios and clocks, in %", json);
  print_distances("55 pairs", distances, summary);
  print_distances("always together", together, summary);
}

// Prints what networks predict that were trained on micro-kernels and varied kernels, each alone and in the fast
// fidelity. No pair trained them.
void network_figures(bool json) {
  for (const Fidelity fidelity : {Fidelity::fast, Fidelity::detailed}) print_errors(fidelity, json);
  print_choices(json);
}

// Prints for each kernel the clocks that networks choose for it alone, and what comes of the pairs with it that they
// would run.
void print_kernels_by_networks(bool json) {
  struct Taken {
    double predicted = 0.0, simulated = 0.0, worst = 1.0;
    int pairs = 0;
  };
  std::map<std::string, Taken> taken;
  for (const RankedPair& each : all_pairs()) {
    const PredictedWay chosen = predicted_ways(each.pair, Fidelity::fast).front();
    if (chosen.gain < schedule::PolicyOptions().least_gain) continue;
    const double gain = each.pair.gain(each.pair.at(chosen.ratio, chosen.clocks));
    for (const Gt640Kernel* kernel : each.pair.kernels()) {
      Taken& its = taken[kernel->kernel.name];
      its.predicted += chosen.gain;
      its.simulated += gain;
      its.worst = std::min(its.worst, gain);
      ++its.pairs;
    }
  }
  Table table("networks, by kernel", json);
  for (const Gt640Kernel& kernel : simulate::gt640_kernels()) {
    const backend::BoardSetting clocks = clocks_by_networks(kernel);
    const ClockPair best = alone(kernel, Clocks::best).clocks;
    const Residents all = all_of(kernel);
    const double there =
        simulated_at({*clocks.graphics, *clocks.memory}, {&all, 1}, Fidelity::fast).operations_per_joule();
    const Taken& its = taken[kernel.kernel.name];
    table.add(std::string(kernel.kernel.name),
              {{"core in MHz", clocks.graphics->value()},
               {"memory in MHz", clocks.memory->value()},
               {"best core", best.core.value()},
               {"best memory", best.memory.value()},
               {"lost alone in %", kPercent * (1.0 - there / best_alone(kernel, Fidelity::fast))},
               {"pairs that run", its.pairs},
               {"gain predicted in %", kPercent * its.predicted / its.pairs},
               {"simulated in %", kPercent * its.simulated / its.pairs},
               {"worst in %", kPercent * its.worst}});
  }
}

// Runs works of 1.5 s on a machine whose board takes up to 0.3 s to obey, and whose clocks are held for a second.
void queue(bool json) {
  const Gt640Queue queue(2);
  Table table("22 works of 1.5 s, run to their ends", json);
  const auto row = [&](const char* what, const QueueEntrant& entrant) {
    const schedule::QueueRun run = queue.run(entrant);
    table.add(what, {{"s", to_seconds(run.makespan)},
                     {"J", run.energy->value()},
                     {"M-ops/J", mega(queue.operations() / run.energy->value())},
                     {"mean response in s", to_seconds(run.mean_response)}});
  };
  row("fifo, highest clocks", {.policy = "fifo"});
  row("one after the other at the best clocks for each", {.policy = "greedy", .clocks = true});
  row("greedy, highest clocks", {.policy = "greedy", .pairs = Pairs::at_highest_clocks});
  row("greedy, best clocks", {.policy = "greedy", .pairs = Pairs::at_best_clocks, .clocks = true});
  row("greedy, by networks", {.policy = "greedy", .pairs = Pairs::by_networks, .clocks = true});
  row("paired, highest clocks", {.policy = "paired", .pairs = Pairs::at_highest_clocks});
  row("paired, best clocks", {.policy = "paired", .pairs = Pairs::at_best_clocks, .clocks = true});
  print_kernels_by_networks(json);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::pair<std::string, std::function<void(bool)>>> parts = {
      {"solo", solo},     {"example", example},   {"pairs", pairs},
      {"faster", faster}, {"three", three},       {"mechanisms", mechanisms},
      {"pool", pool},     {"distance", distance}, {"networks", network_figures},
      {"queue", queue}};
  std::set<std::string> wanted(arguments + 1, arguments + count);
  const bool json = wanted.erase("--json") > 0;
  if (json) fmt::print("[");
  for (const auto& [name, run] : parts)
    if (wanted.empty() || wanted.contains(name)) run(json);
  if (json) fmt::print("]\n");
  return 0;
}
