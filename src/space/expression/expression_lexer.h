// Cuts the text of an expression into tokens, as Python's tokenizer does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1::space {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    literal,  // `literal`: a number or string
    name,     // `text`: "tile_x", "ProblemSize[0]" (spaces inside removed), or with a module prefix "math.ceil"
    symbol,   // `text`: an operator, bracket or comma, or one of the keywords and or not in if else for
  };
  Kind kind = Kind::end;
  std::string text;  // the text as written, except as stated above
  Value literal;
  std::uint32_t offset = 0;

  bool is(std::string_view symbol_text) const { return kind == Kind::symbol && text == symbol_text; }
};

// Returns the tokens; the last one has the kind `end`. Fails with parse_error, or with out_of_range if a number is too
// large.
Result<std::vector<Token>> tokenize(std::string_view text, const SourcePosition& position);

}  // namespace wattune::space
