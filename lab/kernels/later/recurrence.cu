// Stands for the selective scan of Mamba, which carries a state along a sequence. Written anew from that method: at
// each step the state of a channel fades by a rate that the step has for it, and takes in as much of the input as it
// lost.
//
// Each thread has one channel and goes through all steps, and there are half as many blocks as an H200 has
// multiprocessors.
extern "C" __global__ void __launch_bounds__(128)
    recurrence(const float* __restrict__ rates, const float* __restrict__ inputs, float* __restrict__ states, int steps,
               int channels) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float state = 0.0f;
#pragma unroll 8
  for (int step = 0; step < steps; ++step) {
    const size_t at = static_cast<size_t>(step) * channels + channel;
    const float kept = expf(-rates[at]);
    state = kept * state + (1.0f - kept) * inputs[at];
    states[at] = state;
  }
}
