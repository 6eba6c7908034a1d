// sads = how well blocks of a frame match the frame before it. For each macroblock of 16 x 16 pixels and each of its 16
// parts of 4 x 4, in turn for each displacement of up to RADIUS in both directions: the sum of absolute differences of
// the part's pixels and those of the previous frame, displaced. Beyond its edge a frame is as at its edge. Width and
// height are multiples of 16.
//
// A block computes a macroblock, a thread all parts for its displacements.
//
// RADIUS      the longest displacement in a direction
// BLOCK_SIZE  threads in a block
// ITEMS       displacements that a thread tries at once, BLOCK_SIZE displacements apart
// UNROLL      how far the loop over the four rows of parts is unrolled
// STAGED      1: the macroblock and what it is compared with go through shared memory; 0: pixels are read from global
//             memory
// PACKED      1: four pixels are compared in one instruction; 0: one

using Pixel = unsigned char;

constexpr int kUnroll = UNROLL;  // nvcc knows no macros in a pragma
constexpr int kSide = 2 * RADIUS + 1;
constexpr int kDisplacements = kSide * kSide;
// Rows that are read from global memory are not unrolled, which would take all registers.
constexpr int kUnrollRows = STAGED ? 4 : 1;

struct Frame {
  const Pixel* __restrict__ pixels;
  int width, height;

  __device__ Pixel operator()(int x, int y) const {
    return pixels[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
  }
};

#if STAGED
constexpr int kWindow = 16 + 2 * RADIUS;
constexpr int kPitch = (kWindow + 3) / 4 * 4 + 4;  // whole words, and one behind that is loaded but not used

struct alignas(4) Staged {
  Pixel macroblock[16][16];
  Pixel window[kWindow][kPitch];

  __device__ void load(const Frame& current, const Frame& previous, int left, int top) {
    for (int i = threadIdx.x; i < 16 * 16; i += BLOCK_SIZE)
      macroblock[i / 16][i % 16] = current(left + i % 16, top + i / 16);
    for (int i = threadIdx.x; i < kWindow * kPitch; i += BLOCK_SIZE) {
      const int x = i % kPitch;
      const int y = i / kPitch;
      window[y][x] = previous(left + x - RADIUS, top + y - RADIUS);
    }
  }
};
#endif

// Adds a row of the macroblock to the sums of the four parts in it; x and y say where in the window its pixels begin.
#if PACKED
__device__ void add_row(unsigned (&sums)[4], const Staged& staged, int row, int x, int y) {
  const auto* words = reinterpret_cast<const unsigned*>(&staged.window[y + row][x / 4 * 4]);
  const auto* own = reinterpret_cast<const unsigned*>(staged.macroblock[row]);
#pragma unroll
  for (int part = 0; part < 4; ++part)
    sums[part] += __vsadu4(own[part], __funnelshift_r(words[part], words[part + 1], x % 4 * 8));
}
#else
template <typename Own, typename Other>
__device__ void add_row(unsigned (&sums)[4], const Own& own, const Other& other) {
#pragma unroll
  for (int i = 0; i < 16; ++i) sums[i / 4] += abs(own(i) - other(i));
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    sad(const Pixel* __restrict__ current, const Pixel* __restrict__ previous, unsigned short* __restrict__ sads,
        const int width, const int height) {
  const Frame now = {current, width, height};
  const Frame before = {previous, width, height};
  const int left = blockIdx.x * 16;
  const int top = blockIdx.y * 16;
  unsigned short* results = sads + (blockIdx.y * (width / 16) + blockIdx.x) * (16 * kDisplacements);
#if STAGED
  __shared__ Staged staged;
  staged.load(now, before, left, top);
  __syncthreads();
#endif

  for (int first = threadIdx.x; first < kDisplacements; first += BLOCK_SIZE * ITEMS) {
#pragma unroll kUnroll
    for (int parts = 0; parts < 4; ++parts) {
      unsigned sums[ITEMS][4] = {};
#pragma unroll kUnrollRows
      for (int row = parts * 4; row < parts * 4 + 4; ++row) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
          // Displacements beyond the last are tried as the last one, and not stored.
          const int displacement = min(first + i * BLOCK_SIZE, kDisplacements - 1);
          const int x = displacement % kSide;
          const int y = displacement / kSide;
#if PACKED
          add_row(sums[i], staged, row, x, y);
#elif STAGED
          add_row(
              sums[i], [&](int at) { return staged.macroblock[row][at]; },
              [&](int at) { return staged.window[y + row][x + at]; });
#else
          add_row(
              sums[i], [&](int at) { return now(left + at, top + row); },
              [&](int at) { return before(left + x - RADIUS + at, top + y - RADIUS + row); });
#endif
        }
      }
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        const int displacement = first + i * BLOCK_SIZE;
        if (displacement >= kDisplacements) continue;
#pragma unroll
        for (int part = 0; part < 4; ++part)
          results[(parts * 4 + part) * kDisplacements + displacement] = sums[i][part];
      }
    }
  }
}
