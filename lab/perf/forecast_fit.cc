// Fits the weights of the forecast of examples/batched_gemm (forecast.h) to measured optima. It then judges the
// forecast at sizes of the matrices that the weights were not fitted to.
//
//   forecast_fit FILE...
//
// FILEs were written by batched_gemm --optimum, with the times of many configurations of each size. In each of ten
// turns the weights are fitted without a tenth of the sizes, which then serve as the test.
//
// For each size the program prints four shares: the best measured time over the time of the configuration that the
// forecast ranks first, and over the best of the first two, four and eight. It also prints means of these shares: over
// all sizes, over the sizes of each file, and over sizes with at least 300 measured configurations.
//
// With fewer configurations the shares say less: ranks count measured configurations only, and the best of these may be
// far from the best of all. The printed weights are fitted to all sizes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "batched_gemm/forecast.h"
#include "store/interface/files.h"

namespace batched_gemm {
namespace {

constexpr std::size_t kCount = 18;
constexpr std::array<double Weights::*, kCount> kFitted = {
    &Weights::written_again, &Weights::lines_written, &Weights::pass,      &Weights::line_read, &Weights::instruction,
    &Weights::copying,       &Weights::scattering,    &Weights::uneven,    &Weights::ragged,    &Weights::warp,
    &Weights::overlap,       &Weights::solitude,      &Weights::gathering, &Weights::idleness,  &Weights::unusual,
    &Weights::waiting,       &Weights::drought,       &Weights::flood};
static_assert(sizeof(Weights) == kCount * sizeof(double));
constexpr std::size_t kTurns = 10;
constexpr std::array<std::size_t, 4> kMarks = {1, 2, 4, 8};
using Shares = std::array<double, kMarks.size()>;
using Row = std::array<double, kCount>;

struct Seen {
  Way way;
  Work work;
  double time = 0.0;        // the logarithm of its time
  double importance = 0.0;  // its weight in the fit
};

struct Measured {
  std::string file;
  Sizes sizes;
  std::size_t count = 0;
  double best = 0.0;  // the logarithm of the best time
  std::vector<Seen> ways;
};
using Table = std::vector<Measured>;

// The equations of a fit by least squares.
struct Equations {
  std::array<Row, kCount> matrix{};
  Row right{};
  double error = 0.0;
};

// Returns the name of a configuration in the form of Configuration::to_string().
std::string name_of(const Sizes& sizes, const Way& way) {
  std::string name = fmt::format("SIZE_A={}, SIZE_B={}, SIZE_C={}", sizes.a, sizes.b, sizes.c);
  for (const auto& [parameter, value] : values_of(way)) name += fmt::format(", {}={}", parameter, value.to_string());
  return name;
}

Measured measured_of(const std::string& file, const nlohmann::json& line) {
  Measured measured{.file = file};
  Sizes& sizes = measured.sizes;
  char by = 0;
  std::istringstream(line.at("sizes").get<std::string>()) >> sizes.a >> by >> sizes.b >> by >> sizes.c;
  const auto times = line.at("times").get<std::map<std::string, double>>();
  measured.count = times.size();
  measured.best = std::log(std::ranges::min_element(times, {}, [](const auto& each) { return each.second; })->second);
  for (const Way& way : ways_for(sizes))
    if (const auto found = times.find(name_of(sizes, way)); found != times.end())
      measured.ways.push_back({way, work_of(sizes, way), std::log(found->second)});
  return measured;
}

double forecast_of(const Seen& way, const Weights& weights) { return forecast_time(way.work, weights); }

// Sets the importance of each configuration for the fit. Only configurations matter that are fast or forecast to be
// fast. One of twice the fastest time has a weight of e to the power of about -10. The weights of all configurations of
// a size add up to 1.
void set_importance(Table& table, const Weights& weights) {
  constexpr double kSteepness = 14.0;
  for (Measured& size : table) {
    double least = HUGE_VAL;
    double sum = 0.0;
    for (const Seen& way : size.ways) least = std::min(least, forecast_of(way, weights));
    for (Seen& way : size.ways) {
      const double behind = std::min(way.time - size.best, forecast_of(way, weights) - least);
      sum += way.importance = std::exp(-kSteepness * behind);
    }
    for (Seen& way : size.ways) way.importance /= sum;
  }
}

// Returns the derivatives of the forecast by the logarithms of the weights, and how far the measured time is from the
// forecast.
std::pair<Row, double> linearize(const Seen& way, const Weights& weights) {
  constexpr double kStep = 1e-4;
  const double forecast = forecast_of(way, weights);
  Row slopes{};
  for (std::size_t i = 0; i < kCount; ++i) {
    Weights changed = weights;
    changed.*kFitted[i] *= std::exp(kStep);
    slopes[i] = (forecast_of(way, changed) - forecast) / kStep;
  }
  return {slopes, way.time - forecast};
}

// Adds the equations of a size. They hold for differences from the size's mean, because only the ranking within a size
// matters.
void add_equations(Equations& equations, const Measured& size, const Weights& weights) {
  std::vector<std::pair<Row, double>> lines;
  Row mean{};
  double mean_left = 0.0;
  for (const Seen& way : size.ways) {
    const auto& [slopes, left] = lines.emplace_back(linearize(way, weights));
    mean_left += way.importance * left;
    for (std::size_t i = 0; i < kCount; ++i) mean[i] += way.importance * slopes[i];
  }
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const auto& [slopes, left] = lines[n];
    const double importance = size.ways[n].importance;
    equations.error += importance * (left - mean_left) * (left - mean_left);
    for (std::size_t i = 0; i < kCount; ++i) {
      const double part = importance * (slopes[i] - mean[i]);
      equations.right[i] += part * (left - mean_left);
      for (std::size_t j = 0; j < kCount; ++j) equations.matrix[i][j] += part * (slopes[j] - mean[j]);
    }
  }
}

Equations equations_of(const Table& table, const Weights& weights) {
  Equations equations;
  for (const Measured& size : table) add_equations(equations, size, weights);
  return equations;
}

// Solves the equations by Gaussian elimination. The matrix is positive definite.
Row solve(Equations equations) {
  auto& matrix = equations.matrix;
  auto& right = equations.right;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t row = i + 1; row < kCount; ++row) {
      const double factor = matrix[row][i] / matrix[i][i];
      for (std::size_t j = i; j < kCount; ++j) matrix[row][j] -= factor * matrix[i][j];
      right[row] -= factor * right[i];
    }
  }
  Row found{};
  for (std::size_t i = kCount; i-- > 0;) {
    const double known = std::inner_product(found.begin(), found.end(), matrix[i].begin(), 0.0);
    found[i] = (right[i] - known) / matrix[i][i];
  }
  return found;
}

