// Stands for sortingNetworks of the CUDA samples, which sorts parts of an array in shared memory. Written anew from the
// method, Batcher's merge exchange as Knuth tells it (algorithm 5.2.2 M): a block sorts 1024 numbers in 55 steps, each
// of which compares and exchanges numbers at a fixed distance.
constexpr unsigned kTile = 1024;

extern "C" __global__ void __launch_bounds__(kTile / 2)
    sorted_tiles(const unsigned* __restrict__ numbers, unsigned* __restrict__ sorted) {
  __shared__ unsigned tile[kTile];
  const size_t first = static_cast<size_t>(blockIdx.x) * kTile;
  const unsigned thread = threadIdx.x;
  tile[thread] = numbers[first + thread];
  tile[thread + kTile / 2] = numbers[first + thread + kTile / 2];
  for (unsigned part = kTile / 2; part > 0; part /= 2) {
    unsigned bit = 0, distance = part;
    for (unsigned span = kTile / 2;; span /= 2) {
      __syncthreads();
      // Each thread has one of the places that have `bit` where `part` has its only bit.
      const unsigned place = (thread & -part) * 2 + (thread & part - 1) + bit;
      if (place + distance < kTile) {
        const unsigned low = tile[place], high = tile[place + distance];
        tile[place] = min(low, high);
        tile[place + distance] = max(low, high);
      }
      if (span == part) break;
      distance = span - part;
      bit = part;
    }
  }
  __syncthreads();
  sorted[first + thread] = tile[thread];
  sorted[first + thread + kTile / 2] = tile[thread + kTile / 2];
}
