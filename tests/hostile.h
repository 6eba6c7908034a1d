// Texts that no program would write: a good text, damaged in the same way on each run.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "wattune/core/random.h"

namespace wattune {

inline std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Returns a text to put in the place of a value, or anywhere else.
inline std::string hostile_fragment(Random& random) {
  static const std::array kFragments = {
      repeated("[", 100'000),
      repeated("{\"a\":", 100'000),
      repeated("[", 100'000) + repeated("]", 100'000),
      std::string("1e999"),
      std::string("-1e308"),
      std::string("340282366920938463463374607431768211456"),
      std::string("-9223372036854775809"),
      std::string("NaN"),
      std::string("Infinity"),
      std::string("null"),
      std::string("true"),
      std::string("{}"),
      std::string("[]"),
      std::string("\"\""),
      std::string("\"\\u0000\\u001b[2J\\n\\u009b\\ud800\""),
      std::string("\"\x1b]0;owned\a\x9b\xFF\xC0\xAF\xED\xA0\x80\""),
      std::string("\0\0\0", 3),
      "\"" + std::string(100'000, 'x') + "\"",
      std::string(100'000, '9'),
      std::string("\r\n\r\n"),
      std::string("\xEF\xBB\xBF"),
      std::string("}]\"'`,:"),
  };
  return kFragments[random.below(kFragments.size())];
}

// Returns the beginning and the length of a number, a quoted text or a word.
inline std::pair<std::size_t, std::size_t> any_token(const std::string& text, Random& random) {
  const auto in_word = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  std::size_t begin = random.below(text.size());
  while (begin < text.size() && !in_word(begin)) ++begin;
  std::size_t end = begin;
  while (end < text.size() && in_word(end)) ++end;
  if (begin > 0 && end < text.size() && text[begin - 1] == '"' && text[end] == '"') return {begin - 1, end + 2 - begin};
  return {begin, end - begin};
}

inline std::string damaged_once(std::string text, Random& random) {
  if (text.empty()) return text;
  const std::size_t at = random.below(text.size());
  const std::size_t length = random.below(std::min<std::size_t>(200, text.size() - at));
  const auto [token, token_length] = any_token(text, random);
  switch (random.below(7)) {
    case 0: return text.substr(0, at);
    case 1: text[at] = static_cast<char>(text[at] ^ (1 << random.below(8))); return text;
    case 2: return text.erase(at, length);
    case 3: return text.insert(random.below(text.size()), text.substr(at, length));  // also keys, a second time
    case 4: return text.insert(at, hostile_fragment(random));
    default: return text.replace(token, token_length, hostile_fragment(random));
  }
}

inline std::string damaged(std::string text, Random& random) {
  for (std::uint64_t edits = 1 + random.below(3); edits > 0; --edits) text = damaged_once(std::move(text), random);
  return text;
}

inline bool is_one_clean_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

// Returns the most memory that this process ever had, in bytes.
inline std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace wattune
