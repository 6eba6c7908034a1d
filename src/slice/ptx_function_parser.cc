#include <fmt/format.h>

#include <array>

#include "slice/ptx_parser.h"

namespace wattune::inline v0_1::slice {

namespace {

struct SpaceName {
  std::string_view name;
  PtxSpace space;
};

constexpr auto kSpaces = std::to_array<SpaceName>({{"reg", PtxSpace::reg},
                                                   {"param", PtxSpace::param},
                                                   {"local", PtxSpace::local},
                                                   {"shared", PtxSpace::shared},
                                                   {"global", PtxSpace::global},
                                                   {"const", PtxSpace::constant},
                                                   {"tex", PtxSpace::texture}});

const SpaceName* find_space(std::string_view name) {
  for (const SpaceName& space : kSpaces)
    if (space.name == name) return &space;
  return nullptr;
}

// Number of modifiers for which memory is reserved. Most instructions have at most this many.
constexpr std::size_t kUsualModifiers = 3;

bool is_table(const PtxToken& token) {
  return token.is_dotted("branchtargets") || token.is_dotted("calltargets") || token.is_dotted("callprototype");
}

unsigned vector_length(std::string_view word) {
  if (word == "v2") return 2;
  if (word == "v4") return 4;
  return word == "v8" ? 8 : 0;
}

}  // namespace

PtxFunction PtxParser::function(const char* begin, std::string_view linkage) {
  PtxFunction result{.name = {}, .entry = lexer_.take().is_dotted("entry"), .linkage = linkage};
  while (lexer_.token().kind == PtxToken::Kind::dotted) result.directives.push_back(directive());
  if (!result.entry && lexer_.token().is('(')) result.results = parameters();
  result.name = word("a function's name");
  if (lexer_.token().is('(')) {
    const char* opening = lexer_.token().text.data();
    result.parameters = parameters();
    result.parameter_list = lexer_.since(opening);
  }
  while (lexer_.token().kind == PtxToken::Kind::dotted && !at_module_statement())
    result.directives.push_back(directive());
  if (lexer_.token().is('{'))
    body(result);
  else if (result.entry || !at_module_statement())  // ptxas requires no semicolon after a declaration
    expect(';');
  result.text = lexer_.since(begin);
  return result;
}

// Parses a directive such as `.maxntid 256, 1, 1`, `.attribute(.unified(1, 2))` or `.pragma "nounroll";`.
PtxDirective PtxParser::directive() {
  const PtxToken name = lexer_.take();
  PtxDirective result{.name = name.text.substr(1), .values = {}, .text = {}};
  if (result.name == "attribute" && lexer_.token().is('(')) result.values.push_back(group());
  const auto is_value = [](const PtxToken& token) {
    return token.kind == PtxToken::Kind::integer || token.kind == PtxToken::Kind::string;
  };
  while (is_value(lexer_.token())) {
    result.values.push_back(lexer_.take().text);
    lexer_.take_if(',');
  }
  if (result.name == "pragma") lexer_.take_if(';');
  result.text = lexer_.since(name.text.data());
  return result;
}

// Consumes all text from an opening bracket to the closing bracket, and returns it with both brackets.
std::string_view PtxParser::group() {
  const PtxToken opening = lexer_.token();
  const char open = opening.text.front();
  const char close = open == '{' ? '}' : ')';
  int depth = 0;
  do {
    const PtxToken token = lexer_.take();
    if (token.kind == PtxToken::Kind::end) {
      lexer_.fail(opening.text, fmt::format("`{}` is never closed", open));
      return {};
    }
    depth += token.is(open) ? 1 : token.is(close) ? -1 : 0;
  } while (depth > 0);
  return lexer_.since(opening.text.data());
}

void PtxParser::body(PtxFunction& function) {
  const PtxToken opening = lexer_.token();
  open_scope(function);
  for (bool open = true; open;) {
    if (lexer_.token().kind == PtxToken::Kind::end)
      return lexer_.fail(opening.text, fmt::format("the body of `{}` is never closed", function.name));
    open = !(lexer_.token().is('}') && scope_ == 0);
    body_statement(function);
  }
  function.body = function.scopes.front().text;
}

void PtxParser::body_statement(PtxFunction& function) {
  const PtxToken token = lexer_.token();
  if (token.kind == PtxToken::Kind::word) return label_or_instruction(function);
  if (token.kind == PtxToken::Kind::dotted) return directive_statement(function);
  if (token.is('{')) return open_scope(function);
  if (token.is('}')) return close_scope(function);
  if (token.is('@')) return guard(function);
  if (token.is(';')) return void(lexer_.take());
  unexpected("an instruction");
}

// Opens a scope whose text begins at the brace. close_scope() adds the end of the text.
void PtxParser::open_scope(PtxFunction& function) {
  const PtxToken opening = lexer_.take();
  function.scopes.push_back({opening.text, scope_});
  scope_ = static_cast<std::uint32_t>(function.scopes.size() - 1);
}

void PtxParser::close_scope(PtxFunction& function) {
  lexer_.take();
  PtxScope& scope = function.scopes[scope_];
  scope.text = lexer_.since(scope.text.data());
  scope_ = scope.parent;
}

void PtxParser::directive_statement(PtxFunction& function) {
  const PtxToken token = lexer_.token();
  const std::size_t before = function.variables.size();
  if (find_space(token.text.substr(1)) != nullptr) {
    declaration(function.variables, token.text.data(), {});
    for (std::size_t i = before; i < function.variables.size(); ++i) function.variables[i].scope = scope_;
  } else if (!information(token.text.substr(1))) {
    unexpected("a declaration or an instruction");
  }
}

void PtxParser::label_or_instruction(PtxFunction& function) {
  const std::string_view name = lexer_.take().text;
  if (!lexer_.take_if(':')) return instruction(function, name.data(), name);
  if (is_table(lexer_.token())) return table(function, name.data(), name);
  function.labels.push_back({name, static_cast<std::uint32_t>(function.instructions.size()), scope_});
}

void PtxParser::guard(PtxFunction& function) {
  const char* begin = lexer_.take().text.data();
  const bool negated = lexer_.take_if('!');
  const std::string_view predicate = dotted_name();
  const std::string_view opcode = word("an instruction");
  instruction(function, begin, opcode);
  function.instructions.back().guard = predicate;
  function.instructions.back().guard_negated = negated;
}

void PtxParser::instruction(PtxFunction& function, const char* begin, std::string_view opcode) {
  PtxInstruction& result = function.instructions.emplace_back();
  result.opcode = opcode;
  result.modifiers.reserve(kUsualModifiers);
  while (lexer_.token().kind == PtxToken::Kind::dotted) result.modifiers.push_back(lexer_.take().text.substr(1));
  result.operands = operands(';');
  expect(';');
  result.scope = scope_;
  result.text = lexer_.since(begin);
}

void PtxParser::table(PtxFunction& function, const char* begin, std::string_view name) {
  PtxTable result{.name = name,
                  .directive = lexer_.take().text.substr(1),
                  .targets = {},
                  .results = {},
                  .parameters = {},
                  .scope = scope_,
                  .text = {}};
  if (result.directive == "callprototype") {
    if (lexer_.token().is('(')) result.results = parameters();
    word("`_`");
    if (lexer_.token().is('(')) result.parameters = parameters();
    while (lexer_.token().kind == PtxToken::Kind::dotted) directive();
  } else {
    do result.targets.push_back(word("a name"));
    while (lexer_.take_if(','));
  }
  expect(';');
  result.text = lexer_.since(begin);
  function.tables.push_back(std::move(result));
}

std::vector<PtxVariable> PtxParser::parameters() {
  std::vector<PtxVariable> all;
  lexer_.take();
  if (lexer_.take_if(')')) return all;
  do {
    const char* begin = lexer_.token().text.data();
    PtxVariable parameter = declaration_head();
    declarator(parameter);
    parameter.declaration = lexer_.since(begin);
    all.push_back(std::move(parameter));
  } while (lexer_.take_if(','));
  expect(')');
  return all;
}

void PtxParser::declaration(std::vector<PtxVariable>& variables, const char* begin, std::string_view linkage) {
  const std::size_t first = variables.size();
  PtxVariable head = declaration_head();
  head.linkage = linkage;
  do {
    variables.push_back(head);
    declarator(variables.back());
  } while (lexer_.take_if(','));
  expect(';');
  for (std::size_t i = first; i < variables.size(); ++i) variables[i].declaration = lexer_.since(begin);
}

// Parses a declaration such as `.param .u64 .ptr .global .align 8`, up to the name of the variable.
PtxVariable PtxParser::declaration_head() {
  PtxVariable result;
  const PtxToken space = lexer_.token();
  const SpaceName* known = space.kind == PtxToken::Kind::dotted ? find_space(space.text.substr(1)) : nullptr;
  if (known == nullptr) return unexpected("a state space such as .param"), result;
  lexer_.take();
  result.space = known->space;
  bool of_pointer = false;
  while (lexer_.token().kind == PtxToken::Kind::dotted) declaration_word(result, of_pointer);
  return result;
}

// Parses one word of a declaration. After .ptr, a space and an alignment describe the memory to which the parameter
// points.
void PtxParser::declaration_word(PtxVariable& variable, bool& of_pointer) {
  const std::string_view name = lexer_.take().text.substr(1);
  if (name == "align") {
    const auto bytes = static_cast<unsigned>(unsigned_integer());
    if (!of_pointer) variable.alignment = bytes;
  } else if (name == "ptr") {
    of_pointer = true;
  } else if (name == "attribute") {
    if (!lexer_.token().is('(')) return unexpected("`(`");
    variable.managed |= group().find(".managed") != std::string_view::npos;
  } else if (const unsigned length = vector_length(name); length > 0) {
    variable.vector = length;
  } else if (!of_pointer) {
    variable.type = name;
  }
}

void PtxParser::declarator(PtxVariable& variable) {
  const char* begin = lexer_.token().text.data();
  variable.name = word("a name");
  if (lexer_.take_if('<')) {
    variable.count = static_cast<std::uint32_t>(unsigned_integer());
    expect('>');
  }
  while (lexer_.token().is('[')) dimension(variable);
  if (lexer_.take_if('=')) variable.initializer = initializer();
  variable.text = lexer_.since(begin);
}

void PtxParser::dimension(PtxVariable& variable) {
  lexer_.take();
  variable.dimensions.push_back(lexer_.token().is(']') ? 0 : unsigned_integer());
  expect(']');
}

std::string_view PtxParser::initializer() {
  const char* begin = lexer_.token().text.data();
  if (lexer_.token().is('{')) return group();
  while (!lexer_.token().is(',') && !lexer_.token().is(';') && lexer_.token().kind != PtxToken::Kind::end) {
    if (lexer_.token().is('('))
      group();
    else
      lexer_.take();
  }
  return lexer_.since(begin);
}

}  // namespace wattune::slice
