// Stands for bfs of Rodinia and of Graph500, a search through a graph from level to level. Written anew from that
// method: each vertex of the present level marks its neighbours that no level has yet. Several vertices may mark the
// same one.
//
// Edges lie in compressed rows, and their numbers count modulo `vertices`, a power of two. A vertex without a level has
// -1. The next levels have a place of their own, so that every run of the kernel does the same.
extern "C" __global__ void __launch_bounds__(256)
    frontier(const int* __restrict__ row_starts, const int* __restrict__ edges, const int* __restrict__ levels,
             int* __restrict__ next_levels, unsigned char* __restrict__ reached, int vertices, int level) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= vertices || levels[vertex] != level) return;
  const int end = row_starts[vertex + 1];
  for (int edge = row_starts[vertex]; edge < end; ++edge) {
    const int neighbour = edges[edge] & vertices - 1;
    if (levels[neighbour] >= 0) continue;
    next_levels[neighbour] = level + 1;
    reached[neighbour] = 1;
  }
}
