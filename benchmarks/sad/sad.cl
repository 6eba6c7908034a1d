// sads = how well blocks of a frame match the frame before it. For each macroblock of 16 x 16 pixels and each of its 16
// parts of 4 x 4, in turn for each displacement of up to RADIUS in both directions: the sum of absolute differences of
// the part's pixels and those of the previous frame, displaced. Beyond its edge a frame is as at its edge. Width and
// height are multiples of 16.
//
// A work-group computes a macroblock, a work-item all parts for its displacements.
//
// RADIUS      the longest displacement in a direction
// BLOCK_SIZE  work-items in a work-group
// ITEMS       displacements that a work-item tries at once, BLOCK_SIZE displacements apart
// UNROLL      how far the loop over the four rows of parts is unrolled
// STAGED      1: the macroblock and what it is compared with go through local memory; 0: pixels are read from global
//             memory
// PACKED      1: four pixels are compared in one operation; 0: one

#define SIDE (2 * RADIUS + 1)
#define DISPLACEMENTS (SIDE * SIDE)
#define WINDOW (16 + 2 * RADIUS)
#define PIXEL(frame, x, y) frame[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)]

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void sad(__global const uchar* restrict current,
                                                                          __global const uchar* restrict previous,
                                                                          __global ushort* restrict sads,
                                                                          const int width, const int height) {
  const int id = get_local_id(0);
  const int left = get_group_id(0) * 16;
  const int top = get_group_id(1) * 16;
  __global ushort* results = sads + (get_group_id(1) * (width / 16) + get_group_id(0)) * (16 * DISPLACEMENTS);
#if STAGED
  __local uchar macroblock[16][16];
  __local uchar window[WINDOW][WINDOW];
  for (int i = id; i < 16 * 16; i += BLOCK_SIZE)
    macroblock[i / 16][i % 16] = PIXEL(current, left + i % 16, top + i / 16);
  for (int i = id; i < WINDOW * WINDOW; i += BLOCK_SIZE)
    window[i / WINDOW][i % WINDOW] = PIXEL(previous, left + i % WINDOW - RADIUS, top + i / WINDOW - RADIUS);
  barrier(CLK_LOCAL_MEM_FENCE);
#endif

  for (int first = id; first < DISPLACEMENTS; first += BLOCK_SIZE * ITEMS) {
#pragma unroll UNROLL
    for (int parts = 0; parts < 4; ++parts) {
      uint sums[ITEMS][4];
      for (int i = 0; i < ITEMS; ++i)
        for (int part = 0; part < 4; ++part) sums[i][part] = 0;
      for (int row = parts * 4; row < parts * 4 + 4; ++row) {
        for (int i = 0; i < ITEMS; ++i) {
          // Displacements beyond the last are tried as the last one, and not stored.
          const int displacement = min(first + i * BLOCK_SIZE, DISPLACEMENTS - 1);
          const int x = displacement % SIDE;
          const int y = displacement / SIDE;
          for (int part = 0; part < 4; ++part) {
#if PACKED
            const uchar4 difference =
                abs_diff(vload4(part, macroblock[row]), vload4(part, window[y + row] + x));
            sums[i][part] += difference.x + difference.y + difference.z + difference.w;
#else
            for (int at = part * 4; at < part * 4 + 4; ++at) {
#if STAGED
              sums[i][part] += abs_diff(macroblock[row][at], window[y + row][x + at]);
#else
              sums[i][part] += abs_diff(PIXEL(current, left + at, top + row),
                                        PIXEL(previous, left + x - RADIUS + at, top + y - RADIUS + row));
#endif
            }
#endif
          }
        }
      }
      for (int i = 0; i < ITEMS; ++i) {
        const int displacement = first + i * BLOCK_SIZE;
        if (displacement >= DISPLACEMENTS) continue;
        for (int part = 0; part < 4; ++part)
          results[(parts * 4 + part) * DISPLACEMENTS + displacement] = sums[i][part];
      }
    }
  }
}
