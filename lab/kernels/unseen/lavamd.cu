// Stands for lavaMD of Rodinia, which computes forces of short range between particles in boxes. Written anew from that
// method: each particle is drawn by all particles of its own box and of the 26 boxes around, by q exp(-a r^2).
//
// One block has a box. The particles of a neighbour are staged in shared memory. `places` holds x, y, z and the charge,
// `forces` the force and the potential.
constexpr int kMost = 128;  // particles of a box

extern "C" __global__ void __launch_bounds__(kMost)
    lavamd(const float4* __restrict__ places, float4* __restrict__ forces, int side, int particles, float a) {
  __shared__ float4 others[kMost];
  const int box = blockIdx.x;
  const int x = box % side, y = box / side % side, z = box / (side * side);
  const bool has_one = threadIdx.x < particles;
  const float4 own = has_one ? places[box * particles + threadIdx.x] : float4{};
  float4 force{};
  for (int neighbour = 0; neighbour < 27; ++neighbour) {
    const int at_x = x + neighbour % 3 - 1, at_y = y + neighbour / 3 % 3 - 1, at_z = z + neighbour / 9 - 1;
    if (min(at_x, min(at_y, at_z)) < 0 || max(at_x, max(at_y, at_z)) >= side) continue;
    __syncthreads();
    if (has_one) others[threadIdx.x] = places[((at_z * side + at_y) * side + at_x) * particles + threadIdx.x];
    __syncthreads();
    if (!has_one) continue;
    for (int i = 0; i < particles; ++i) {
      const float4 other = others[i];
      const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
      const float potential = other.w * expf(-a * (dx * dx + dy * dy + dz * dz));
      const float pull = 2.0f * a * potential;
      force.x += pull * dx;
      force.y += pull * dy;
      force.z += pull * dz;
      force.w += potential;
    }
  }
  if (has_one) forces[box * particles + threadIdx.x] = force;
}
