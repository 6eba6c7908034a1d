// Stands for the sums over neighbours in graph networks (DGL, GraphSAGE). Written anew from that method: the features
// of a vertex become the means of the features of its neighbours. One warp has a vertex, and each lane two of its 64
// features. Edges lie in compressed rows, and their numbers count modulo `vertices`, a power of two.
extern "C" __global__ void __launch_bounds__(128)
    aggregate(const int* __restrict__ row_starts, const int* __restrict__ edges, const float2* __restrict__ features,
              float2* __restrict__ means, int vertices) {
  const int vertex = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (vertex >= vertices) return;
  const int begin = row_starts[vertex], end = row_starts[vertex + 1];
  float2 sum{};
#pragma unroll 4
  for (int edge = begin; edge < end; ++edge) {
    const float2 feature = features[static_cast<size_t>(edges[edge] & vertices - 1) * 32 + lane];
    sum.x += feature.x;
    sum.y += feature.y;
  }
  const float share = end > begin ? 1.0f / (end - begin) : 0.0f;
  means[static_cast<size_t>(vertex) * 32 + lane] = {sum.x * share, sum.y * share};
}
