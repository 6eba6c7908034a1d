#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "slice/ptx_parser.h"

namespace wattune::inline v0_1::slice {

namespace {

// The largest depth of nested operands. Real code nests at most a vector in a list or an address, but a damaged text
// could have any depth.
constexpr int kDeepestOperand = 16;

// Number of operands for which memory is reserved. Most instructions have at most this many.
constexpr std::size_t kUsualOperands = 3;

// The digits of an integer after its prefix 0x, 0b or 0, and their base.
struct Digits {
  std::string_view text;
  int base = 10;
};

Digits digits_of(std::string_view text) {
  if (text.size() > 2 && text[0] == '0') {
    const char second = text[1];
    if (second == 'x' || second == 'X') return {text.substr(2), 16};
    if (second == 'b' || second == 'B') return {text.substr(2), 2};
  }
  if (text.size() > 1 && text[0] == '0') return {text.substr(1), 8};
  return {text, 10};
}

bool is_hexadecimal_float(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D');
}

}  // namespace

// Parses operands up to the symbol `closing`, but does not consume that symbol.
std::vector<PtxOperand> PtxParser::operands(char closing) {
  std::vector<PtxOperand> all;
  if (lexer_.token().is(closing)) return all;
  all.reserve(kUsualOperands);
  do all.push_back(operand());
  while (lexer_.take_if(','));
  return all;
}

std::vector<PtxOperand> PtxParser::read_values() {
  std::vector<PtxOperand> values = operands('\0');
  if (lexer_.token().kind != PtxToken::Kind::end) unexpected("the end of the value");
  return values;
}

PtxOperand PtxParser::operand() {
  PtxOperand first = one_operand();
  if (!lexer_.token().is('|')) return first;
  lexer_.take();
  PtxOperand both{.kind = PtxOperandKind::pair};
  const char* begin = first.text.data();
  both.elements.push_back(std::move(first));
  both.elements.push_back(one_operand());
  both.text = lexer_.since(begin);
  return both;
}

PtxOperand PtxParser::one_operand() {
  const PtxToken token = lexer_.token();
  if (token.kind == PtxToken::Kind::word) return name_operand();
  if (token.kind == PtxToken::Kind::integer || token.kind == PtxToken::Kind::real) return number();
  if (token.is('[')) return address();
  if (token.is('{')) return enclosed(PtxOperandKind::vector, '}');
  if (token.is('(')) return enclosed(PtxOperandKind::list, ')');
  if (token.is('!') || token.is('-') || token.is('+') || token.is('~')) return signed_operand();
  unexpected("an operand");
  return {};
}

// Parses an operand that begins with a name. Other forms are `array[2]`, `variable+8` and `generic(variable)`.
PtxOperand PtxParser::name_operand() {
  const char* begin = lexer_.token().text.data();
  PtxOperand result{.name = dotted_name()};
  if (result.name == "generic" && lexer_.take_if('(')) {
    result.generic = true;
    result.name = dotted_name();
    expect(')');
  }
  if (lexer_.take_if('[')) {
    result.elements.push_back(number());
    expect(']');
  }
  result.offset = offset_behind();
  result.text = lexer_.since(begin);
  return result;
}

PtxOperand PtxParser::enclosed(PtxOperandKind kind, char closing) {
  const PtxToken opening = lexer_.take();
  PtxOperand result{.kind = kind};
  if (++depth_ > kDeepestOperand) lexer_.fail(opening.text, "operands inside operands, too deep");
  result.elements = operands(closing);
  --depth_;
  expect(closing);
  result.text = lexer_.since(opening.text.data());
  return result;
}

PtxOperand PtxParser::address() {
  const PtxToken opening = lexer_.take();
  PtxOperand result{.kind = PtxOperandKind::address};
  if (lexer_.token().kind == PtxToken::Kind::word) {
    result.name = dotted_name();
    result.offset = offset_behind();
  } else {
    result.offset = static_cast<std::int64_t>(signed_operand().bits);
  }
  if (++depth_ > kDeepestOperand) lexer_.fail(opening.text, "operands inside operands, too deep");
  while (lexer_.take_if(',')) result.elements.push_back(operand());
  --depth_;
  expect(']');
  result.text = lexer_.since(opening.text.data());
  return result;
}

// Parses an operand with signs. A sign before a number becomes part of the number. A sign before a name becomes a flag
// of the operand.
PtxOperand PtxParser::signed_operand() {
  const char* begin = lexer_.token().text.data();
  bool minus = false;
  bool complement = false;
  bool logical_not = false;
  for (;; lexer_.take()) {
    if (lexer_.token().is('-'))
      minus = !minus;
    else if (lexer_.token().is('~'))
      complement = !complement;
    else if (lexer_.token().is('!'))
      logical_not = !logical_not;
    else if (!lexer_.token().is('+'))
      break;
  }
  PtxOperand result = lexer_.token().kind == PtxToken::Kind::word ? name_operand() : number();
  result.text = lexer_.since(begin);
  if (result.kind == PtxOperandKind::name) {
    result.minus = minus;
    result.logical_not = logical_not;
    if (complement) lexer_.fail(result.text, "~ stands before a number only");
    return result;
  }
  const std::uint64_t sign = result.kind == PtxOperandKind::float32 ? 0x8000'0000u : 0x8000'0000'0000'0000u;
  if (result.kind != PtxOperandKind::integer)
    result.bits ^= minus ? sign : 0;
  else if (logical_not)
    result.bits = result.bits == 0 ? 1 : 0;
  else if (minus)
    result.bits = 0 - result.bits;
  if (complement) result.bits = ~result.bits;
  return result;
}

PtxOperand PtxParser::number() {
  const PtxToken token = lexer_.token();
  PtxOperand result{.kind = PtxOperandKind::integer, .text = token.text};
  if (token.kind == PtxToken::Kind::real) {
    double value = 0.0;
    const auto [end, code] = std::from_chars(token.text.data(), token.end(), value);
    if (end != token.end()) lexer_.fail(token.text, fmt::format("{} is no number", quoted(token)));
    result.kind = PtxOperandKind::float64;
    result.bits = std::bit_cast<std::uint64_t>(value);
  } else if (token.kind != PtxToken::Kind::integer) {
    unexpected("a number");
    return result;
  } else if (is_hexadecimal_float(token.text)) {
    const bool narrow = token.text[1] == 'f' || token.text[1] == 'F';
    result.kind = narrow ? PtxOperandKind::float32 : PtxOperandKind::float64;
    const auto [end, code] = std::from_chars(token.text.data() + 2, token.end(), result.bits, 16);
    if (code != std::errc() || end != token.end() || token.text.size() != (narrow ? 10u : 18u))
      lexer_.fail(token.text, fmt::format("{} is no number: {} digits belong here", quoted(token), narrow ? 8 : 16));
  } else {
    result.bits = integer(token.text);
  }
  lexer_.take();
  return result;
}

std::uint64_t PtxParser::integer(std::string_view text) {
  std::uint64_t value = 0;
  std::string_view plain = text;
  if (plain.size() > 1 && (plain.back() == 'U' || plain.back() == 'u')) plain.remove_suffix(1);
  const Digits digits = digits_of(plain);
  const char* last = digits.text.data() + digits.text.size();
  const auto [end, code] = std::from_chars(digits.text.data(), last, value, digits.base);
  if (code != std::errc() || end != last) lexer_.fail(text, fmt::format("`{}` is no number of 64 bits", text));
  return value;
}

std::uint64_t PtxParser::unsigned_integer() {
  if (lexer_.token().kind == PtxToken::Kind::integer) return integer(lexer_.take().text);
  unexpected("a number");
  return 0;
}

// Consumes a name such as "%tid.x". A dotted word belongs to the name if it follows without white space.
std::string_view PtxParser::dotted_name() {
  const std::string_view name = word("a name");
  if (name.empty()) return name;
  const char* begin = name.data();
  while (lexer_.token().kind == PtxToken::Kind::dotted &&
         lexer_.token().text.data() == begin + lexer_.since(begin).size())
    lexer_.take();
  return lexer_.since(begin);
}

std::int64_t PtxParser::offset_behind() {
  if (!lexer_.token().is('+') && !lexer_.token().is('-')) return 0;
  const PtxOperand offset = signed_operand();
  if (offset.kind != PtxOperandKind::integer) lexer_.fail(offset.text, "an offset is a whole number");
  return static_cast<std::int64_t>(offset.bits);
}

}  // namespace wattune::slice
