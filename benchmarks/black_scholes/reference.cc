// Prices of options, for checking black_scholes.cl and black_scholes.cu.
#include <cmath>
#include <cstddef>

namespace {
double normal_cdf(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* stocks = static_cast<const float*>(arguments[0]);
  const auto* strikes = static_cast<const float*>(arguments[1]);
  const auto* years = static_cast<const float*>(arguments[2]);
  auto* calls = static_cast<float*>(arguments[3]);
  auto* puts = static_cast<float*>(arguments[4]);
  const double rate = *static_cast<const float*>(arguments[6]);
  const double volatility = *static_cast<const float*>(arguments[7]);
  for (std::size_t i = 0; i < lengths[0]; ++i) {
    const double deviation = volatility * std::sqrt(years[i]);
    const double growth = (rate + 0.5 * volatility * volatility) * years[i];
    const double d1 = (std::log(static_cast<double>(stocks[i]) / strikes[i]) + growth) / deviation;
    const double today = strikes[i] * std::exp(-rate * years[i]);
    calls[i] = static_cast<float>(stocks[i] * normal_cdf(d1) - today * normal_cdf(d1 - deviation));
    puts[i] = static_cast<float>(today * normal_cdf(deviation - d1) - stocks[i] * normal_cdf(-d1));
  }
}
