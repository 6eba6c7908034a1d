// calls and puts = prices of n European options by Black and Scholes's formula. n is a multiple of 4.
//
// BLOCK_SIZE  work-items in a work-group
// VECTOR      options in one load, operation and store
// ITEMS       vectors that a work-item prices, BLOCK_SIZE vectors apart
// ERFC        how the normal distribution is computed: 1: by the library's erfc; 0: by a polynomial of degree 5
// INTRINSICS  1: exponentials, logarithms, roots and quotients are the device's own approximations

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VECTOR == 1
typedef float vector_t;
#else
typedef JOIN(float, VECTOR) vector_t;
#endif

#if INTRINSICS
#define EXPONENTIAL native_exp
#define LOGARITHM native_log
#define QUOTIENT native_divide
#define ROOT native_sqrt
#else
#define EXPONENTIAL exp
#define LOGARITHM log
#define QUOTIENT(a, b) ((a) / (b))
#define ROOT sqrt
#endif

// How likely a number of the standard normal distribution is less than x.
vector_t normal_cdf(vector_t x) {
#if ERFC
  return 0.5f * erfc(-0.707106781f * x);
#else
  // Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17; off by 7.5e-8 at most.
  const vector_t k = QUOTIENT((vector_t)(1.0f), 1.0f + 0.2316419f * fabs(x));
  const vector_t polynomial =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const vector_t tail = 0.398942280f * EXPONENTIAL(-0.5f * x * x) * polynomial;
  return x > 0.0f ? 1.0f - tail : tail;
#endif
}

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void black_scholes(
    __global const vector_t* restrict stocks, __global const vector_t* restrict strikes,
    __global const vector_t* restrict years, __global vector_t* restrict calls, __global vector_t* restrict puts,
    const int n, const float rate, const float volatility) {
  const int first = get_group_id(0) * (BLOCK_SIZE * ITEMS) + get_local_id(0);
  for (int item = 0; item < ITEMS; ++item) {
    const int at = first + item * BLOCK_SIZE;
    if (at >= n / VECTOR) continue;
    const vector_t stock = stocks[at];
    const vector_t strike = strikes[at];
    const vector_t deviation = volatility * ROOT(years[at]);
    const vector_t growth = (rate + 0.5f * volatility * volatility) * years[at];
    const vector_t d1 = QUOTIENT(LOGARITHM(QUOTIENT(stock, strike)) + growth, deviation);
    const vector_t owns = normal_cdf(d1);
    const vector_t pays = normal_cdf(d1 - deviation);
    const vector_t today = strike * EXPONENTIAL(-rate * years[at]);
    calls[at] = stock * owns - today * pays;
    puts[at] = today * (1.0f - pays) - stock * (1.0f - owns);
  }
}
