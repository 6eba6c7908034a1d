// The electrostatic potential of atoms on a grid, for checking coulomb_sum_3d.toml.
#include <cmath>
#include <cstddef>

namespace {

struct Atom {
  float x, y, z, charge;
};

#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")  // vectorises the loop over a row
void add_row(const Atom& atom, float y, float z, float spacing, float* potential, int length) {
  const float dy = y - atom.y;
  const float dz = z - atom.z;
  for (int i = 0; i < length; ++i) {
    const float dx = spacing * static_cast<float>(i) - atom.x;
    potential[i] += atom.charge / std::sqrt(dx * dx + dy * dy + dz * dz);
  }
}

}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const auto* atoms = static_cast<const Atom*>(arguments[0]);
  const int number_of_atoms = *static_cast<const int*>(arguments[5]);
  const float spacing = *static_cast<const float*>(arguments[6]);
  const int size = *static_cast<const int*>(arguments[7]);
  auto* potential = static_cast<float*>(arguments[8]);
  for (int z = 0; z < size; ++z)
    for (int y = 0; y < size; ++y)
      for (int i = 0; i < number_of_atoms; ++i)
        add_row(atoms[i], spacing * static_cast<float>(y), spacing * static_cast<float>(z), spacing,
                potential + static_cast<std::size_t>(z * size + y) * size, size);
}
