// result = the temperature of a chip after temporal_tiling_factor time steps. Each step warms a cell by its power, and
// exchanges heat with its four neighbours and, across the package, with the ambient air. Beyond the edge of the chip it
// is as warm as at the edge. `steps` is temporal_tiling_factor once more, for the reference.
//
// A block takes all the steps for (block_size_y * tile_size_y) x (block_size_x * tile_size_x) cells. For that it needs
// a halo as wide as the number of steps, of which each step computes one ring less.
//
// block_size_x, block_size_y  threads of a block
// tile_size_x, tile_size_y    cells per thread in each dimension
// temporal_tiling_factor      steps in one launch
// loop_unroll_factor_t        how far the loop over the steps is unrolled
// sh_power                    1: the power, too, is kept in shared memory; 0: read from global memory at every step
// blocks_per_sm               blocks for which a multiprocessor must have the registers; 0: the compiler decides

constexpr int kSteps = temporal_tiling_factor;
constexpr int kWidth = block_size_x * tile_size_x + 2 * kSteps;  // of the block's cells with their halo
constexpr int kHeight = block_size_y * tile_size_y + 2 * kSteps;
constexpr int kThreads = block_size_x * block_size_y;

#if blocks_per_sm
#define BOUNDS __launch_bounds__(kThreads, blocks_per_sm)
#else
#define BOUNDS __launch_bounds__(kThreads)
#endif

extern "C" __global__ void BOUNDS hotspot(const float* __restrict__ power, const float* __restrict__ temperature,
                                          float* __restrict__ result, const int width, const int height,
                                          const int steps, const float step_over_capacity, const float conductance_x,
                                          const float conductance_y, const float conductance_z, const float ambient) {
  __shared__ float cells[2][kHeight][kWidth];  // now, and after the step
  // Where on the chip the block's cells begin.
  const int left = blockIdx.x * block_size_x * tile_size_x - kSteps;
  const int top = blockIdx.y * block_size_y * tile_size_y - kSteps;
  const int first_x = threadIdx.x;
  const int first_y = threadIdx.y;
  const auto on_chip = [&](int x, int y) { return x >= 0 && x < width && y >= 0 && y < height; };
#if sh_power
  __shared__ float powers[kHeight][kWidth];
#endif

  for (int y = first_y; y < kHeight; y += block_size_y) {
    for (int x = first_x; x < kWidth; x += block_size_x) {
      if (!on_chip(left + x, top + y)) continue;
      const int cell = (top + y) * width + left + x;
      cells[0][y][x] = temperature[cell];
#if sh_power
      powers[y][x] = power[cell];
#endif
    }
  }

#pragma unroll loop_unroll_factor_t
  for (int step = 1; step <= kSteps; ++step) {
    const auto& now = cells[(step - 1) % 2];
    auto& next = cells[step % 2];
    __syncthreads();
    for (int y = step + first_y; y < kHeight - step; y += block_size_y) {
      for (int x = step + first_x; x < kWidth - step; x += block_size_x) {
        const int chip_x = left + x;
        const int chip_y = top + y;
        if (!on_chip(chip_x, chip_y)) continue;
        const float here = now[y][x];
        const float north = chip_y > 0 ? now[y - 1][x] : here;
        const float south = chip_y < height - 1 ? now[y + 1][x] : here;
        const float west = chip_x > 0 ? now[y][x - 1] : here;
        const float east = chip_x < width - 1 ? now[y][x + 1] : here;
        const int cell = chip_y * width + chip_x;
#if sh_power
        const float heat = powers[y][x];
#else
        const float heat = power[cell];
#endif
        const float after = here + step_over_capacity * (heat + (west + east - 2.0f * here) * conductance_x +
                                                         (north + south - 2.0f * here) * conductance_y +
                                                         (ambient - here) * conductance_z);
        if (step < kSteps)
          next[y][x] = after;
        else
          result[cell] = after;
      }
    }
  }
}
