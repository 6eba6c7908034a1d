#include "search/models/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace wattune::inline v0_1::search {

struct Forest::Sample {
  std::span<const std::uint16_t> rows;
  std::size_t width;
  std::span<const double> responses;
  std::vector<std::uint32_t> order;    // positions of the rows; each node owns a range of them
  std::vector<std::uint16_t> columns;  // all columns; the columns to try come first

  std::uint16_t value(std::uint32_t row, std::size_t column) const { return rows[row * width + column]; }
  std::span<const std::uint16_t> draw_columns(Random& random) {
    if (width <= kColumns) return columns;
    for (std::size_t i = 0; i < kColumns; ++i) std::swap(columns[i], columns[i + random.below(width - i)]);
    return std::span(columns).first(kColumns);
  }
};

void Forest::fit(std::span<const std::uint16_t> rows, std::size_t width, std::span<const double> responses,
                 std::size_t trees, Random& random) {
  roots_.clear();
  nodes_.clear();
  Sample sample{rows, width, responses, std::vector<std::uint32_t>(responses.size()),
                std::vector<std::uint16_t>(width)};
  std::iota(sample.columns.begin(), sample.columns.end(), 0);
  for (std::size_t tree = 0; tree < trees; ++tree) {
    std::iota(sample.order.begin(), sample.order.end(), 0);
    roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.emplace_back();
    grow(sample, roots_.back(), 0, sample.order.size(), random);
  }
}

void Forest::grow(Sample& sample, std::uint32_t node, std::size_t begin, std::size_t end, Random& random) {
  const auto members = std::span(sample.order).subspan(begin, end - begin);
  double sum = 0.0;
  for (const std::uint32_t row : members) sum += sample.responses[row];
  nodes_[node].value = sum / static_cast<double>(members.size());
  if (members.size() <= kLeaf) return;
  const Split split = best_split(sample, members, random);
  if (split.gain <= 0.0) return;
  const auto middle = std::partition(members.begin(), members.end(), [&](std::uint32_t row) {
    return sample.value(row, split.column) <= split.threshold;
  });
  const auto below = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].column = split.column;
  nodes_[node].threshold = split.threshold;
  nodes_[node].below = below;
  nodes_.resize(nodes_.size() + 2);
  const std::size_t cut = begin + static_cast<std::size_t>(middle - members.begin());
  grow(sample, below, begin, cut, random);
  grow(sample, below + 1, cut, end, random);
}

// Returns the best split of these rows. The gain of a split is the decrease of the sum of squared deviations.
Forest::Split Forest::best_split(Sample& sample, std::span<const std::uint32_t> members, Random& random) {
  Split best;
  const auto count = static_cast<double>(members.size());
  double total = 0.0;
  for (const std::uint32_t row : members) total += sample.responses[row];
  for (const std::uint16_t column : sample.draw_columns(random)) {
    std::uint16_t low = sample.value(members.front(), column);
    std::uint16_t high = low;
    for (const std::uint32_t row : members) {
      low = std::min(low, sample.value(row, column));
      high = std::max(high, sample.value(row, column));
    }
    if (low == high) continue;
    const auto threshold = static_cast<std::uint16_t>(low + random.below(static_cast<std::uint64_t>(high - low)));
    double sum = 0.0;
    double below = 0.0;
    for (const std::uint32_t row : members) {
      if (sample.value(row, column) > threshold) continue;
      sum += sample.responses[row];
      below += 1.0;
    }
    const double gain = sum * sum / below + (total - sum) * (total - sum) / (count - below) - total * total / count;
    if (gain > best.gain) best = {column, threshold, gain};
  }
  return best;
}

Prediction Forest::predict(std::span<const std::uint16_t> row) const {
  double sum = 0.0;
  double squares = 0.0;
  for (std::uint32_t node : roots_) {
    while (nodes_[node].below != 0) {
      node = nodes_[node].below + (row[nodes_[node].column] > nodes_[node].threshold ? 1 : 0);
    }
    sum += nodes_[node].value;
    squares += nodes_[node].value * nodes_[node].value;
  }
  const auto count = static_cast<double>(roots_.size());
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace wattune::search
