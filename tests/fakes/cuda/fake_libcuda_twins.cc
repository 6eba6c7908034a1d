// The kernel `mark` of the stand-in for libcuda.so.1 and its twins, which run the blocks that their words name.
#include "fakes/cuda/fake_driver.h"
#include "slice/interface/slice_words.h"

namespace wattune::fakes {

namespace {

// A launch of the kernel: the array in which it counts, and its own grid.
struct Mark {
  int* hits;
  slice::Grid grid;

  void all_in(const slice::Grid& origin, const slice::Grid& whole) const {
    for (unsigned z = 0; z < grid.z; ++z)
      for (unsigned y = 0; y < grid.y; ++y)
        for (unsigned x = 0; x < grid.x; ++x)
          ++hits[((origin.z + z) * whole.y + origin.y + y) * whole.x + origin.x + x];
  }
};

template <typename T>
T value(const void* parameter) {
  T result;
  std::memcpy(&result, parameter, sizeof result);
  return result;
}

// Runs all remaining blocks, or as many as the stand-in's state says; then it waits for its stop word. Behind a launch
// that waits for the same word it runs none, since it begins when that word is set.
void run_persistent(const Mark& mark, const slice::PersistentWords& words, CUstream_st& stream) {
  auto& counter = *reinterpret_cast<std::uint64_t*>(words.counter);
  const auto* const stop = reinterpret_cast<const std::uint32_t*>(words.stop);
  state.chunk = words.chunk;
  if (stream.stop_word == stop) return;
  long left = state.persistent_blocks > 0 ? state.persistent_blocks : static_cast<long>(words.blocks);
  while (counter < words.blocks && *stop == 0 && left > 0) {
    const std::uint64_t first = counter;
    counter += words.chunk;
    for (std::uint64_t block = first; block < std::min<std::uint64_t>(counter, words.blocks); ++block, --left)
      ++mark.hits[block];
  }
  if (counter < words.blocks) stream.stop_word = stop;
}

}  // namespace

bool run_mark(const std::string& function, const CUlaunchConfig& config, CUstream_st& stream, void** parameters) {
  if (!function.starts_with("mark")) return false;
  const Mark mark{value<int*>(parameters[0]), {config.gridDimX, config.gridDimY, config.gridDimZ}};
  if (function == "mark") {
    mark.all_in({0, 0, 0}, mark.grid);
  } else if (function == "mark__wattune_add") {
    const auto words = value<slice::AddWords>(parameters[1]);
    mark.all_in(words.origin, words.grid);
  } else if (function == "mark__wattune_linear") {
    const auto words = value<slice::LinearWords>(parameters[1]);
    for (unsigned i = 0; i < mark.grid.x; ++i) ++mark.hits[words.first + i];
  } else {
    run_persistent(mark, value<slice::PersistentWords>(parameters[1]), stream);
  }
  return true;
}

}  // namespace wattune::fakes
