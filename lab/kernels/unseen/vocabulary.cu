// Stands for the softmax over a vocabulary in FasterTransformer, which turns the scores of all words into
// probabilities. Written anew from that method: out = exp(in / temperature) over the sum of that in the row. Maximum
// and sum are found in one pass, in which a larger maximum shrinks the sum so far.
//
// One warp has a row. So many rows are under way at once that no cache holds them until the second pass.
extern "C" __global__ void __launch_bounds__(128)
    vocabulary(const float4* __restrict__ in, float4* __restrict__ out, int rows, int quads, float temperature) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* from = in + static_cast<size_t>(row) * quads;
  float4* to = out + static_cast<size_t>(row) * quads;
  const float factor = 1.0f / temperature;
  float most = -1e30f, sum = 0.0f;
  for (int quad = lane; quad < quads; quad += 32) {
    const float4 score = from[quad];
    const float before = most;
    most = fmaxf(fmaxf(fmaxf(most, score.x * factor), score.y * factor), fmaxf(score.z * factor, score.w * factor));
    sum = sum * expf(before - most) + expf(score.x * factor - most) + expf(score.y * factor - most) +
          expf(score.z * factor - most) + expf(score.w * factor - most);
  }
  float most_of_all = most;
  for (int distance = 16; distance > 0; distance /= 2)
    most_of_all = fmaxf(most_of_all, __shfl_xor_sync(0xffffffffu, most_of_all, distance));
  sum *= expf(most - most_of_all);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  const float share = 1.0f / sum;
  for (int quad = lane; quad < quads; quad += 32) {
    const float4 score = from[quad];
    to[quad] = {expf(score.x * factor - most_of_all) * share, expf(score.y * factor - most_of_all) * share,
                expf(score.z * factor - most_of_all) * share, expf(score.w * factor - most_of_all) * share};
  }
}
