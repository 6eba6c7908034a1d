// Functions that compute the outputs of this folder's kernels on the host, for comparison.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../arguments.h"

namespace {

using lab::Arguments;

struct Vector {
  double x, y, z;
};

Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector place_in(const float* four) { return {four[0], four[1], four[2]}; }

std::uint32_t hashed(std::uint32_t key, std::uint32_t seed) {
  key = (key ^ seed) * 0xcc9e2d51U;
  key ^= key >> 15;
  key *= 0x1b873593U;
  return key ^ (key >> 13);
}

std::uint64_t scattered(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31);
}

void add_force(const Vector& distance, double pull, double potential, double (&sum)[4]) {
  sum[0] += pull * distance.x;
  sum[1] += pull * distance.y;
  sum[2] += pull * distance.z;
  sum[3] += potential;
}

// Counts the ways to place queens in `row` and all rows below it.
int solutions_from(int row, int n, std::vector<int>& queens) {
  if (row == n) return 1;
  int found = 0;
  for (queens[row] = 0; queens[row] < n; ++queens[row]) {
    bool is_free = true;
    for (int other = 0; other < row; ++other)
      is_free = is_free && queens[other] != queens[row] && std::abs(queens[other] - queens[row]) != row - other;
    if (is_free) found += solutions_from(row + 1, n, queens);
  }
  return found;
}

// Tells whether no two of the queens in the first `rows` rows attack each other.
bool is_peaceful(const std::vector<int>& queens, int rows) {
  for (int row = 0; row < rows; ++row)
    for (int other = 0; other < row; ++other)
      if (queens[other] == queens[row] || std::abs(queens[other] - queens[row]) == row - other) return false;
  return true;
}

}  // namespace

extern "C" void lavamd(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto* places = given.buffer<float>(0);
  auto* forces = given.buffer<float>(1);
  const int side = given.value<int>(2), particles = given.value<int>(3);
  const auto a = given.value<float>(4);
  const auto apart = [](int one, int other) { return std::abs(one - other) > 1; };
  for (int box = 0; box < side * side * side; ++box)
    for (int own = box * particles; own < (box + 1) * particles; ++own) {
      double sum[4] = {};
      for (int near = 0; near < side * side * side; ++near) {
        if (apart(near % side, box % side) || apart(near / side % side, box / side % side)) continue;
        if (apart(near / (side * side), box / (side * side))) continue;
        for (int other = near * particles; other < (near + 1) * particles; ++other) {
          const Vector distance = place_in(places + 4 * own) - place_in(places + 4 * other);
          const double potential = places[4 * other + 3] * std::exp(-a * dot(distance, distance));
          add_force(distance, 2 * a * potential, potential, sum);
        }
      }
      std::copy_n(sum, 4, forces + 4 * static_cast<std::size_t>(own));
    }
}

extern "C" void docking(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto *protein = given.buffer<float>(0), *ligand = given.buffer<float>(1), *kinds = given.buffer<float>(2);
  const auto* poses = given.buffer<float>(3);
  const int protein_atoms = given.value<int>(5), ligand_atoms = given.value<int>(6), n = given.value<int>(7);
  for (int pose = 0; pose < n; ++pose) {
    const auto of_pose = [&](int i) -> double { return poses[i * n + pose]; };
    double energy = 0.0;
    for (int i = 0; i < ligand_atoms; ++i) {
      Vector at = place_in(ligand + 4 * i);
      at = {at.x, std::cos(of_pose(0)) * at.y - std::sin(of_pose(0)) * at.z,
            std::sin(of_pose(0)) * at.y + std::cos(of_pose(0)) * at.z};
      at = {std::cos(of_pose(1)) * at.x + std::sin(of_pose(1)) * at.z, at.y,
            std::cos(of_pose(1)) * at.z - std::sin(of_pose(1)) * at.x};
      at = {std::cos(of_pose(2)) * at.x - std::sin(of_pose(2)) * at.y + of_pose(3),
            std::sin(of_pose(2)) * at.x + std::cos(of_pose(2)) * at.y + of_pose(4), at.z + of_pose(5)};
      const float* own = kinds + 4 * static_cast<int>(ligand[4 * i + 3]);
      for (int j = 0; j < protein_atoms; ++j) {
        const float* its = kinds + 4 * static_cast<int>(protein[4 * j + 3]);
        const Vector apart = at - place_in(protein + 4 * j);
        const double distance = std::sqrt(dot(apart, apart)), touching = static_cast<double>(own[0]) + its[0];
        const double nearness = std::clamp(1.0 - (distance - touching) / 4.0, 0.0, 1.0);
        if (distance < touching) energy += 2.0 * (own[1] + its[1]) * (1.0 - distance / touching);
        energy += nearness * own[2] * its[2];
        if (own[3] * its[3] > 0.0F) energy -= nearness * (own[3] + its[3]);
      }
    }
    given.buffer<float>(4)[pose] = static_cast<float>(0.5 * energy);
  }
}

