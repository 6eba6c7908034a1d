// result = the temperature of a chip after temporal_tiling_factor time steps. Each step warms a cell by its power, and
// exchanges heat with its four neighbours and, across the package, with the ambient air. Beyond the edge of the chip it
// is as warm as at the edge. `steps` is temporal_tiling_factor once more, for the reference.
//
// A work-group takes all the steps for (block_size_y * tile_size_y) x (block_size_x * tile_size_x) cells. For that it
// needs a halo as wide as the number of steps, of which each step computes one ring less.
//
// block_size_x, block_size_y  work-items of a work-group
// tile_size_x, tile_size_y    cells per work-item in each dimension
// temporal_tiling_factor      steps in one launch
// loop_unroll_factor_t        how far the loop over the steps is unrolled
// sh_power                    1: the power, too, is kept in local memory; 0: read from global memory at every step
// blocks_per_sm               nothing: OpenCL C has no word for it; in CUDA the blocks that a multiprocessor must hold

#define STEPS temporal_tiling_factor
#define WIDTH (block_size_x * tile_size_x + 2 * STEPS)  // of the work-group's cells with their halo
#define HEIGHT (block_size_y * tile_size_y + 2 * STEPS)
#define ON_CHIP(x, y) ((x) >= 0 && (x) < width && (y) >= 0 && (y) < height)

__kernel __attribute__((reqd_work_group_size(block_size_x, block_size_y, 1))) void hotspot(
    __global const float* restrict power, __global const float* restrict temperature, __global float* restrict result,
    const int width, const int height, const int steps, const float step_over_capacity, const float conductance_x,
    const float conductance_y, const float conductance_z, const float ambient) {
  __local float cells[2][HEIGHT][WIDTH];  // now, and after the step
#if sh_power
  __local float powers[HEIGHT][WIDTH];
#endif
  // Where on the chip the work-group's cells begin.
  const int left = (int)get_group_id(0) * block_size_x * tile_size_x - STEPS;
  const int top = (int)get_group_id(1) * block_size_y * tile_size_y - STEPS;
  const int first_x = get_local_id(0);
  const int first_y = get_local_id(1);

  for (int y = first_y; y < HEIGHT; y += block_size_y) {
    for (int x = first_x; x < WIDTH; x += block_size_x) {
      if (!ON_CHIP(left + x, top + y)) continue;
      const int cell = (top + y) * width + left + x;
      cells[0][y][x] = temperature[cell];
#if sh_power
      powers[y][x] = power[cell];
#endif
    }
  }

#pragma unroll loop_unroll_factor_t
  for (int step = 1; step <= STEPS; ++step) {
    __local float(*now)[WIDTH] = cells[(step - 1) % 2];
    __local float(*next)[WIDTH] = cells[step % 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = step + first_y; y < HEIGHT - step; y += block_size_y) {
      for (int x = step + first_x; x < WIDTH - step; x += block_size_x) {
        const int chip_x = left + x;
        const int chip_y = top + y;
        if (!ON_CHIP(chip_x, chip_y)) continue;
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
        if (step < STEPS)
          next[y][x] = after;
        else
          result[cell] = after;
      }
    }
  }
}
