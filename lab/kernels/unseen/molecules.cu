// Stands for MD of SHOC, which computes the forces of Lennard-Jones between atoms and those on their lists of
// neighbours. Written anew from that method. The lists name any atoms, so that their places lie in sectors all over the
// memory. Only pairs within the cutoff are computed. n is a power of two, and numbers on the lists count modulo n.
extern "C" __global__ void __launch_bounds__(256)
    molecules(const float4* __restrict__ places, const int* __restrict__ neighbours, float4* __restrict__ forces, int n,
              int count, float cutoff) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  if (atom >= n) return;
  const float4 own = places[atom];
  float4 force{};
  for (int k = 0; k < count; ++k) {
    const float4 other = places[neighbours[static_cast<size_t>(k) * n + atom] & n - 1];
    const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
    const float square = dx * dx + dy * dy + dz * dz;
    if (square >= cutoff * cutoff || square == 0.0f) continue;
    const float inverse = 1.0f / square;
    const float sixth = inverse * inverse * inverse;
    const float pull = inverse * sixth * (48.0f * sixth - 24.0f);
    force.x += pull * dx;
    force.y += pull * dy;
    force.z += pull * dz;
    force.w += 4.0f * sixth * (sixth - 1.0f);
  }
  forces[atom] = force;
}
