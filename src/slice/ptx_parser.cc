#include "slice/ptx_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace wattune::inline v0_1::slice {

namespace {

bool is_linkage(std::string_view name) {
  return name == "extern" || name == "visible" || name == "weak" || name == "common";
}

bool is_space_of_module(std::string_view name) {
  return name == "global" || name == "const" || name == "shared" || name == "local" || name == "tex" ||
         name == "param" || name == "reg";
}

// Refuses machine code. Fails with invalid_argument if the text is an ELF file (cubin), or a fat binary, which begins
// with its magic number.
Result<void> refuse_machine_code(std::string_view text, const std::string& file) {
  if (!text.starts_with("\x7f"
                        "ELF") &&
      !text.starts_with("\x50\xed\x55\xba"))
    return {};
  return Error(ErrorCode::invalid_argument, "this is machine code (SASS) without PTX")
      .at({file})
      .hint("compile with `nvcc -ptx`, or extract the text with `cuobjdump -ptx`");
}

constexpr auto kSpecialRegisters = std::to_array<std::string_view>({"%tid",
                                                                    "%ntid",
                                                                    "%laneid",
                                                                    "%warpid",
                                                                    "%nwarpid",
                                                                    "%ctaid",
                                                                    "%nctaid",
                                                                    "%smid",
                                                                    "%nsmid",
                                                                    "%gridid",
                                                                    "%is_explicit_cluster",
                                                                    "%clusterid",
                                                                    "%nclusterid",
                                                                    "%cluster_ctaid",
                                                                    "%cluster_nctaid",
                                                                    "%cluster_ctarank",
                                                                    "%cluster_nctarank",
                                                                    "%lanemask_eq",
                                                                    "%lanemask_le",
                                                                    "%lanemask_lt",
                                                                    "%lanemask_ge",
                                                                    "%lanemask_gt",
                                                                    "%clock",
                                                                    "%clock_hi",
                                                                    "%globaltimer",
                                                                    "%globaltimer_lo",
                                                                    "%globaltimer_hi",
                                                                    "%reserved_smem_offset_begin",
                                                                    "%reserved_smem_offset_end",
                                                                    "%reserved_smem_offset_cap",
                                                                    "%total_smem_size",
                                                                    "%aggr_smem_size",
                                                                    "%dynamic_smem_size",
                                                                    "%current_graph_exec",
                                                                    "WARP_SZ"});
// Special registers whose names end in a number. "%clock64" is listed because its name ends in digits too.
constexpr auto kNumberedRegisters =
    std::to_array<std::string_view>({"%pm", "%envreg", "%reserved_smem_offset_", "%clock64"});

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

std::vector<std::uint32_t> line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts = {0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    starts.push_back(static_cast<std::uint32_t>(at + 1));
  return starts;
}

}  // namespace

void PtxParser::read_module(PtxTree& tree) {
  if (!lexer_.token().is_dotted("version"))
    return unexpected("`.version`, with which every PTX text begins,", "`nvcc -ptx FILE.cu` makes PTX of CUDA C++");
  while (lexer_.token().kind != PtxToken::Kind::end) module_statement(tree);
}

void PtxParser::module_statement(PtxTree& tree) {
  const char* begin = lexer_.token().text.data();
  std::string_view linkage;
  while (lexer_.token().kind == PtxToken::Kind::dotted && is_linkage(lexer_.token().text.substr(1)))
    linkage = lexer_.take().text.substr(1);
  const PtxToken token = lexer_.token();
  if (token.is(';')) return void(lexer_.take());
  if (token.kind != PtxToken::Kind::dotted) return unexpected("a directive");
  const std::string_view name = token.text.substr(1);
  if (name == "entry" || name == "func") return tree.functions.push_back(function(begin, linkage));
  if (is_space_of_module(name)) return declaration(tree.variables, begin, linkage);
  if (name == "version") return version(tree);
  if (name == "target") return target(tree);
  if (name == "address_size") return lexer_.take(), void(tree.address_size = static_cast<unsigned>(unsigned_integer()));
  if (!information(name)) unexpected("a directive of a module");
}

// True if the next token begins a statement of the module instead of a directive of a function. If a function precedes
// that token without a body, its declaration has ended.
bool PtxParser::at_module_statement() const {
  if (lexer_.token().kind == PtxToken::Kind::end) return true;
  if (lexer_.token().kind != PtxToken::Kind::dotted) return false;
  const std::string_view name = lexer_.token().text.substr(1);
  return is_linkage(name) || is_space_of_module(name) || name == "entry" || name == "func" || name == "file" ||
         name == "section" || name == "alias" || name == "target";
}

// Skips a statement that does not affect execution. Returns whether there was such a statement.
bool PtxParser::information(std::string_view name) {
  if (name == "loc") return location(), true;
  if (name == "file") return source_file(), true;
  if (name == "section") return section(), true;
  if (name == "pragma") return quoted_words(), true;
  if (name == "alias") return alias(), true;
  return false;
}

void PtxParser::version(PtxTree& tree) {
  lexer_.take();
  const PtxToken number = lexer_.token();
  const char* end = number.end();
  const auto major = std::from_chars(number.text.data(), end, tree.version_major);
  const bool whole =
      number.kind == PtxToken::Kind::real && major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
  if (!whole || std::from_chars(major.ptr + 1, end, tree.version_minor).ptr != end)
    return unexpected("a version such as 8.0");
  lexer_.take();
}

