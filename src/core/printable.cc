#include "core/interface/printable.h"

#include <algorithm>
#include <array>

namespace wattune::inline v0_1 {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::size_t kWidestQuote = 80;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

char32_t code_point(std::string_view character) {
  constexpr std::array<unsigned, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code = static_cast<unsigned char>(character.front()) & kLeadBits[character.size()];
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return code;
}

// Tells whether the code point is a control character: C0, DEL and C1, separators of lines and paragraphs, and
// characters that change the writing direction.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool is_noncharacter(char32_t code) { return (code & 0xFFFE) == 0xFFFE; }

std::string without_controls(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    text.remove_prefix(character.size());
    if (length == 0 || is_noncharacter(code_point(character)))
      out += kReplacement;
    else if (is_control(code_point(character)) && kept.find(character) == std::string_view::npos)
      out += ' ';
    else
      out += character;
  }
  return out;
}

}  // namespace

// Accepts the byte sequences of Unicode 15, table 3-7.
std::size_t utf8_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length < 2 || text.size() < length) return length < 2 ? length : 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i])) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond_unicode = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

std::string printable(std::string_view text) { return without_controls(text, {}); }

std::string printable_lines(std::string_view text) { return without_controls(text, "\n\t"); }

std::string in_quotes(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t width = 0; end < text.size() && width < kWidestQuote; ++width)
    end += std::max<std::size_t>(1, utf8_character(text.substr(end)));
  return "`" + printable(text.substr(0, end)) + (end < text.size() ? "…`" : "`");
}

}  // namespace wattune
