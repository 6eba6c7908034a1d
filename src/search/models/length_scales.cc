#include "search/models/length_scales.h"

#include <array>
#include <cmath>
#include <limits>

namespace wattune::inline v0_1::search {

namespace {

constexpr std::array kCommonScales = {0.3, 0.6, 1.2, 2.4};  // common scales that are tried, for four coordinates
constexpr std::array kFlagFactors = {1.0, 4.0};             // factors on the scale of flags that are tried
constexpr std::size_t kFewestObservations = 5;              // fewest observations from which scales are fitted
constexpr std::size_t kMostOwnScales = 32;                  // largest number of coordinates with scales of their own
constexpr int kSweeps = 3;                                  // passes over all coordinates
constexpr double kSpread = 1.0;                             // prior deviation of log(scale / common scale)

class Fit {
 public:
  Fit(const std::vector<GaussianProcess::Observed>& observed, const std::vector<bool>& flags)
      : observed_(observed), flags_(flags), width_(observed.front().point.size()) {}

  std::vector<double> run() {
    for (const double scale : kCommonScales)
      for (const double factor : kFlagFactors) try_common(scale * std::sqrt(static_cast<double>(width_) / 4.0), factor);
    if (observed_.size() < kFewestObservations || width_ > kMostOwnScales) return scales_;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t c = 0; c < width_; ++c) try_factor(c, 0.5) || try_factor(c, 2.0);
    }
    return scales_;
  }

 private:
  void try_common(double scale, double flag_factor) {
    std::vector<double> scales;
    for (const bool is_flag : flags_) scales.push_back(is_flag ? flag_factor * scale : scale);
    const double likelihood = log_likelihood(scales);
    if (!common_.empty() && !(likelihood > highest_)) return;
    highest_ = likelihood;
    common_ = scales_ = std::move(scales);
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
    for (const GaussianProcess::Observed& each : observed_) process.add(each);
    return process.log_likelihood();
  }

  // Returns the logarithm of the prior, up to a constant.
  double log_prior(const std::vector<double>& scales) const {
    double squares = 0.0;
    for (std::size_t c = 0; c < width_; ++c) squares += std::pow(std::log(scales[c] / common_[c]) / kSpread, 2.0);
    return -0.5 * squares;
  }

  const std::vector<GaussianProcess::Observed>& observed_;
  const std::vector<bool>& flags_;
  std::size_t width_;
  std::vector<double> common_;
  double highest_ = -std::numeric_limits<double>::infinity();  // logarithm of the posterior of scales_
  std::vector<double> scales_;
};

}  // namespace

std::vector<double> fit_length_scales(const std::vector<GaussianProcess::Observed>& observed,
                                      const std::vector<bool>& flags) {
  return Fit(observed, flags).run();
}

}  // namespace wattune::search
