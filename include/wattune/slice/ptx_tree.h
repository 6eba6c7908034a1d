// The tree of a PTX text: what it declares, its functions, their instructions and operands.
//
// Light, because whoever rewrites PTX changes a few places and leaves all other bytes alone: each node knows the text
// it was read from, and no name is looked up nor an opcode known. A value that shares the text; any thread may read it.
// Views point into the text, which lives as long as any copy of the tree.
//
//   WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(text, "gemm.ptx"));
//   for (const slice::PtxFunction& function : tree.functions)
//     for (const slice::PtxInstruction& instruction : function.instructions) look_at(instruction.opcode);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::slice {

enum class PtxOperandKind : std::uint8_t {
  name,     // of a register, special register, variable, parameter, function, label, or `_`; perhaps `variable+8`
  integer,  // bits; of 64, two's complement
  float32,  // 0f3F800000; bits
  float64,  // 0d3FF0000000000000 and decimal ones, which the instruction's type may make smaller; bits
  address,  // [name+offset], [offset]; of textures and tensors also [name, {coordinates}]
  vector,   // {a, b}
  list,     // (a, b), of calls
  pair,     // a|b, two destinations
};

struct PtxOperand {
  PtxOperandKind kind = PtxOperandKind::name;
  bool logical_not = false;               // !%p
  bool minus = false;                     // -%r, which only names have: numbers are negative themselves
  bool generic = false;                   // generic(name), of initial values
  std::string_view name = {};             // with what follows its point: "%tid.x"; empty where the kind has none
  std::uint64_t bits = 0;                 // a number's
  std::int64_t offset = 0;                // behind a name or in an address, bytes
  std::vector<PtxOperand> elements = {};  // of vector, list and pair; of an address what follows its first comma; of a
                                          // name its index (`array[2]`)
  std::string_view text = {};
};

struct PtxInstruction {
  std::string_view text;                    // guard to semicolon
  std::string_view opcode;                  // "ld" of ld.global.v4.f32
  std::vector<std::string_view> modifiers;  // "global", "v4", "f32"; "shared::cta" is one
  std::vector<PtxOperand> operands;         // destination first
  std::string_view guard = {};              // the predicate register behind @; empty: none
  bool guard_negated = false;
  std::uint32_t scope = 0;

  bool has(std::string_view modifier) const;
};

// A pair of braces in a function's body; names inside hide equal ones outside. Scope 0 is the body itself.
struct PtxScope {
  std::string_view text;
  std::uint32_t parent = 0;
};

struct PtxLabel {
  std::string_view name;
  std::uint32_t instruction = 0;  // index of the one that follows; the number of instructions at the end
  std::uint32_t scope = 0;
};

enum class PtxSpace : std::uint8_t { reg, param, local, shared, global, constant, texture };

struct PtxVariable {
  std::string_view name;
  PtxSpace space = PtxSpace::reg;
  std::string_view linkage = {};  // "extern", "visible", "weak", "common" or empty
  std::string_view type = {};     // "b32", "pred", "texref"
  unsigned vector = 1;            // 2, 4, 8 of .v2, .v4, .v8
  unsigned alignment = 0;         // bytes, where stated
  bool managed = false;
  std::uint32_t count = 0;                     // of `%r<10>`, which declares %r0 to %r9; 0: the name alone
  std::vector<std::uint64_t> dimensions = {};  // of an array; 0 for []
  std::string_view initializer = {};           // what follows `=`; initial_values() reads it
  std::uint32_t scope = 0;
  std::string_view text = {};         // the name and what follows it
  std::string_view declaration = {};  // the whole statement, perhaps of several variables
};

// `name: .branchtargets a, b;`, `name: .calltargets f, g;`, `name: .callprototype (results) _ (parameters);`
struct PtxTable {
  std::string_view name;
  std::string_view directive;  // without its point
  std::vector<std::string_view> targets;
  std::vector<PtxVariable> results;
  std::vector<PtxVariable> parameters;
  std::uint32_t scope = 0;
  std::string_view text;
};

// `.maxntid 256, 1, 1`
struct PtxDirective {
  std::string_view name;  // without its point
  std::vector<std::string_view> values;
  std::string_view text;
};

struct PtxFunction {
  std::string_view name;
  bool entry = false;
  std::string_view linkage = {};  // as a variable's
  std::vector<PtxVariable> results = {};
  std::vector<PtxVariable> parameters = {};
  std::string_view parameter_list = {};  // with its parentheses; empty without
  std::vector<PtxDirective> directives = {};
  std::string_view body = {};  // with its braces; empty of a declaration
  std::vector<PtxScope> scopes = {};
  std::vector<PtxVariable> variables = {};
  std::vector<PtxInstruction> instructions = {};
  std::vector<PtxLabel> labels = {};  // by position
  std::vector<PtxTable> tables = {};
  std::string_view text = {};  // linkage to closing brace or semicolon

  const PtxDirective* directive(std::string_view directive_name) const;
};

struct PtxTree {
  std::shared_ptr<const std::string> text;
  std::string file;
  std::vector<std::uint32_t> lines;  // where each begins
  unsigned version_major = 0;
  unsigned version_minor = 0;
  std::vector<std::string_view> target;  // "sm_90a", "debug"
  unsigned address_size = 32;            // bits
  std::vector<PtxVariable> variables;
  std::vector<PtxFunction> functions;  // definitions and declarations, by position

  // Of any view into the text.
  std::size_t offset(std::string_view part) const;
  SourcePosition position(std::string_view part) const;
  // The definition, else the first declaration; nullptr: none.
  const PtxFunction* find(std::string_view function_name) const;
};

// parse_error with line and column; invalid_argument: machine code instead of a text. `file` is what errors name.
Result<PtxTree> parse_ptx(std::string text, std::string file);

// What a module's variable holds at first: nested vectors as written. Empty without an initialiser.
Result<std::vector<PtxOperand>> initial_values(const PtxTree& tree, const PtxVariable& variable);

// Whether PTX defines this name as a special register ("%tid.x", "%clock64", "WARP_SZ").
bool is_special_register(std::string_view name);

}  // namespace wattune::slice
