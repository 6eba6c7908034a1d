// What the stand-in for NVRTC hands to the stand-in for the driver, in place of a cubin: a text.
//   WATTUNE IMAGE
//   kernel SYMBOL FUNCTION 8 4 4       with the sizes of its parameters
//   constant SYMBOL 16                 with its size in bytes
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace wattune::fakes {

inline constexpr char kImageMark[] = "WATTUNE IMAGE";

struct FakeFunction {
  std::string symbol;
  std::string function;
  std::vector<std::size_t> parameter_bytes;
  std::size_t private_bytes = 16;  // of a thread
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

// The parts of a text between separators. Without streams: a program with a C++ library of its own and the stand-ins,
// which have theirs, do not share locales.
inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// PTX without such lines is of one kernel with one parameter, a pointer, and the private memory that it declares.
inline FakeImage read_ptx(const std::string& text) {
  const auto word_behind = [&](const std::string& mark, const char* end) {
    const std::size_t begin = text.find(mark);
    if (begin == std::string::npos) return std::string("0");
    const std::size_t word = begin + mark.size();
    return text.substr(word, text.find_first_of(end, word) - word);
  };
  const std::string symbol = word_behind(".entry ", "(");
  const std::size_t bytes = std::stoul(word_behind(".b8 memory[", "]"));
  return {.functions = {{.symbol = symbol, .function = "noop", .parameter_bytes = {8}, .private_bytes = bytes}},
          .constants = {}};
}

inline FakeImage read_image(const std::string& text) {
  FakeImage image;
  if (text.find("\nkernel ") == std::string::npos && text.find(".entry ") != std::string::npos) return read_ptx(text);
  for (const std::string& line : parts_of(text, '\n')) {
    const std::vector<std::string> words = parts_of(line, ' ');
    if (words.size() < 3) continue;
    if (words[0] == "constant") image.constants[words[1]] = std::stoul(words[2]);
    if (words[0] != "kernel") continue;
    FakeFunction function{.symbol = words[1], .function = words[2]};
    for (std::size_t i = 3; i < words.size(); ++i) function.parameter_bytes.push_back(std::stoul(words[i]));
    image.functions.push_back(std::move(function));
  }
  return image;
}

}  // namespace wattune::fakes
