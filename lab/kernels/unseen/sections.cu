// Stands for XSBench, which looks up how likely neutrons of an energy meet the nuclides of a material. Written anew
// from that method: in the table of each nuclide a search by halves finds the two energies around that of the neutron,
// between which five cross sections are interpolated. The materials have 4 to 34 nuclides.
//
// Each thread makes one lookup. Tables hold `points` rising energies for each nuclide, and five numbers for each
// energy.
__constant__ int kNuclides[12] = {34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
// How often lookups are in this material or one before it.
__constant__ float kShares[12] = {0.140f, 0.192f, 0.466f, 0.600f, 0.754f, 0.818f,
                                  0.884f, 0.939f, 0.947f, 0.962f, 0.987f, 1.0f};

__device__ unsigned long long scattered(unsigned long long number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
  number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
  return number ^ number >> 31;
}

extern "C" __global__ void __launch_bounds__(256)
    sections(const double* __restrict__ energies, const double* __restrict__ tables, double* __restrict__ totals,
             int lookups, int nuclides, int points) {
  const int lookup = blockIdx.x * blockDim.x + threadIdx.x;
  if (lookup >= lookups) return;
  const unsigned long long drawn = scattered(lookup + 1ULL);
  const double energy = (drawn >> 32) / 4294967296.0;
  const float place = (drawn & 0xffffff) / 16777216.0f;
  int material = 0;
  while (place >= kShares[material]) ++material;
  double sums[5] = {};
  for (int k = 0; k < kNuclides[material]; ++k) {
    const int nuclide = (material * 29 + k * 7) % nuclides;
    const double* own = energies + nuclide * points;
    int low = 0, high = points - 1;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (own[middle] <= energy ? low : high) = middle;
    }
    const double share = (energy - own[low]) / (own[high] - own[low]);
    const double* below = tables + (nuclide * points + low) * 5;
    const double density = 1.0 / (k + 1);
    for (int i = 0; i < 5; ++i) sums[i] += density * (below[i] + share * (below[i + 5] - below[i]));
  }
  totals[lookup] = sums[0] + sums[1] + sums[2] + sums[3] + sums[4];
}
