#include "score/isotonic.h"

namespace wattune::inline v0_1::score {

namespace {

// Points that share one value: that value, their weight and their number.
struct Block {
  double y = 0.0;
  double weight = 0.0;
  std::size_t points = 0;

  void absorb(const Block& other) {
    y = (y * weight + other.y * other.weight) / (weight + other.weight);
    weight += other.weight;
    points += other.points;
  }
};

}  // namespace

DecreasingFit::DecreasingFit(const std::vector<WeightedPoint>& points) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < points.size();) {
    Block block{0.0, 0.0, 1};
    double sum = 0.0;
    const double x = points[i].x;
    for (; i < points.size() && points[i].x == x; ++i) {
      sum += points[i].y * points[i].weight;
      block.weight += points[i].weight;
    }
    block.y = sum / block.weight;
    x_.push_back(x);
    while (!blocks.empty() && blocks.back().y <= block.y) {
      blocks.back().absorb(block);
      block = blocks.back();
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  y_.reserve(x_.size());
  for (const Block& block : blocks) y_.insert(y_.end(), block.points, block.y);
}

std::vector<double> DecreasingFit::at(const std::vector<double>& x) const {
  std::vector<double> values;
  values.reserve(x.size());
  std::size_t i = 0;  // the first point whose x is beyond the wanted one
  for (const double wanted : x) {
    while (i < x_.size() && x_[i] <= wanted) ++i;
    if (i == 0) {
      values.push_back(y_.front());
    } else if (i == x_.size()) {
      values.push_back(y_.back());
    } else {
      const double share = (wanted - x_[i - 1]) / (x_[i] - x_[i - 1]);
      values.push_back(y_[i - 1] + (y_[i] - y_[i - 1]) * share);
    }
  }
  return values;
}

}  // namespace wattune::score
