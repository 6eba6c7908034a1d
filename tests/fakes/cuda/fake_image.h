// The output of the stand-in for NVRTC, which the stand-in for the driver takes in place of a cubin. It is a text:
//   WATTUNE IMAGE
//   kernel SYMBOL FUNCTION 8 4 4       with the sizes of its parameters
//   constant SYMBOL 16                 with its size in bytes
// PTX without such lines has its entries as kernels; their functions have the same names.
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

// Returns the parts of a text between separators. It uses no streams: a program with a C++ library of its own and the
// stand-ins, which have theirs, do not share locales.
inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Returns the bytes of ".param .u64 x" or ".param .align 8 .b8 words[24]".
inline std::size_t bytes_of_parameter(const std::string& parameter) {
  const std::size_t bracket = parameter.find('[');
  if (bracket != std::string::npos) return std::stoul(parameter.substr(bracket + 1));
  return parameter.find("64 ") != std::string::npos ? 8 : 4;
}

inline std::vector<FakeFunction> entries_of(const std::string& ptx) {
  std::vector<FakeFunction> entries;
  constexpr char kEntry[] = ".entry ";
  for (std::size_t at = ptx.find(kEntry); at != std::string::npos; at = ptx.find(kEntry, at)) {
    at += sizeof kEntry - 1;
    const std::size_t begin = ptx.find('(', at);
    const std::string name = parts_of(ptx.substr(at, begin - at), ' ').front();
    FakeFunction entry{name, name, {}};
    for (const std::string& parameter : parts_of(ptx.substr(begin + 1, ptx.find(')', begin) - begin - 1), ','))
      if (parameter.find(".param") != std::string::npos) entry.parameter_bytes.push_back(bytes_of_parameter(parameter));
    entries.push_back(std::move(entry));
  }
  if (const std::size_t at = ptx.find(".b8 memory["); at != std::string::npos)
    entries.front().private_bytes = std::stoul(ptx.substr(at + 11));
  return entries;
}

inline FakeImage read_image(const std::string& text) {
  FakeImage image;
  for (const std::string& line : parts_of(text, '\n')) {
    const std::vector<std::string> words = parts_of(line, ' ');
    if (words.size() < 3) continue;
    if (words[0] == "constant") image.constants[words[1]] = std::stoul(words[2]);
    if (words[0] != "kernel") continue;
    FakeFunction function{.symbol = words[1], .function = words[2]};
    for (std::size_t i = 3; i < words.size(); ++i) function.parameter_bytes.push_back(std::stoul(words[i]));
    image.functions.push_back(std::move(function));
  }
  if (image.functions.empty()) image.functions = entries_of(text);
  return image;
}

}  // namespace wattune::fakes
