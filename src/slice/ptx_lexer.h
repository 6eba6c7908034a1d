// Splits a PTX text into tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wattune::inline v0_1::slice {

struct PtxToken {
  enum class Kind : std::uint8_t { end, word, dotted, integer, real, string, symbol };
  Kind kind = Kind::end;
  std::string_view text;  // text of the token; that of a `dotted` token (.param, .shared::cta) includes the point

  bool is(char symbol) const { return kind == Kind::symbol && text.front() == symbol; }
  bool is_dotted(std::string_view name) const { return kind == Kind::dotted && text.substr(1) == name; }
  const char* end() const { return text.data() + text.size(); }
};

// The first syntax error in a text.
struct PtxMistake {
  std::string_view where;
  std::string message;
  std::string hint;
};

// A lexer that looks one token ahead. After a syntax error it returns only the end of the text, so that loops that read
// to the end stop.
class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text) : text_(text) { advance(); }

  const PtxToken& token() const { return token_; }
  PtxToken take();
  // Consumes the next token if it is the symbol, and returns whether it was.
  bool take_if(char symbol);
  // Returns the text from `begin` to the end of the last consumed token.
  std::string_view since(const char* begin) const;

  void fail(std::string_view where, std::string message, std::string hint = {});
  const std::optional<PtxMistake>& mistake() const { return mistake_; }

 private:
  void advance();
  bool skip_space();
  bool skip_comment();
  void skip_line();
  bool begins_line() const;
  void finish(PtxToken::Kind kind, std::size_t end);
  void lex_dotted();
  void lex_string();
  void lex_number();
  std::size_t word_end(std::size_t from) const;

  std::string_view text_;
  std::size_t at_ = 0;
  PtxToken token_;
  const char* taken_end_ = nullptr;
  std::optional<PtxMistake> mistake_;
};

// Returns the token in quotes, shortened ("`ld`"), or "the end of the text".
std::string quoted(const PtxToken& token);

}  // namespace wattune::slice
