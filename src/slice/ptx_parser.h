// Parses a PTX text into the tree. Separate source files parse a module's statements, its functions, and operands.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slice/interface/ptx_tree.h"
#include "slice/ptx_lexer.h"

namespace wattune::inline v0_1::slice {

// A parser of PTX. After a syntax error all functions soon return what they have parsed so far; the lexer keeps the
// error.
class PtxParser {
 public:
  explicit PtxParser(std::string_view text) : lexer_(text) {}

  void read_module(PtxTree& tree);
  // Reads values separated by commas, up to the end of the text.
  std::vector<PtxOperand> read_values();
  const std::optional<PtxMistake>& mistake() const { return lexer_.mistake(); }

 private:
  // Parses a module (ptx_parser.cc).
  void module_statement(PtxTree& tree);
  bool at_module_statement() const;
  bool information(std::string_view name);
  void version(PtxTree& tree);
  void target(PtxTree& tree);
  void alias();
  void section();
  void location();
  void source_file();
  void quoted_words();

  // Parses functions and their declarations (ptx_function_parser.cc).
  PtxFunction function(const char* begin, std::string_view linkage);
  PtxDirective directive();
  void body(PtxFunction& function);
  void body_statement(PtxFunction& function);
  void open_scope(PtxFunction& function);
  void close_scope(PtxFunction& function);
  void directive_statement(PtxFunction& function);
  void label_or_instruction(PtxFunction& function);
  void instruction(PtxFunction& function, const char* begin, std::string_view opcode);
  void guard(PtxFunction& function);
  void table(PtxFunction& function, const char* begin, std::string_view name);
  std::vector<PtxVariable> parameters();
  void declaration(std::vector<PtxVariable>& variables, const char* begin, std::string_view linkage);
  PtxVariable declaration_head();
  void declaration_word(PtxVariable& variable, bool& of_pointer);
  void declarator(PtxVariable& variable);
  void dimension(PtxVariable& variable);
  std::string_view initializer();
  std::string_view group();

  // Parses operands (ptx_operand_parser.cc).
  std::vector<PtxOperand> operands(char closing);
  PtxOperand operand();
  PtxOperand one_operand();
  PtxOperand name_operand();
  PtxOperand enclosed(PtxOperandKind kind, char closing);
  PtxOperand address();
  PtxOperand signed_operand();
  PtxOperand number();
  std::string_view dotted_name();
  std::int64_t offset_behind();
  std::uint64_t integer(std::string_view text);
  std::uint64_t unsigned_integer();

  bool expect(char symbol);
  std::string_view word(std::string_view what);
  void unexpected(std::string_view wanted, std::string hint = {});

  PtxLexer lexer_;
  std::uint32_t scope_ = 0;
  int depth_ = 0;  // number of operands that enclose the current one
};

}  // namespace wattune::slice
