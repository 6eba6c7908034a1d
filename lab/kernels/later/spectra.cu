// Stands for FFT of SHOC, which transforms many short signals. Written anew from that method: a block transforms a
// signal of 512 complex numbers in nine steps. A step joins the spectra of every second number, which half as many
// threads as numbers do, from one half of the shared memory into the other (Stockham's order).
constexpr int kLength = 512;

extern "C" __global__ void __launch_bounds__(kLength / 2)
    spectra(const float2* __restrict__ signals, float2* __restrict__ out) {
  __shared__ float2 halves[2][kLength];
  const size_t first = static_cast<size_t>(blockIdx.x) * kLength;
  const int thread = threadIdx.x;
  halves[0][thread] = signals[first + thread];
  halves[0][thread + kLength / 2] = signals[first + thread + kLength / 2];
  int from = 0;
  for (int joined = 1; joined < kLength; joined *= 2, from = 1 - from) {
    __syncthreads();
    const int frequency = thread & joined - 1;
    float sine, cosine;
    sincospif(static_cast<float>(frequency) / -joined, &sine, &cosine);
    const float2 even = halves[from][thread], odd = halves[from][thread + kLength / 2];
    const float2 turned = {odd.x * cosine - odd.y * sine, odd.x * sine + odd.y * cosine};
    const int place = (thread - frequency) * 2 + frequency;
    halves[1 - from][place] = {even.x + turned.x, even.y + turned.y};
    halves[1 - from][place + joined] = {even.x - turned.x, even.y - turned.y};
  }
  __syncthreads();
  out[first + thread] = halves[from][thread];
  out[first + thread + kLength / 2] = halves[from][thread + kLength / 2];
}
