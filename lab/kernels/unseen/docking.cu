// Stands for miniBUDE, which rates how a small molecule (ligand) would sit in a protein. Written anew from that method:
// for each pose the ligand is turned and moved, and the energies of all pairs of atoms are added up. A pair repels
// where its atoms overlap, and attracts by charge and by its dislike of water up to a distance.
//
// Each thread has one pose: three angles and a shift. Atoms hold x, y, z and the number of their kind. Kinds hold
// radius, hardness, charge and dislike of water.
constexpr int kMost = 32;  // atoms of a ligand
constexpr float kReach = 4.0f;

extern "C" __global__ void __launch_bounds__(128)
    docking(const float4* __restrict__ protein, const float4* __restrict__ ligand, const float4* __restrict__ kinds,
            const float* __restrict__ poses, float* __restrict__ energies, int protein_atoms, int ligand_atoms, int n) {
  __shared__ float4 atoms[kMost], traits[kMost];
  if (threadIdx.x < ligand_atoms) {
    atoms[threadIdx.x] = ligand[threadIdx.x];
    traits[threadIdx.x] = kinds[static_cast<int>(ligand[threadIdx.x].w)];
  }
  __syncthreads();
  const int pose = blockIdx.x * blockDim.x + threadIdx.x;
  if (pose >= n) return;
  float sine[3], cosine[3], shift[3];
  for (int axis = 0; axis < 3; ++axis) {
    sincosf(poses[axis * n + pose], &sine[axis], &cosine[axis]);
    shift[axis] = poses[(axis + 3) * n + pose];
  }
  float energy = 0.0f;
  for (int i = 0; i < ligand_atoms; ++i) {
    const float4 atom = atoms[i], own = traits[i];
    const float y1 = cosine[0] * atom.y - sine[0] * atom.z, z1 = sine[0] * atom.y + cosine[0] * atom.z;
    const float x2 = cosine[1] * atom.x + sine[1] * z1, z = cosine[1] * z1 - sine[1] * atom.x + shift[2];
    const float x = cosine[2] * x2 - sine[2] * y1 + shift[0], y = sine[2] * x2 + cosine[2] * y1 + shift[1];
    for (int j = 0; j < protein_atoms; ++j) {
      const float4 other = protein[j];
      const float4 its = kinds[static_cast<int>(other.w)];
      const float dx = x - other.x, dy = y - other.y, dz = z - other.z;
      const float distance = sqrtf(dx * dx + dy * dy + dz * dz);
      const float touching = own.x + its.x;
      const float gap = distance - touching;
      const float nearness = gap < 0.0f ? 1.0f : fmaxf(0.0f, 1.0f - gap / kReach);
      if (gap < 0.0f) energy += 2.0f * (own.y + its.y) * (1.0f - distance / touching);
      energy += nearness * own.z * its.z;
      if (own.w * its.w > 0.0f) energy -= nearness * (own.w + its.w);
    }
  }
  energies[pose] = 0.5f * energy;
}
