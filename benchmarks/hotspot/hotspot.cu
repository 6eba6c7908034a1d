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

__shared__ float cells[2][kHeight][kWidth];  // before and after a step
#if sh_power
__shared__ float powers[kHeight][kWidth];
#endif

struct Chip {
  const float* __restrict__ power;
  const float* __restrict__ temperature;
  float* __restrict__ result;
  int width, height;
  float step_over_capacity, conductance_x, conductance_y, conductance_z, ambient;
};

// The block's cells, of which the first is the chip's at (left, top). Most blocks lie with all their halo on the chip
// and need not look where it ends.
template <bool kAtEdge>
__device__ void simulate(const Chip chip, const int left, const int top) {
  const auto on_chip = [&](int x, int y) {
    return !kAtEdge || (left + x >= 0 && left + x < chip.width && top + y >= 0 && top + y < chip.height);
  };
  const auto cell = [&](int x, int y) { return (top + y) * chip.width + left + x; };

  for (int y = threadIdx.y; y < kHeight; y += block_size_y) {
    for (int x = threadIdx.x; x < kWidth; x += block_size_x) {
      if (!on_chip(x, y)) continue;
      cells[0][y][x] = chip.temperature[cell(x, y)];
#if sh_power
      powers[y][x] = chip.power[cell(x, y)];
#endif
    }
  }

#pragma unroll loop_unroll_factor_t
  for (int step = 1; step <= kSteps; ++step) {
    const auto& now = cells[(step - 1) % 2];
    auto& next = cells[step % 2];
    // A thread walks down its columns, so that it reads each cell once for three rows.
    const int rows = (kHeight - 2 * step + block_size_y - 1) / block_size_y;
    const int begin = step + threadIdx.y * rows;
    const int end = min(begin + rows, kHeight - step);
    __syncthreads();
    for (int x = step + threadIdx.x; x < kWidth - step && begin < end; x += block_size_x) {
      float above = now[begin - 1][x];
      float here = now[begin][x];
      for (int y = begin; y < end; ++y) {
        const float below = now[y + 1][x];
        if (on_chip(x, y)) {
          const float north = !kAtEdge || top + y > 0 ? above : here;
          const float south = !kAtEdge || top + y < chip.height - 1 ? below : here;
          const float west = !kAtEdge || left + x > 0 ? now[y][x - 1] : here;
          const float east = !kAtEdge || left + x < chip.width - 1 ? now[y][x + 1] : here;
#if sh_power
          const float power = powers[y][x];
#else
          const float power = chip.power[cell(x, y)];
#endif
          const float after =
              here + chip.step_over_capacity * (power + (west + east - 2.0f * here) * chip.conductance_x +
                                                (north + south - 2.0f * here) * chip.conductance_y +
                                                (chip.ambient - here) * chip.conductance_z);
          if (step < kSteps)
            next[y][x] = after;
          else
            chip.result[cell(x, y)] = after;
        }
        above = here;
        here = below;
      }
    }
  }
}

extern "C" __global__ void BOUNDS hotspot(const float* __restrict__ power, const float* __restrict__ temperature,
                                          float* __restrict__ result, const int width, const int height,
                                          const int steps, const float step_over_capacity, const float conductance_x,
                                          const float conductance_y, const float conductance_z, const float ambient) {
  const Chip chip = {power,         temperature,   result,        width,  height, step_over_capacity,
                     conductance_x, conductance_y, conductance_z, ambient};
  const int left = blockIdx.x * block_size_x * tile_size_x - kSteps;
  const int top = blockIdx.y * block_size_y * tile_size_y - kSteps;
  if (left >= 0 && top >= 0 && left + kWidth <= width && top + kHeight <= height)
    simulate<false>(chip, left, top);
  else
    simulate<true>(chip, left, top);
}
