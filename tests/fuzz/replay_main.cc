// Runs a fuzz target without libFuzzer: every file of the corpus folder, and mutations of it that are the same on each
// run. Exit status 0 when nothing crashed; sanitizers end the program otherwise.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "wattune/core/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutationsPerFile = 400;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// Overwrites, inserts, removes or repeats a few bytes.
std::string mutate(std::string text, wattune::Random& random) {
  const std::uint64_t edits = 1 + random.below(4);
  for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = 1 + random.below(std::min<std::size_t>(16, text.size() - at));
    switch (random.below(4)) {
      case 0: text[at] = static_cast<char>(random.below(256)); break;
      case 1: text.insert(at, 1, static_cast<char>(random.below(256))); break;
      case 2: text.erase(at, length); break;
      default: text.insert(random.below(text.size()), text.substr(at, length)); break;
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
    return 2;
  }
  wattune::Random random(1);
  std::size_t files = 0;
  run("");
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    const std::string input = read_file(entry.path());
    run(input);
    for (int i = 0; i < kMutationsPerFile; ++i) run(mutate(input, random));
    ++files;
  }
  std::printf("%zu files, %d mutations each\n", files, kMutationsPerFile);
  return files == 0 ? 1 : 0;
}
