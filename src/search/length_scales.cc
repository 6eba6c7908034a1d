#include "search/length_scales.h"

#include <array>
#include <cmath>
#include <limits>

#include "search/gaussian_process.h"

namespace wattune::search {

namespace {

constexpr std::array kCommonScales = {0.3, 0.6, 1.2, 2.4};  // of four coordinates
constexpr std::size_t kFewest = 8;                          // observations that can tell coordinates apart,
constexpr std::size_t kWidest = 32;                         // and of so many coordinates at most
constexpr int kSweeps = 2;                                  // over the coordinates
constexpr double kSpread = 2.0;                             // of the logarithms around the common scale's, a priori

class Fit {
 public:
  Fit(const std::vector<Coordinates>& points, const std::vector<double>& responses)
      : points_(points), responses_(responses), width_(points.front().size()) {}

  std::vector<double> run() {
    for (const double scale : kCommonScales) try_common(scale * std::sqrt(static_cast<double>(width_) / 4.0));
    if (points_.size() < kFewest || width_ > kWidest) return scales_;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t c = 0; c < width_; ++c) try_factor(c, 0.5) || try_factor(c, 2.0);
    }
    return scales_;
  }

 private:
  void try_common(double scale) {
    const std::vector<double> scales(width_, scale);
    const double likelihood = log_likelihood(scales);
    if (!scales_.empty() && !(likelihood > highest_)) return;
    highest_ = likelihood;
    common_ = scale;
    scales_ = scales;
  }

  bool try_factor(std::size_t coordinate, double factor) {
    std::vector<double> scales = scales_;
    scales[coordinate] *= factor;
    const double posterior = log_likelihood(scales) + log_prior(scales);
    if (!(posterior > highest_)) return false;
    highest_ = posterior;
    scales_ = std::move(scales);
    return true;
  }

  double log_likelihood(const std::vector<double>& scales) const {
    GaussianProcess process(scales);
    for (std::size_t i = 0; i < points_.size(); ++i) process.add(points_[i], responses_[i]);
    return process.log_likelihood();
  }

  // Up to a constant.
  double log_prior(const std::vector<double>& scales) const {
    double squares = 0.0;
    for (const double scale : scales) squares += std::pow(std::log(scale / common_) / kSpread, 2.0);
    return -0.5 * squares;
  }

  const std::vector<Coordinates>& points_;
  const std::vector<double>& responses_;
  std::size_t width_;
  double common_ = 1.0;
  double highest_ = -std::numeric_limits<double>::infinity();  // log of the posterior of scales_
  std::vector<double> scales_;
};

}  // namespace

std::vector<double> fit_length_scales(const std::vector<Coordinates>& points, const std::vector<double>& responses) {
  return Fit(points, responses).run();
}

}  // namespace wattune::search
