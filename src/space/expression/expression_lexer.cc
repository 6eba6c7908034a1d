#include "space/expression/expression_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "space/expression/expression_tree.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr std::size_t kMaxLength = 8 << 20;

constexpr std::array<std::string_view, 7> kKeywords = {"and", "or", "not", "in", "if", "else", "for"};

struct Symbol {
  std::string_view text;
  std::string_view hint = {};  // for a symbol that is not in the syntax, the text to write instead; else empty
};

// The symbols. Longer ones come first.
constexpr auto kSymbols = std::to_array<Symbol>({
    {"**"},
    {"//"},
    {"=="},
    {"!="},
    {"<="},
    {">="},
    {"&&", "write `and`"},
    {"||", "write `or`"},
    {"<>", "write `!=`"},
    {"<<", "multiply by a power of 2: `x * 2**n`"},
    {">>", "divide by a power of 2: `x // 2**n`"},
    {"<"},
    {">"},
    {"+"},
    {"-"},
    {"*"},
    {"/"},
    {"%"},
    {"("},
    {")"},
    {"["},
    {"]"},
    {","},
    {"!", "write `not`"},
    {"=", "to compare write `==`"},
    {"&", "there are no bitwise operators; for logic write `and`"},
    {"|", "there are no bitwise operators; for logic write `or`"},
    {"^", "for a power write `**`"},
    {"~", "there are no bitwise operators; for logic write `not`"},
    {"?", "write `x if condition else y`"},
});

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// True if the character is a digit of this base, which is at most 16.
bool is_digit_of(char c, int base) {
  if (base <= 10) return c >= '0' && c < '0' + base;
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

class Lexer {
 public:
  Lexer(std::string_view text, const SourcePosition& position) : text_(text), position_(position) {}

  Result<std::vector<Token>> run() {
    if (text_.size() > kMaxLength) {
      return Error(ErrorCode::parse_error, fmt::format("expression longer than {} characters", kMaxLength))
          .at(position_);
    }
    std::vector<Token> tokens;
    do {
      WATTUNE_ASSIGN(Token token, next());
      tokens.push_back(std::move(token));
    } while (tokens.back().kind != Token::Kind::end);
    return tokens;
  }

 private:
  Result<Token> next() {
    skip_spaces();
    token_ = Token{};
    token_.offset = static_cast<std::uint32_t>(at_);
    if (at_ == text_.size()) return token_;
    const char c = peek();
    if (is_letter(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '\'' || c == '"') return string();
    return symbol();
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  Error fail(std::string message, std::string_view hint = {}, ErrorCode code = ErrorCode::parse_error) const {
    Error error = Error(code, std::move(message)).at(position_in(position_, text_, token_.offset));
    return std::move(error).about(std::string(text_)).hint(std::string(hint));
  }

  Token finish(Token::Kind kind, Value literal = {}) {
    token_.kind = kind;
    token_.literal = std::move(literal);
    if (token_.text.empty()) token_.text = text_.substr(token_.offset, at_ - token_.offset);
    return std::move(token_);
  }

  Result<Token> name() {
    while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
    const std::string_view word = text_.substr(token_.offset, at_ - token_.offset);
    if (std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end()) return finish(Token::Kind::symbol);
    if (word == "True" || word == "False") return finish(Token::Kind::literal, Value(word == "True"));
    if (word == "is") return fail("`is` is not supported", "to compare write `==`");
    if (word == "lambda") return fail("`lambda` is not supported", "write the condition alone");
    return subscripted(word);
  }

  // Appends the subscript that follows a name, such as "[3]", to the name.
  Result<Token> subscripted(std::string_view word) {
    const std::size_t end_of_word = at_;
    skip_spaces();
    if (peek() != '[') {
      at_ = end_of_word;
      return finish(Token::Kind::name);
    }
    ++at_;
    skip_spaces();
    const std::size_t first = at_;
    while (is_digit(peek())) ++at_;
    const std::string_view index = text_.substr(first, at_ - first);
    skip_spaces();
    if (index.empty() || peek() != ']') {
      return fail(fmt::format("the subscript of `{}` is not a plain number", word), "such as `ProblemSize[0]`");
    }
    ++at_;
    token_.text = fmt::format("{}[{}]", word, index);
    return finish(Token::Kind::name);
  }

  // Reads digits, between which there may be single underscores, and appends them to `out`. Returns false if there is
  // no digit, or an underscore is misplaced.
  bool digits(int base, std::string& out) {
    bool after_digit = false;
    for (;; ++at_) {
      if (is_digit_of(peek(), base)) {
        out += peek();
        after_digit = true;
      } else if (peek() == '_' && after_digit) {
        after_digit = false;
      } else {
        return after_digit;
      }
    }
  }

  Result<Token> number() {
    if (peek() == '0' && is_letter(peek(1))) {
      switch (peek(1) | 0x20) {
        case 'x': at_ += 2; return integer(16);
        case 'o': at_ += 2; return integer(8);
        case 'b': at_ += 2; return integer(2);
        default: break;
      }
    }
    std::string digits_read;
    bool good = peek() == '.' || digits(10, digits_read);
    if (good && (peek() == '.' || (peek() | 0x20) == 'e')) return real(digits_read);
    const bool leading_zero =
        digits_read.size() > 1 && digits_read[0] == '0' && digits_read.find_first_not_of('0') != std::string::npos;
    if (!good || leading_zero) return bad_number();
    return integer_of(digits_read, 10);
  }

  Result<Token> integer(int base) {
    std::string digits_read;
    if (peek() == '_') ++at_;
    if (!digits(base, digits_read)) return bad_number();
    return integer_of(digits_read, base);
  }

  Result<Token> integer_of(const std::string& digits_read, int base) {
    if (is_letter(peek()) || is_digit(peek())) return bad_number();
    std::int64_t value = 0;
    const auto parsed = std::from_chars(digits_read.data(), digits_read.data() + digits_read.size(), value, base);
    if (parsed.ec != std::errc{}) return fail("integer outside 64 bits", {}, ErrorCode::out_of_range);
    return finish(Token::Kind::literal, Value(value));
  }

  // Reads the rest of a real number, from the end of the digits before the point.
  Result<Token> real(std::string digits_read) {
    if (peek() == '.') {
      digits_read += '.';
      ++at_;
      if (is_digit(peek()) && !digits(10, digits_read)) return bad_number();
    }
    if ((peek() | 0x20) == 'e') {
      digits_read += 'e';
      ++at_;
      if (peek() == '+' || peek() == '-') {
        digits_read += peek();
        ++at_;
      }
      if (!digits(10, digits_read)) return bad_number();
    }
    if (is_letter(peek()) || peek() == '.') return bad_number();
    double value = 0.0;
    const auto parsed = std::from_chars(digits_read.data(), digits_read.data() + digits_read.size(), value);
    if (parsed.ec != std::errc{}) return fail("number outside the range of a double", {}, ErrorCode::out_of_range);
    return finish(Token::Kind::literal, Value(value));
  }

  Error bad_number() {
    while (is_letter(peek()) || is_digit(peek()) || peek() == '.') ++at_;
    constexpr std::size_t kMostShownCharacters = 40;
    return fail(
        fmt::format("malformed number `{}`",
                    text_.substr(token_.offset, std::min<std::size_t>(at_ - token_.offset, kMostShownCharacters))));
  }

  Result<Token> string() {
    const char quote = peek();
    std::string content;
    for (++at_; peek() != quote; ++at_) {
      if (at_ >= text_.size() || peek() == '\n') return fail("string without closing quote");
      if (peek() != '\\') {
        content += peek();
        continue;
      }
      ++at_;
      switch (peek()) {
        case '\\':
        case '\'':
        case '"': content += peek(); break;
        case 'n': content += '\n'; break;
        case 't': content += '\t'; break;
        default: return fail("unknown escape in a string", R"(known are \\ \' \" \n \t)");
      }
    }
    ++at_;
    return finish(Token::Kind::literal, Value(std::move(content)));
  }

  Result<Token> symbol() {
    const std::string_view rest = text_.substr(at_);
    for (const Symbol& candidate : kSymbols) {
      if (!rest.starts_with(candidate.text)) continue;
      if (!candidate.hint.empty()) return fail(fmt::format("unknown operator `{}`", candidate.text), candidate.hint);
      at_ += candidate.text.size();
      return finish(Token::Kind::symbol);
    }
    const char c = rest[0];
    if (c >= ' ' && c <= '~') return fail(fmt::format("unexpected `{}`", c));
    return fail(fmt::format("unexpected character 0x{:02x}", static_cast<unsigned char>(c)));
  }

  std::string_view text_;
  const SourcePosition& position_;
  std::size_t at_ = 0;
  Token token_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text, const SourcePosition& position) {
  return Lexer(text, position).run();
}

}  // namespace wattune::space
