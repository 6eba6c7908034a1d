// Stands for the hash joins of Crystal, which look up each row of a table in a hash table of another one. Written anew
// from that method, with chains: a bucket names the first node of its chain, and a node holds a key and the number of
// the next node. The payloads of all nodes with the row's key are added up.
//
// Numbers of nodes count modulo twice `node_count`, a power of two, and a number beyond the last node ends the chain.
// So half of the chains end at each node. Keys are compared by four of their bits.
constexpr int kLongest = 16;  // nodes of a chain that are looked at

__device__ unsigned scattered(unsigned key) {
  key = (key ^ key >> 16) * 0x45d9f3bu;
  key = (key ^ key >> 16) * 0x45d9f3bu;
  return key ^ key >> 16;
}

extern "C" __global__ void __launch_bounds__(256)
    hash_join(const unsigned* __restrict__ keys, const unsigned* __restrict__ buckets, const uint2* __restrict__ nodes,
              unsigned* __restrict__ sums, int n, unsigned bucket_count, unsigned node_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i];
  unsigned place = buckets[scattered(key) & bucket_count - 1] & 2 * node_count - 1;
  unsigned sum = 0;
  for (int step = 0; step < kLongest && place < node_count; ++step) {
    const uint2 node = nodes[place];
    if (((node.x ^ key) & 15) == 0) sum += node.x >> 4;
    place = node.y & 2 * node_count - 1;
  }
  sums[i] = sum;
}
