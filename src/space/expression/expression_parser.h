// A recursive-descent parser of expressions, with Python's precedence.
//
// Each member function reads one rule of the grammar in docs/formats/expressions.md from the current token on. Nesting
// is limited, so that no text overflows the stack.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "space/expression/expression_lexer.h"
#include "space/expression/expression_tree.h"

namespace wattune::inline v0_1::space {

class Parser {
 public:
  using Node = Expression::Node;

  static Result<Parser> open(std::string_view text, const SourcePosition& position);

  Result<Node> expression();   // any expression
  Result<Node> disjunction();  // any expression but a conditional one
  // Checks that lists stand only where `in` takes them. Call it on each complete tree.
  Result<void> check_lists(const Node& node) const;

  const Token& token() const { return tokens_[at_]; }
  Token take() { return std::move(tokens_[at_++]); }  // precondition: not at the end
  bool take_if(std::string_view symbol);
  Result<void> expect(std::string_view symbol);
  Result<void> expect_end() const;
  std::uint32_t name_index(const std::string& name);

  // Returns a parse_error at the current token. fail_at() returns one at an offset.
  Error unexpected() const;
  Error fail_at(std::size_t offset, std::string message, std::string hint = {}) const;

  // Returns the text and the names that Node::name counts in.
  const SourceText& source() const { return source_; }
  SourceText take_source() && { return std::move(source_); }

  // Increases the count of nested rules for as long as it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : depth_(parser.depth_) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    bool too_deep() const { return depth_ > kMaxNesting; }

   private:
    static constexpr int kMaxNesting = 100;
    int& depth_;
  };
  Error too_deep() const;

 private:
  Parser(std::string_view text, const SourcePosition& position, std::vector<Token> tokens);

  Result<Node> conjunction();
  Result<Node> inversion();
  Result<Node> comparison();
  Result<Node> sum();
  Result<Node> term();
  Result<Node> factor();
  Result<Node> power();
  Result<Node> atom();
  Result<Node> parenthesised();
  Result<Node> call();
  Result<std::vector<Node>> elements(std::string_view closing);
  bool take_comparison(Comparison& comparison);
  Result<Node> finish(Node node) const;  // fills in the node's height

  SourceText source_;
  std::map<std::string, std::uint32_t> name_indices_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace wattune::space
