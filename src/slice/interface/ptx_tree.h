// The syntax tree of a PTX text: its declarations, its functions, their instructions and operands.
//
// Rewriting PTX changes few places and keeps all other bytes, so the tree holds only the parts that are needed for
// that. Each node has a view of its text. The parser neither resolves names nor checks opcodes. A value; any thread may
// read it. Its views live as long as any copy of the tree.
//
//   WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(text, "gemm.ptx"));
//   for (const slice::PtxFunction& function : tree.functions) look_at(function.instructions, function.labels);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::slice {

enum class PtxOperandKind : std::uint8_t {
  name,     // a register, special register, variable, parameter, function, label, or `_`; also `variable+8`
  integer,  // `bits` holds 64 bits, in two's complement
  float32,  // `bits` holds the bits of 0f3F800000
  float64,  // `bits` holds the bits of 0d3FF0000000000000 or of a decimal number, which the type may shorten
  address,  // [name+offset], [offset]; for textures and tensors also [name, {coordinates}]
  vector,   // {a, b}
  list,     // (a, b) in calls
  pair,     // a|b: two destinations
};

struct PtxOperand {
  PtxOperandKind kind = PtxOperandKind::name;
  bool logical_not = false;               // !%p
  bool minus = false;                     // -%r; false for numbers, whose value already has its sign
  bool generic = false;                   // generic(name), in initial values
  std::string_view name = {};             // name with the part after its point, "%tid.x"; empty if it has none
  std::uint64_t bits = 0;                 // the value of a number
  std::int64_t offset = 0;                // offset in bytes, after a name or in an address
  std::vector<PtxOperand> elements = {};  // operands in brackets, after an address's first comma, or 2 in `array[2]`
  std::string_view text = {};
};

struct PtxInstruction {
  std::string_view text = {};               // text from the guard to the semicolon
  std::string_view opcode = {};             // "ld" of ld.global.v4.f32
  std::vector<std::string_view> modifiers;  // "global", "v4", "f32"; "shared::cta" is one modifier
  std::vector<PtxOperand> operands;         // operands, the destination first
  std::string_view guard = {};              // the predicate register after @; empty if the instruction has no guard
  bool guard_negated = false;
  std::uint32_t scope = 0;

  bool has(std::string_view modifier) const;
};

// A pair of braces in a function's body. A name declared inside hides the same name outside. Scope 0 is the whole body.
struct PtxScope {
  std::string_view text;
  std::uint32_t parent = 0;
};

struct PtxLabel {
  std::string_view name;
  std::uint32_t instruction = 0;  // index of the next instruction; at the end of the body, the number of instructions
  std::uint32_t scope = 0;
};

enum class PtxSpace : std::uint8_t { reg, param, local, shared, global, constant, texture };

struct PtxVariable {
  std::string_view name;
  PtxSpace space = PtxSpace::reg;
  std::string_view linkage = {};  // "extern", "visible", "weak", "common" or empty
  std::string_view type = {};     // "b32", "pred", "texref"
  unsigned vector = 1;            // 2, 4, 8 of .v2, .v4, .v8
  unsigned alignment = 0;         // alignment in bytes; 0 if not stated
  bool managed = false;
  std::uint32_t count = 0;                     // 10 in `%r<10>`, which declares %r0 to %r9; 0 for a single name
  std::vector<std::uint64_t> dimensions = {};  // dimensions of an array; 0 for []
  std::string_view initializer = {};           // text after `=`; read by initial_values()
  std::uint32_t scope = 0;
  std::string_view text = {};         // the name and all that follows it
  std::string_view declaration = {};  // the whole statement, which may declare several variables
};

// A table of targets or a prototype for calls:
//   `name: .branchtargets a, b;`, `name: .calltargets f, g;`, `name: .callprototype (results) _ (parameters);`
struct PtxTable {
  std::string_view name;
  std::string_view directive;  // the directive's name without the point
  std::vector<std::string_view> targets;
  std::vector<PtxVariable> results;
  std::vector<PtxVariable> parameters;
  std::uint32_t scope = 0;
  std::string_view text;
};

// A directive such as `.maxntid 256, 1, 1`.
struct PtxDirective {
  std::string_view name;  // the name without the point
  std::vector<std::string_view> values;
  std::string_view text;
};

struct PtxFunction {
  std::string_view name;
  bool entry = false;
  std::string_view linkage = {};  // linkage, as that of a PtxVariable
  std::vector<PtxVariable> results = {};
  std::vector<PtxVariable> parameters = {};
  std::string_view parameter_list = {};  // parameters with their parentheses; empty if the function has none
  std::vector<PtxDirective> directives = {};
  std::string_view body = {};  // body with its braces; empty for a declaration
  std::vector<PtxScope> scopes = {};
  std::vector<PtxVariable> variables = {};
  std::vector<PtxInstruction> instructions = {};
  std::vector<PtxLabel> labels = {};  // labels by position
  std::vector<PtxTable> tables = {};
  std::string_view text = {};  // text from the linkage to the closing brace or semicolon

  const PtxDirective* directive(std::string_view directive_name) const;
};

struct PtxTree {
  std::shared_ptr<const std::string> text;
  std::string file;
  std::vector<std::uint32_t> lines;  // offset of the first byte of each line
  unsigned version_major = 0;
  unsigned version_minor = 0;
  std::vector<std::string_view> target;  // "sm_90a", "debug"
  unsigned address_size = 32;            // in bits
  std::vector<PtxVariable> variables;
  std::vector<PtxFunction> functions;  // definitions and declarations, by position

  std::size_t offset(std::string_view part) const;  // offset of a view into the text
  SourcePosition position(std::string_view part) const;
  // Returns the definition of a function, or its first declaration if it has no definition. Returns nullptr if there is
  // neither.
  const PtxFunction* find(std::string_view function_name) const;
};

// Parses a PTX text. `file` is its name in error messages. Fails with parse_error, naming the line, if the text is not
// PTX. Fails with invalid_argument if it is machine code.
Result<PtxTree> parse_ptx(std::string text, std::string file);

// Returns the initial values of a module's variable, nested as written in the text. Returns an empty vector if it has
// no initialiser.
Result<std::vector<PtxOperand>> initial_values(const PtxTree& tree, const PtxVariable& variable);

// True if PTX itself defines the name, such as "%tid.x", "%clock64" or "WARP_SZ".
bool is_special_register(std::string_view name);

}  // namespace wattune::slice
