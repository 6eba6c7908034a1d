// Prints the tables of docs/results/energy-models.md: fits of recorded and of emulated boards, and power caps compared
// with locked clocks.
//
//   energy_models [SEEDS]       the tables, emulated boards with 200 seeds unless given
//   energy_models --readings    what was fitted there, as CSV, for other programs: board, clocks, seed, MHz, W
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "lab/perf/bounded_fit.h"
#include "model/emulated_boards.h"
#include "model/interface/power_cap.h"
#include "model/interface/steered_clocks.h"
#include "model/recorded_power.h"

namespace wattune::inline v0_1::model {
namespace {

constexpr double kNoise = 0.005;
constexpr std::uint64_t kSeeds = 200;

std::vector<PowerSample> noisy(const simulate::BoardModel& board, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  return readings(board, evenly_spaced(clocks_below_the_cap(board), count), kNoise, random);
}

void print_readings() {
  for (const std::string& name : kEmulatedBoards)
    for (const std::size_t count : {10, 7, 5})
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
        for (const PowerSample& sample : noisy(emulated(name), count, seed))
          fmt::print("{},{},{},{},{}\n", name, count, seed, sample.clock.value(), sample.power.value());
}

std::string range(const std::vector<Megahertz>& clocks) {
  return fmt::format("{:.0f}..{:.0f} ({})", clocks.front().value(), clocks.back().value(), clocks.size());
}

void print_fit(const char* name, const std::vector<PowerSample>& samples, const std::vector<Megahertz>& table) {
  const auto fit = fit_power_curve(samples);
  if (!fit) {
    fmt::print("| {} | {} |\n", name, fit.error().to_string());
    return;
  }
  fmt::print("| {} | {} | {:.0f} | {:.0f}..{:.0f} | {:.1f} | {:.4f} | {:.2e} | {:.2f} | {} | {} | {:.0f} |\n", name,
             fit->samples, fit->ridge.value(), fit->likely_ridge.low.value(), fit->likely_ridge.high.value(),
             fit->curve.base.value(), fit->curve.alpha, fit->curve.beta, fit->rmse.value(),
             range(steered_clocks(fit->ridge, table).value()),
             range(steered_clocks(fit->ridge, table, {.ends = RangeEnds::to_nearest}).value()),
             bounded_ridge(samples).value());
}

Result<void> print_recorded() {
  fmt::print(
      "replayed: recorded sweeps\n\n"
      "| sweep | samples | ridge | likely ridge | P0 | alpha | beta | rmse | within | as the paper | bounded |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  WATTUNE_ASSIGN(const auto a100, recorded_sweep(kA100Sweep));
  std::vector<Megahertz> table;
  for (const RecordedPoint& point : a100) table.push_back(point.sample.clock);
  print_fit("A100, 81 clocks", samples_of(a100), table);
  print_fit("A100, 10 of them", samples_of(evenly_spaced(a100, 10)), table);
  WATTUNE_ASSIGN(const auto a4000, recorded_sweep(kA4000Sweep));
  const std::vector<Megahertz>& a4000_table = emulated("A4000").clocks;
  print_fit("A4000, with its capped points", samples_of(a4000), a4000_table);
  print_fit("A4000, without", with_capped_marked(samples_of(a4000)), a4000_table);
  const RecordedPoint& least = *std::ranges::min_element(a100, {}, &RecordedPoint::energy);
  fmt::print("\nA100: least recorded energy at {:.0f} MHz\n", least.sample.clock.value());
  for (const RecordedPoint& point : a100)
    if (point.sample.clock == Megahertz(1050) || point.sample.clock == Megahertz(1065))
      fmt::print("  at {:.0f} MHz {:.3f} times that\n", point.sample.clock.value(), point.energy / least.energy);
  return {};
}

struct Errors {
  std::vector<double> of_ridge;
  int close = 0;

  void add(Megahertz found, Megahertz ridge) {
    of_ridge.push_back(std::abs(found / ridge - 1.0));
    close += of_ridge.back() <= 0.025 ? 1 : 0;
  }
  std::string text() {
    std::ranges::sort(of_ridge);
    return fmt::format("{:.1f} % | {:.1f} % | {:.1f} %", 100.0 * close / static_cast<double>(of_ridge.size()),
                       100.0 * of_ridge[of_ridge.size() / 2], 100.0 * of_ridge.back());
  }
};

void print_emulated_row(const simulate::BoardModel& board, std::size_t count, std::uint64_t seeds) {
  Errors ours, bounded;
  int covered = 0;
  const Megahertz ridge = simulate::power_curve(board).ridge();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto samples = noisy(board, count, seed);
    const PowerFit fit = fit_power_curve(samples).value();
    ours.add(fit.ridge, ridge);
    covered += fit.likely_ridge.low <= ridge && ridge <= fit.likely_ridge.high ? 1 : 0;
    bounded.add(bounded_ridge(samples), ridge);
  }
  fmt::print("| {} | {} | {:.0f} | {} | {:.1f} % | {} |\n", board.name, count, ridge.value(), ours.text(),
             100.0 * covered / static_cast<double>(seeds), bounded.text());
}

void print_emulated(std::uint64_t seeds) {
  fmt::print(
      "\nsimulated: emulated boards, {} seeds, 0.5 % noise\n\n"
      "| board | clocks | ridge | within 2.5 % | median | worst | truth in the 95 % range | bounded: within 2.5 % "
      "| median | worst |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      seeds);
  for (const std::size_t count : {10, 7, 5})
    for (const std::string& name : kEmulatedBoards) print_emulated_row(emulated(name), count, seeds);
}

// Returns the power caps that a board allows, in steps of 5 W.
std::vector<Watts> caps_of(const simulate::BoardModel& board) {
  std::vector<Watts> caps;
  for (Watts cap = board.limits.least; cap <= board.limits.usual; cap += Watts(5)) caps.push_back(cap);
  return caps;
}

void print_emulated_caps_row(const simulate::BoardModel& board, const char* kernel, Nanoseconds fixed) {
  const PowerCurve power = simulate::power_curve(board);
  const auto table = clocks_below_the_cap(board);
  const TimeCurve time{fixed, table.back().value() * 1e3};  // 1 ms of cycles at the highest clock
  const Joules standard = operating_point(power, time, table.back()).energy;
  const OperatingPoint clock = least_energy(power, time, table).value();
  const CapChoice cap = best_cap(power, time, caps_of(board), table).value();
  fmt::print("| {} | {} | {:.0f} MHz | {:.3f} | {:.0f} of {:.0f}..{:.0f} W | {:.0f} MHz | {:.3f} |\n", board.name,
             kernel, clock.clock.value(), clock.energy / standard, cap.cap.value(), board.limits.least.value(),
             board.limits.usual.value(), cap.point.clock.value(), cap.point.energy / standard);
}

void print_emulated_caps() {
  fmt::print(
      "\nsimulated: least energy by clock and by cap, as a share of that at the highest clock below the limit\n\n"
      "| board | kernel | best clock | energy | best cap | its clock | energy |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& name : kEmulatedBoards) {
    print_emulated_caps_row(emulated(name), "computes only", Nanoseconds(0));
    print_emulated_caps_row(emulated(name), "half memory", Nanoseconds(1e6));
  }
}

void print_recorded_caps() {
  fmt::print(
      "\nreplayed: least recorded energy by clock and by cap\n\n"
      "| application | GPU | by clock | by cap |\n| --- | --- | --- | --- |\n");
  for (const char* application : {"babelstream", "breeze"})
    for (const char* gpu : {"A100", "rtxpro6000"}) {
      const Savings savings = savings_of(recorded_caps(application, gpu));
      fmt::print("| {} | {} | {:.3f} | {:.3f} |\n", application, gpu, savings.by_clock, savings.by_cap);
    }
}

}  // namespace
}  // namespace wattune::model

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--readings") {
    wattune::model::print_readings();
    return 0;
  }
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : wattune::model::kSeeds;
  if (seeds == 0) {
    fmt::print(stderr, "usage: energy_models [SEEDS | --readings]\n");
    return 2;
  }
  if (const auto done = wattune::model::print_recorded(); done)
    wattune::model::print_recorded_caps();
  else
    fmt::print(stderr, "the recorded data are left out: {}\n", done.error().to_string());
  wattune::model::print_emulated(seeds);
  wattune::model::print_emulated_caps();
}