void PtxParser::target(PtxTree& tree) {
  lexer_.take();
  do tree.target.push_back(word("an architecture"));
  while (lexer_.take_if(','));
}

// Parses `.alias name, function;`.
void PtxParser::alias() {
  lexer_.take();
  word("a name");
  expect(',');
  word("a function");
  expect(';');
}

// Skips a section of debug information, up to its closing brace. The bytes of the section stay in the text.
void PtxParser::section() {
  lexer_.take();
  if (lexer_.token().kind != PtxToken::Kind::dotted) return unexpected("a section's name");
  lexer_.take();
  if (lexer_.token().is('{')) group();
}

// Parses `.loc 1 8 3[, function_name label[+4], inlined_at 1 4 5]`.
void PtxParser::location() {
  lexer_.take();
  for (int i = 0; i < 3; ++i) unsigned_integer();
  while (lexer_.take_if(',')) {
    const bool inlined = word("`function_name` or `inlined_at`") == "inlined_at";
    for (int i = 0; inlined && i < 3; ++i) unsigned_integer();
    if (!inlined) operand();
  }
}

// Parses `.file 1 "name"[, timestamp, bytes]`.
void PtxParser::source_file() {
  lexer_.take();
  unsigned_integer();
  if (lexer_.token().kind != PtxToken::Kind::string) return unexpected("the name of a file");
  lexer_.take();
  while (lexer_.take_if(',')) unsigned_integer();
}

// Parses `.pragma "nounroll", "more";`.
void PtxParser::quoted_words() {
  do lexer_.take();
  while (lexer_.token().kind == PtxToken::Kind::string || lexer_.token().is(','));
  expect(';');
}

bool PtxParser::expect(char symbol) {
  if (lexer_.take_if(symbol)) return true;
  unexpected(fmt::format("`{}`", symbol));
  return false;
}

std::string_view PtxParser::word(std::string_view what) {
  if (lexer_.token().kind == PtxToken::Kind::word) return lexer_.take().text;
  unexpected(what);
  return {};
}

void PtxParser::unexpected(std::string_view wanted, std::string hint) {
  const PtxToken token = lexer_.token();
  lexer_.fail(token.text, fmt::format("{} must be here, not {}", wanted, quoted(token)), std::move(hint));
}

bool PtxInstruction::has(std::string_view modifier) const {
  return std::ranges::find(modifiers, modifier) != modifiers.end();
}

const PtxDirective* PtxFunction::directive(std::string_view directive_name) const {
  const auto found = std::ranges::find(directives, directive_name, &PtxDirective::name);
  return found == directives.end() ? nullptr : &*found;
}

std::size_t PtxTree::offset(std::string_view part) const {
  return static_cast<std::size_t>(part.data() - text->data());
}

SourcePosition PtxTree::position(std::string_view part) const {
  const std::size_t at = offset(part);
  const auto line = std::ranges::upper_bound(lines, at) - lines.begin();
  return {file, static_cast<int>(line), static_cast<int>(at - lines[static_cast<std::size_t>(line) - 1]) + 1};
}

const PtxFunction* PtxTree::find(std::string_view function_name) const {
  const PtxFunction* declared = nullptr;
  for (const PtxFunction& function : functions) {
    if (function.name != function_name) continue;
    if (!function.body.empty()) return &function;
    if (declared == nullptr) declared = &function;
  }
  return declared;
}

Result<PtxTree> parse_ptx(std::string text, std::string file) {
  WATTUNE_TRY(refuse_machine_code(text, file));
  if (text.size() > std::numeric_limits<std::uint32_t>::max() / 4)
    return Error(ErrorCode::parse_error, "a PTX text of more than a gibibyte").at({file});
  PtxTree tree;
  tree.text = std::make_shared<const std::string>(std::move(text));
  tree.file = std::move(file);
  tree.lines = line_starts(*tree.text);
  PtxParser parser(*tree.text);
  parser.read_module(tree);
  if (const std::optional<PtxMistake>& mistake = parser.mistake())
    return Error(ErrorCode::parse_error, mistake->message).at(tree.position(mistake->where)).hint(mistake->hint);
  return tree;
}

Result<std::vector<PtxOperand>> initial_values(const PtxTree& tree, const PtxVariable& variable) {
  if (variable.initializer.empty()) return std::vector<PtxOperand>();
  PtxParser parser(variable.initializer);
  std::vector<PtxOperand> values = parser.read_values();
  if (const std::optional<PtxMistake>& mistake = parser.mistake())
    return Error(ErrorCode::parse_error, mistake->message).at(tree.position(mistake->where)).hint(mistake->hint);
  return values;
}

bool is_special_register(std::string_view name) {
  const std::string_view base = name.substr(0, name.find('.'));
  if (base.empty() || (base[0] != '%' && base[0] != 'W')) return false;
  if (!is_decimal_digit(base.back())) return std::ranges::find(kSpecialRegisters, base) != kSpecialRegisters.end();
  return std::ranges::any_of(kNumberedRegisters, [&](std::string_view prefix) {
    return base.starts_with(prefix) && std::ranges::all_of(base.substr(prefix.size()), is_decimal_digit);
  });
}

}  // namespace wattune::slice
