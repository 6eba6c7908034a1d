// Stands for the Bloom filter of cuCollections, which tells whether a key may be in a set. Written anew from that
// method: a key is absent if one of eight bits is 0, at places that two hashes of the key give. Half of the bits are 1,
// so that two reads are enough in the mean.
__device__ unsigned hashed(unsigned key, unsigned seed) {
  key = (key ^ seed) * 0xcc9e2d51u;
  key ^= key >> 15;
  key *= 0x1b873593u;
  return key ^ key >> 13;
}

extern "C" __global__ void __launch_bounds__(256)
    bloom(const unsigned* __restrict__ keys, const unsigned* __restrict__ words, unsigned char* __restrict__ present,
          int n, unsigned word_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned first = hashed(keys[i], 0x9747b28cu), step = hashed(keys[i], 0x85ebca6bu) | 1;
  bool found = true;
  for (unsigned probe = 0; found && probe < 8; ++probe) {
    const unsigned place = first + probe * step;
    found = words[place / 32 * 2654435761u & word_count - 1] >> place % 32 & 1;
  }
  present[i] = found;
}
