#include "slice/ptx_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::slice {

namespace {

enum CharacterClass : std::uint8_t { class_other, class_space, class_word_start, class_digit, class_symbol };

constexpr std::array<std::uint8_t, 256> character_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : std::string_view(" \t\r\n\f\v")) classes[static_cast<unsigned char>(c)] = class_space;
  for (int c = 0; c < 26; ++c) classes[static_cast<unsigned char>('a' + c)] = class_word_start;
  for (int c = 0; c < 26; ++c) classes[static_cast<unsigned char>('A' + c)] = class_word_start;
  for (const char c : std::string_view("_$%")) classes[static_cast<unsigned char>(c)] = class_word_start;
  for (int c = 0; c < 10; ++c) classes[static_cast<unsigned char>('0' + c)] = class_digit;
  for (const char c : std::string_view("()[]{}<>,;:@!|+-~=")) classes[static_cast<unsigned char>(c)] = class_symbol;
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = character_classes();

std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool continues_word(char c) { return (class_of(c) == class_word_start && c != '%') || class_of(c) == class_digit; }

}  // namespace

PtxToken PtxLexer::take() {
  const PtxToken taken = token_;
  if (taken.kind != PtxToken::Kind::end) taken_end_ = taken.end();
  advance();
  return taken;
}

bool PtxLexer::take_if(char symbol) {
  const bool there = token_.is(symbol);
  if (there) take();
  return there;
}

std::string_view PtxLexer::since(const char* begin) const {
  return begin < taken_end_ ? std::string_view(begin, static_cast<std::size_t>(taken_end_ - begin))
                            : std::string_view(begin, 0);
}

void PtxLexer::fail(std::string_view where, std::string message, std::string hint) {
  if (mistake_) return;
  mistake_ = PtxMistake{where, std::move(message), std::move(hint)};
  at_ = text_.size();
  token_ = {PtxToken::Kind::end, text_.substr(text_.size())};
}

void PtxLexer::advance() {
  while (skip_space()) continue;
  if (at_ == text_.size()) return finish(PtxToken::Kind::end, at_);
  switch (class_of(text_[at_])) {
    case class_word_start: return finish(PtxToken::Kind::word, word_end(at_ + 1));
    case class_digit: return lex_number();
    case class_symbol: return finish(PtxToken::Kind::symbol, at_ + 1);
    default: break;
  }
  if (text_[at_] == '.') return lex_dotted();
  if (text_[at_] == '"') return lex_string();
  fail(text_.substr(at_, 1),
       fmt::format("a character that PTX has not: 0x{:02x}", static_cast<unsigned char>(text_[at_])));
}

// Skips white space, one comment, or one line of the preprocessor or of old debug information. Returns false if there
// was nothing to skip.
bool PtxLexer::skip_space() {
  while (at_ < text_.size() && class_of(text_[at_]) == class_space) ++at_;
  if (at_ == text_.size()) return false;
  if (text_[at_] == '/') return skip_comment();
  const bool of_others = text_[at_] == '#' || text_.substr(at_, 2) == "@@";
  if (!of_others || !begins_line()) return false;
  skip_line();
  return true;
}

bool PtxLexer::skip_comment() {
  const std::string_view opening = text_.substr(at_, 2);
  if (opening == "//") {
    skip_line();
    return true;
  }
  if (opening != "/*") return false;
  const std::size_t closing = text_.find("*/", at_ + 2);
  if (closing == std::string_view::npos) {
    fail(opening, "this comment has no end", "*/ ends it");
    return false;
  }
  at_ = closing + 2;
  return true;
}

void PtxLexer::skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

bool PtxLexer::begins_line() const {
  const std::size_t before = at_ == 0 ? std::string_view::npos : text_.find_last_not_of(" \t", at_ - 1);
  return before == std::string_view::npos || text_[before] == '\n';
}

void PtxLexer::finish(PtxToken::Kind kind, std::size_t end) {
  token_ = {kind, text_.substr(at_, end - at_)};
  at_ = end;
}

std::size_t PtxLexer::word_end(std::size_t from) const {
  while (from < text_.size() && continues_word(text_[from])) ++from;
  return from;
}

// Reads a point and the name after it. ".mbarrier::complete_tx::bytes" is one name.
void PtxLexer::lex_dotted() {
  std::size_t end = word_end(at_ + 1);
  if (end == at_ + 1) return fail(text_.substr(at_, 1), "a name must follow the point");
  while (text_.substr(end, 2) == "::" && end + 2 < text_.size() && continues_word(text_[end + 2]))
    end = word_end(end + 2);
  finish(PtxToken::Kind::dotted, end);
}

void PtxLexer::lex_string() {
  std::size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"') return fail(text_.substr(at_, 1), "this string has no end");
  finish(PtxToken::Kind::string, end + 1);
}

// Reads digits and all letters that follow. The sign of an exponent, as in "1.5e-3", also belongs to the number.
void PtxLexer::lex_number() {
  std::size_t end = word_end(at_);
  const bool decimal = std::ranges::all_of(text_.substr(at_, end - at_),
                                           [](char c) { return class_of(c) == class_digit || c == 'e' || c == 'E'; });
  if (!decimal) return finish(PtxToken::Kind::integer, end);
  const bool fraction = end < text_.size() && text_[end] == '.' && text_[end - 1] != 'e' && text_[end - 1] != 'E';
  if (fraction) end = word_end(end + 1);
  const bool power = text_[end - 1] == 'e' || text_[end - 1] == 'E';
  if (power && end < text_.size() && (text_[end] == '-' || text_[end] == '+')) end = word_end(end + 1);
  const bool exponent = text_.substr(at_, end - at_).find_first_of("eE") != std::string_view::npos;
  finish(fraction || exponent ? PtxToken::Kind::real : PtxToken::Kind::integer, end);
}

std::string quoted(const PtxToken& token) {
  constexpr std::size_t kMostShown = 40;
  if (token.kind == PtxToken::Kind::end) return "the end of the text";
  return token.text.size() > kMostShown ? fmt::format("`{}...`", token.text.substr(0, kMostShown))
                                        : fmt::format("`{}`", token.text);
}

}  // namespace wattune::slice
