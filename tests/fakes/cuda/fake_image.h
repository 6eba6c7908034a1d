// What the stand-in for NVRTC hands to the stand-in for the driver, in place of a cubin: a text.
//   WATTUNE IMAGE
//   kernel SYMBOL FUNCTION 8 4 4       with the sizes of its parameters
//   constant SYMBOL 16                 with its size in bytes
#pragma once

#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace wattune::fakes {

inline constexpr char kImageMark[] = "WATTUNE IMAGE";

struct FakeFunction {
  std::string symbol;
  std::string function;
  std::vector<std::size_t> parameter_bytes;
};

struct FakeImage {
  std::vector<FakeFunction> functions;
  std::map<std::string, std::size_t> constants;
};

inline std::string write_image(const FakeImage& image) {
  std::string text = std::string(kImageMark) + "\n";
  for (const FakeFunction& function : image.functions) {
    text += "kernel " + function.symbol + " " + function.function;
    for (const std::size_t bytes : function.parameter_bytes) text += " " + std::to_string(bytes);
    text += "\n";
  }
  for (const auto& [symbol, bytes] : image.constants) text += "constant " + symbol + " " + std::to_string(bytes) + "\n";
  return text;
}

// Numbers are not read by the stream: a program with a C++ library of its own and this one here do not share locales.
inline FakeImage read_image(const std::string& text) {
  FakeImage image;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.size() < 3) continue;
    if (all[0] == "constant") image.constants[all[1]] = std::stoul(all[2]);
    if (all[0] != "kernel") continue;
    FakeFunction function{all[1], all[2], {}};
    for (std::size_t i = 3; i < all.size(); ++i) function.parameter_bytes.push_back(std::stoul(all[i]));
    image.functions.push_back(std::move(function));
  }
  return image;
}

}  // namespace wattune::fakes
