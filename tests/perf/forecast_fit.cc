// Fits the weights of the forecast of examples/batched_gemm (forecast.h) to measured optima, and says how good what it
// takes for the fastest is at sizes that the weights were not fitted to.
//
//   forecast_fit FILE...
//
// FILEs are what batched_gemm --optimum wrote, with the times of many configurations of each size. Each size is left
// out once; printed are, for each, its best time over that of what comes first then, and over the best of what comes
// among the first two, four and eight; their means, of all sizes and of those of which at least 300 configurations were
// measured; and the weights by all sizes. Of fewer configurations the first of those that were measured counts, and
// their best may be far from the best of all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "batched_gemm/forecast.h"
#include "store/files.h"

namespace batched_gemm {
namespace {

constexpr std::size_t kCount = std::tuple_size_v<Burdens>;
constexpr std::array<std::size_t, 4> kMarks = {1, 2, 4, 8};
using Shares = std::array<double, kMarks.size()>;
using Matrix = std::array<Burdens, kCount>;

struct Seen {
  Burdens burdens;
  double time = 0.0;  // its logarithm
};

// Sums of the least squares.
struct Equations {
  Matrix matrix{};
  Burdens right{};

  Equations& add(const Equations& more, double factor) {
    for (std::size_t i = 0; i < kCount; ++i) {
      right[i] += factor * more.right[i];
      for (std::size_t j = 0; j < kCount; ++j) matrix[i][j] += factor * more.matrix[i][j];
    }
    return *this;
  }
};

struct Measured {
  std::string sizes;
  std::size_t count = 0;
  double best = 0.0;  // the logarithm of its time
  std::vector<Seen> ways;
  Equations equations;
};

// As Configuration::to_string() does.
std::string name_of(const Sizes& sizes, const Way& way) {
  std::string name = fmt::format("SIZE_A={}, SIZE_B={}, SIZE_C={}", sizes.a, sizes.b, sizes.c);
  for (const auto& [parameter, value] : values_of(way)) name += fmt::format(", {}={}", parameter, value.to_string());
  return name;
}

// What differs from the mean of the size, where faster ways count for more: by e to the power of -2 for twice the time.
Equations equations_of(const std::vector<Seen>& ways, double best) {
  Burdens mean{};
  double mean_time = 0.0;
  double sum = 0.0;
  const auto weight = [best](const Seen& way) { return std::exp(-2.0 * (way.time - best)); };
  for (const Seen& way : ways) {
    sum += weight(way);
    mean_time += weight(way) * way.time;
    for (std::size_t i = 0; i < kCount; ++i) mean[i] += weight(way) * way.burdens[i];
  }
  Equations equations;
  for (const Seen& way : ways) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double part = weight(way) / sum * (way.burdens[i] - mean[i] / sum);
      equations.right[i] += part * (way.time - mean_time / sum);
      for (std::size_t j = 0; j < kCount; ++j) equations.matrix[i][j] += part * (way.burdens[j] - mean[j] / sum);
    }
  }
  return equations;
}

Measured measured_of(const nlohmann::json& line) {
  Measured measured{.sizes = line.at("sizes")};
  Sizes sizes;
  char by = 0;
  std::istringstream(measured.sizes) >> sizes.a >> by >> sizes.b >> by >> sizes.c;
  const auto times = line.at("times").get<std::map<std::string, double>>();
  measured.count = times.size();
  measured.best = std::log(std::ranges::min_element(times, {}, [](const auto& each) { return each.second; })->second);
  for (const Way& way : ways_for(sizes))
    if (const auto found = times.find(name_of(sizes, way)); found != times.end())
      measured.ways.push_back({burdens_of(sizes, way), std::log(found->second)});
  measured.equations = equations_of(measured.ways, measured.best);
  return measured;
}

// By Gauss's elimination; the matrix is positive definite.
Burdens solve(Equations equations) {
  auto& [matrix, right] = equations;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t row = i + 1; row < kCount; ++row) {
      const double factor = matrix[row][i] / matrix[i][i];
      for (std::size_t j = i; j < kCount; ++j) matrix[row][j] -= factor * matrix[i][j];
      right[row] -= factor * right[i];
    }
  }
  Burdens weights{};
  for (std::size_t i = kCount; i-- > 0;) {
    const double known = std::inner_product(weights.begin(), weights.end(), matrix[i].begin(), 0.0);
    weights[i] = (right[i] - known) / matrix[i][i];
  }
  return weights;
}

Shares shares_of(const Measured& size, const Burdens& weights) {
  std::vector<Seen> order = size.ways;
  std::ranges::stable_sort(order, {}, [&](const Seen& way) {
    return std::inner_product(weights.begin(), weights.end(), way.burdens.begin(), 0.0);
  });
  Shares shares{};
  for (std::size_t mark = 0; mark < kMarks.size(); ++mark) {
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(kMarks[mark], order.size()));
    shares[mark] = std::exp(size.best - std::min_element(order.begin(), end, [](const Seen& a, const Seen& b) {
                                          return a.time < b.time;
                                        })->time);
  }
  return shares;
}

void print_row(const std::string& name, std::size_t count, const Shares& shares) {
  fmt::print("{:>22} {:5}  {:.3f}\n", name, count, fmt::join(shares, "  "));
}

void print_mean(const std::string& name, const std::vector<Shares>& all) {
  Shares mean{};
  for (const Shares& each : all)
    for (std::size_t mark = 0; mark < mean.size(); ++mark) mean[mark] += each[mark] / static_cast<double>(all.size());
  print_row(name, all.size(), mean);
}

wattune::Result<void> fit(std::span<char*> files) {
  std::vector<Measured> sizes;
  for (const char* file : files) {
    WATTUNE_ASSIGN(const std::string text, wattune::store::read_maybe_compressed(file));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) sizes.push_back(measured_of(nlohmann::json::parse(line)));
  }
  Equations all;
  for (const Measured& size : sizes) all.add(size.equations, 1.0);
  std::vector<Shares> of_all;
  std::vector<Shares> of_many;
  for (const Measured& size : sizes) {
    const Shares shares = shares_of(size, solve(Equations(all).add(size.equations, -1.0)));
    print_row(size.sizes, size.count, shares);
    of_all.push_back(shares);
    if (size.count >= 300) of_many.push_back(shares);
  }
  print_mean("all", of_all);
  print_mean("of many configurations", of_many);
  fmt::print("weights {:.3f}\n", fmt::join(solve(all), ", "));
  return {};
}

}  // namespace
}  // namespace batched_gemm

int main(int argc, char** argv) {
  const auto done = batched_gemm::fit({argv + 1, argv + argc});
  if (!done) fmt::print(stderr, "{}\n", done.error().to_string());
  return done ? 0 : 1;
}