// Computes the pairs of all threads one after another, in the order of the random sequence.
extern "C" void deviates(void* const* arguments, const std::size_t* lengths) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 46) - 1;
  const Arguments given(arguments);
  auto* counts = given.buffer<int>(0);
  auto* sums = given.buffer<double>(1);
  const int pairs = given.value<int>(2);
  std::uint64_t state = 271828183;
  const auto next = [&] {
    state = state * 1220703125 & kMask;
    return std::ldexp(static_cast<double>(state), -45) - 1.0;
  };
  std::fill_n(counts, lengths[0], 0);
  std::fill_n(sums, lengths[1], 0.0);
  for (std::size_t pair = 0; pair < lengths[1] / 2 * 128 * pairs; ++pair) {
    const std::size_t block = pair / (std::size_t{128} * pairs);
    const double x = next(), y = next(), square = x * x + y * y;
    if (square > 1.0) continue;
    const double scale = std::sqrt(-2.0 * std::log(square) / square);
    sums[2 * block] += x * scale;
    sums[2 * block + 1] += y * scale;
    ++counts[10 * block + std::min(9, static_cast<int>(std::max(std::abs(x * scale), std::abs(y * scale))))];
  }
}

extern "C" void queens(void* const* arguments, const std::size_t* lengths) {
  const Arguments given(arguments);
  const int n = given.value<int>(1), depth = given.value<int>(2), firsts = given.value<int>(3);
  std::vector<int> queens(n);
  for (std::size_t prefix = 0; prefix < lengths[0]; ++prefix) {
    int rest = static_cast<int>(prefix);
    for (int row = 0; row < depth; ++row) {
      const int choices = row == 0 ? firsts : n;
      queens[row] = rest % choices;
      rest /= choices;
    }
    given.buffer<int>(0)[prefix] = is_peaceful(queens, depth) ? solutions_from(depth, n, queens) : 0;
  }
}

extern "C" void fdtd2d(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto *ex = given.buffer<double>(0), *ey = given.buffer<double>(1), *hz = given.buffer<double>(2);
  const int width = given.value<int>(4), height = given.value<int>(5);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * width + x;
      const double along_x = x + 1 < width ? ex[at + 1] - ex[at] : 0.0;
      const double along_y = y + 1 < height ? ey[at + width] - ey[at] : 0.0;
      given.buffer<double>(3)[at] = hz[at] - 0.7 * (along_x + along_y);
    }
}

extern "C" void vocabulary(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto* in = given.buffer<float>(0);
  auto* out = given.buffer<float>(1);
  const int rows = given.value<int>(2), words = 4 * given.value<int>(3);
  const double temperature = given.value<float>(4);
  for (int row = 0; row < rows; ++row, in += words, out += words) {
    const double most = *std::max_element(in, in + words);
    double sum = 0.0;
    for (int word = 0; word < words; ++word) sum += std::exp((in[word] - most) / temperature);
    for (int word = 0; word < words; ++word)
      out[word] = static_cast<float>(std::exp((in[word] - most) / temperature) / sum);
  }
}

extern "C" void bloom(void* const* arguments, const std::size_t* lengths) {
  const Arguments given(arguments);
  const auto *keys = given.buffer<std::uint32_t>(0), *words = given.buffer<std::uint32_t>(1);
  const auto word_count = given.value<std::uint32_t>(4);
  for (std::size_t i = 0; i < lengths[2]; ++i) {
    const std::uint32_t step = hashed(keys[i], 0x85ebca6bU) | 1U;
    std::uint32_t place = hashed(keys[i], 0x9747b28cU);
    bool present = true;
    for (int probe = 0; probe < 8; ++probe, place += step)
      present = present && (words[place / 32 * 2654435761U & (word_count - 1)] >> place % 32 & 1U) != 0;
    given.buffer<std::uint8_t>(2)[i] = present ? 1 : 0;
  }
}