// Fits the weights by the method of Levenberg and Marquardt.
Weights fit_once(const Table& table, Weights weights) {
  constexpr int kSteps = 12;
  double damping = 1e-2;
  Equations equations = equations_of(table, weights);
  for (int step = 0; step < kSteps; ++step) {
    Equations damped = equations;
    for (std::size_t i = 0; i < kCount; ++i) damped.matrix[i][i] += damping * equations.matrix[i][i] + 1e-6;
    const Row change = solve(damped);
    Weights next = weights;
    for (std::size_t i = 0; i < kCount; ++i) next.*kFitted[i] *= std::exp(std::clamp(change[i], -1.0, 1.0));
    const Equations of_next = equations_of(table, next);
    const bool is_better = of_next.error < equations.error;
    damping *= is_better ? 0.2 : 5.0;
    if (!is_better) continue;
    weights = next;
    equations = of_next;
  }
  return weights;
}

// Fits the weights repeatedly, because the importance of a configuration depends on its forecast time.
Weights fit(Table table) {
  constexpr int kRounds = 4;
  Weights weights;
  for (int round = 0; round < kRounds; ++round) {
    set_importance(table, weights);
    weights = fit_once(table, weights);
  }
  return weights;
}

// Returns the shares of a size. Configurations count in the order in which the application tries them; those that were
// not measured are skipped.
Shares shares_of(const Measured& size, const Weights& weights) {
  std::vector<double> times;
  for (const Way& way : likely_ways(size.sizes, weights))
    if (const auto seen = std::ranges::find(size.ways, way, &Seen::way); seen != size.ways.end())
      times.push_back(seen->time);
  Shares shares{};
  for (std::size_t mark = 0; mark < kMarks.size(); ++mark) {
    const auto end = times.begin() + static_cast<std::ptrdiff_t>(std::min(kMarks[mark], times.size()));
    shares[mark] = std::exp(size.best - *std::min_element(times.begin(), end));
  }
  return shares;
}

void print_row(const std::string& name, std::size_t count, const Shares& shares) {
  fmt::print("{:>36} {:5}  {:.3f}\n", name, count, fmt::join(shares, "  "));
}

void print_mean(const std::string& name, const std::vector<Shares>& all) {
  Shares mean{};
  for (const Shares& each : all)
    for (std::size_t mark = 0; mark < mean.size(); ++mark) mean[mark] += each[mark] / static_cast<double>(all.size());
  print_row(name, all.size(), mean);
}

wattune::Result<Table> read(std::span<char*> files) {
  Table table;
  for (const char* file : files) {
    WATTUNE_ASSIGN(const std::string text, wattune::store::read_maybe_compressed(file));
    const std::string name = std::filesystem::path(file).filename().string();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) table.push_back(measured_of(name, nlohmann::json::parse(line)));
  }
  return table;
}

// Returns the shares of each size, with the weights of the turn that leaves this size out.
std::vector<Shares> left_out(const Table& table) {
  std::vector<Shares> all(table.size());
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    Table others;
    for (std::size_t i = 0; i < table.size(); ++i)
      if (i % kTurns != turn) others.push_back(table[i]);
    const Weights weights = fit(others);
    for (std::size_t i = turn; i < table.size(); i += kTurns) all[i] = shares_of(table[i], weights);
  }
  return all;
}

wattune::Result<void> fit_and_judge(std::span<char*> files) {
  WATTUNE_ASSIGN(const Table table, read(files));
  const std::vector<Shares> all = left_out(table);
  std::map<std::string, std::vector<Shares>> of_files;
  std::vector<Shares> of_many;
  for (std::size_t i = 0; i < table.size(); ++i) {
    print_row(to_string(table[i].sizes), table[i].count, all[i]);
    of_files[table[i].file].push_back(all[i]);
    if (table[i].count >= 300) of_many.push_back(all[i]);
  }
  for (const auto& [file, shares] : of_files) print_mean(file, shares);
  print_mean("of many configurations", of_many);
  print_mean("all", all);
  const Weights weights = fit(table);
  fmt::print("weights");
  for (const auto member : kFitted) fmt::print(" {:.3g}", weights.*member);
  fmt::print("\n");
  return {};
}

}  // namespace
}  // namespace batched_gemm

int main(int argc, char** argv) {
  const auto done = batched_gemm::fit_and_judge({argv + 1, argv + argc});
  if (!done) fmt::print(stderr, "{}\n", done.error().to_string());
  return done ? 0 : 1;
}
