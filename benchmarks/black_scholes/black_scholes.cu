// calls and puts = prices of n European options by Black and Scholes's formula. n is a multiple of 4.
//
// BLOCK_SIZE  threads in a block
// VECTOR      options in one load and store
// ITEMS       vectors that a thread prices, BLOCK_SIZE vectors apart
// ERFC        how the normal distribution is computed: 1: by the library's erfc; 0: by a polynomial of degree 5
// INTRINSICS  1: exponentials, logarithms, roots and quotients are the approximations of the special function units

#include "../pack.cuh"

using Elements = Pack<float, VECTOR>;

#if INTRINSICS
__device__ float exponential(float x) { return __expf(x); }
__device__ float logarithm(float x) { return __logf(x); }
__device__ float quotient(float a, float b) { return __fdividef(a, b); }
__device__ float root(float x) { return x * rsqrtf(x); }
#else
__device__ float exponential(float x) { return expf(x); }
__device__ float logarithm(float x) { return logf(x); }
__device__ float quotient(float a, float b) { return a / b; }
__device__ float root(float x) { return sqrtf(x); }
#endif

// How likely a number of the standard normal distribution is less than x.
__device__ float normal_cdf(float x) {
#if ERFC
  return 0.5f * erfcf(-0.707106781f * x);
#else
  // Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17; off by 7.5e-8 at most.
  const float k = quotient(1.0f, 1.0f + 0.2316419f * fabsf(x));
  const float polynomial =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.398942280f * exponential(-0.5f * x * x) * polynomial;
  return x > 0.0f ? 1.0f - tail : tail;
#endif
}

struct Prices {
  float call, put;
};

__device__ Prices price(float stock, float strike, float years, float rate, float volatility) {
  const float deviation = volatility * root(years);
  const float d1 =
      quotient(logarithm(quotient(stock, strike)) + (rate + 0.5f * volatility * volatility) * years, deviation);
  const float owns = normal_cdf(d1);
  const float pays = normal_cdf(d1 - deviation);
  const float today = strike * exponential(-rate * years);
  return {stock * owns - today * pays, today * (1.0f - pays) - stock * (1.0f - owns)};
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    black_scholes(const Elements* __restrict__ stocks, const Elements* __restrict__ strikes,
                  const Elements* __restrict__ years, Elements* __restrict__ calls, Elements* __restrict__ puts,
                  const int n, const float rate, const float volatility) {
  const int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int at = first + item * BLOCK_SIZE;
    if (at >= n / VECTOR) continue;
    const Elements stock = stocks[at];
    const Elements strike = strikes[at];
    const Elements time = years[at];
    Elements call, put;
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) {
      const Prices prices = price(stock.element[i], strike.element[i], time.element[i], rate, volatility);
      call.element[i] = prices.call;
      put.element[i] = prices.put;
    }
    calls[at] = call;
    puts[at] = put;
  }
}