extern "C" void molecules(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto* places = given.buffer<float>(0);
  const auto* neighbours = given.buffer<int>(1);
  const int n = given.value<int>(3), count = given.value<int>(4);
  const double cutoff = given.value<float>(5);
  for (int atom = 0; atom < n; ++atom) {
    double sum[4] = {};
    for (int k = 0; k < count; ++k) {
      const int other = neighbours[static_cast<std::size_t>(k) * n + atom] & (n - 1);
      const Vector distance = place_in(places + 4 * atom) - place_in(places + 4 * other);
      const double square = dot(distance, distance);
      if (square >= cutoff * cutoff || square == 0.0) continue;
      const double sixth = std::pow(square, -3.0);
      add_force(distance, (48.0 * sixth - 24.0) * sixth / square, 4.0 * sixth * (sixth - 1.0), sum);
    }
    std::copy_n(sum, 4, given.buffer<float>(2) + 4 * static_cast<std::size_t>(atom));
  }
}

extern "C" void sections(void* const* arguments, const std::size_t* /*lengths*/) {
  constexpr int kNuclides[12] = {34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
  constexpr float kShares[12] = {0.140F, 0.192F, 0.466F, 0.600F, 0.754F, 0.818F,
                                 0.884F, 0.939F, 0.947F, 0.962F, 0.987F, 1.0F};
  const Arguments given(arguments);
  const auto *energies = given.buffer<double>(0), *tables = given.buffer<double>(1);
  const int lookups = given.value<int>(3), nuclides = given.value<int>(4), points = given.value<int>(5);
  for (int lookup = 0; lookup < lookups; ++lookup) {
    const std::uint64_t drawn = scattered(static_cast<std::uint64_t>(lookup) + 1);
    const double energy = std::ldexp(static_cast<double>(drawn >> 32), -32);
    const float place = std::ldexp(static_cast<float>(drawn & 0xffffff), -24);
    const auto material = std::upper_bound(kShares, kShares + 12, place) - kShares;
    double total = 0.0;
    for (int k = 0; k < kNuclides[material]; ++k) {
      const auto nuclide = (material * 29 + k * 7) % nuclides;
      const double* own = energies + nuclide * points;
      const auto above = std::clamp(std::upper_bound(own, own + points, energy) - own, {1}, {points - 1});
      const double share = (energy - own[above - 1]) / (own[above] - own[above - 1]);
      const double* below = tables + (nuclide * points + above - 1) * 5;
      for (int i = 0; i < 5; ++i) total += (below[i] + share * (below[i + 5] - below[i])) / (k + 1);
    }
    given.buffer<double>(2)[lookup] = total;
  }
}

extern "C" void frontier(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto *row_starts = given.buffer<int>(0), *edges = given.buffer<int>(1), *levels = given.buffer<int>(2);
  const int vertices = given.value<int>(5), level = given.value<int>(6);
  for (int vertex = 0; vertex < vertices; ++vertex) {
    if (levels[vertex] != level) continue;
    for (int edge = row_starts[vertex]; edge < row_starts[vertex + 1]; ++edge) {
      const int neighbour = edges[edge] & (vertices - 1);
      if (levels[neighbour] >= 0) continue;
      given.buffer<int>(3)[neighbour] = level + 1;
      given.buffer<std::uint8_t>(4)[neighbour] = 1;
    }
  }
}

extern "C" void separations(void* const* arguments, const std::size_t* lengths) {
  const Arguments given(arguments);
  const auto *sky = given.buffer<float>(0), *edges = given.buffer<float>(1);
  auto* counts = given.buffer<int>(2);
  const auto chunk = static_cast<std::size_t>(given.value<int>(3));
  const std::size_t points = lengths[0] / 2;
  std::vector<Vector> directions;
  for (std::size_t i = 0; i < points; ++i) {
    const double up = sky[2 * i], right = sky[2 * i + 1];
    directions.push_back({std::cos(up) * std::cos(right), std::cos(up) * std::sin(right), std::sin(up)});
  }
  std::fill_n(counts, lengths[2], 0);
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < points; ++j) {
      const double cosine = dot(directions[i], directions[j]);
      const auto bin = std::find_if(edges, edges + 31, [&](float edge) { return cosine >= edge; }) - edges;
      ++counts[(j / chunk * (points / 256) + i / 256) * 32 + bin];
    }
}

extern "C" void gramschmidt(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto *q = given.buffer<float>(0), *a = given.buffer<float>(1);
  const int rows = given.value<int>(4), columns = given.value<int>(5);
  for (int column = 0; column < columns; ++column) {
    const auto at = [&](int row) { return static_cast<std::size_t>(row) * columns + column; };
    double share = 0.0;
    for (int row = 0; row < rows; ++row) share += static_cast<double>(q[row]) * a[at(row)];
    given.buffer<float>(3)[column] = static_cast<float>(share);
    for (int row = 0; row < rows; ++row)
      given.buffer<float>(2)[at(row)] = static_cast<float>(a[at(row)] - q[row] * share);
  }
}
