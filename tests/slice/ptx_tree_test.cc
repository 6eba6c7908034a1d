#include "slice/interface/ptx_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "slice/ptx_samples.h"

namespace wattune::inline v0_1::slice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

PtxTree tree_of(const std::string& text) { return parse_ptx(text, "k.ptx").value(); }

std::string mistake_in(const std::string& text) { return parse_ptx(text, "k.ptx").error().to_string(); }

// Returns the first operands of the only instruction.
std::vector<PtxOperand> operands_of(const std::string& instruction) {
  return tree_of(entry_with(instruction)).functions.at(0).instructions.at(0).operands;
}

// Returns the values of numbers. They outlive the tree, because numbers do not need its text.
std::vector<std::uint64_t> bits_of(const std::string& numbers) {
  std::vector<std::uint64_t> bits;
  for (const PtxOperand& operand : operands_of("op " + numbers + ";")) bits.push_back(operand.bits);
  return bits;
}

TEST(PtxTree, KnowsVersionTargetAndAddressSize) {
  const PtxTree tree = tree_of(kModule);
  EXPECT_EQ(tree.version_major, 8u);
  EXPECT_EQ(tree.version_minor, 7u);
  EXPECT_THAT(tree.target, ElementsAre("sm_90a", "debug"));
  EXPECT_EQ(tree.address_size, 64u);
}

TEST(PtxTree, HasVariablesOfTheModule) {
  const PtxTree tree = tree_of(kModule);
  ASSERT_THAT(tree.variables, SizeIs(5));
  EXPECT_EQ(tree.variables[0].name, "counter");
  EXPECT_EQ(tree.variables[0].alignment, 4u);
  EXPECT_EQ(tree.variables[1].linkage, "visible");
  EXPECT_EQ(tree.variables[1].space, PtxSpace::constant);
  EXPECT_THAT(tree.variables[2].dimensions, ElementsAre(2, 2));
  EXPECT_THAT(tree.variables[3].dimensions, ElementsAre(0));
  EXPECT_EQ(tree.variables[3].linkage, "extern");
  EXPECT_EQ(tree.variables[3].declaration, ".extern .shared .align 16 .b8 tile[];");
  EXPECT_TRUE(tree.variables[4].managed);
}

TEST(PtxTree, ReadsInitialValuesWhenAsked) {
  const PtxTree tree = tree_of(kModule);
  EXPECT_THAT(initial_values(tree, tree.variables[0]).value(), IsEmpty());
  const auto table = initial_values(tree, tree.variables[1]).value();
  ASSERT_THAT(table, SizeIs(1));
  ASSERT_THAT(table[0].elements, SizeIs(2));
  EXPECT_TRUE(table[0].elements[0].generic);
  EXPECT_EQ(table[0].elements[0].name, "counter");
  EXPECT_EQ(table[0].elements[0].offset, 4);
  const auto weights = initial_values(tree, tree.variables[2]).value();
  EXPECT_EQ(weights[0].elements[0].elements[0].kind, PtxOperandKind::float32);
  EXPECT_EQ(std::bit_cast<double>(weights[0].elements[1].elements[0].bits), -2.0);
}

TEST(PtxTree, HasFunctionsWithParametersAndDirectives) {
  const PtxTree tree = tree_of(kModule);
  ASSERT_THAT(tree.functions, SizeIs(3));
  EXPECT_EQ(tree.functions[0].name, "vprintf");
  EXPECT_EQ(tree.functions[0].body, "");
  EXPECT_THAT(tree.functions[0].results, SizeIs(1));
  EXPECT_THAT(tree.functions[1].parameters, SizeIs(1));
  const PtxFunction& entry = *tree.find("k");
  EXPECT_TRUE(entry.entry);
  EXPECT_EQ(entry.linkage, "visible");
  ASSERT_THAT(entry.parameters, SizeIs(2));
  EXPECT_EQ(entry.parameters[0].type, "u64");
  EXPECT_EQ(entry.parameters[0].alignment, 0u) << "16 is the alignment of what it points to";
  EXPECT_EQ(entry.parameters[1].alignment, 8u);
  EXPECT_THAT(entry.parameters[1].dimensions, ElementsAre(24));
  EXPECT_THAT(entry.directive("maxntid")->values, ElementsAre("256", "1", "1"));
  EXPECT_EQ(entry.directive("maxntid")->text, ".maxntid 256, 1, 1");
  EXPECT_EQ(entry.directive("maxnreg"), nullptr);
}

// The assembler ptxas accepts such declarations.
TEST(PtxTree, HasDeclarationsWithoutASemicolon) {
  const PtxTree tree =
      parse_ptx(kHead + ".visible .func (.param .b32 r) f(.param .b32 a)\n.func g .noreturn\n" +
                    ".extern .func h()\n.shared .b32 s;\n.entry k() { call g; ret; }\n.func g { ret; }",
                "k.ptx")
          .value();
  ASSERT_EQ(tree.functions.size(), 5u);
  EXPECT_EQ(tree.functions[0].text, ".visible .func (.param .b32 r) f(.param .b32 a)");
  EXPECT_NE(tree.functions[1].directive("noreturn"), nullptr);
  EXPECT_EQ(tree.functions[2].linkage, "extern");
  EXPECT_TRUE(tree.functions[3].entry);
  EXPECT_FALSE(parse_ptx(kHead + ".func f() ret;", "k.ptx"));
  EXPECT_TRUE(parse_ptx(kHead + ".entry k() { ret; }\n.extern .func f(.param .b32 a)\n", "k.ptx"));
  EXPECT_FALSE(parse_ptx(kHead + ".entry k()\n", "k.ptx"));
}

TEST(PtxTree, KeepsScopesOfNames) {
  const PtxTree tree = tree_of(kModule);
  const PtxFunction& entry = *tree.find("k");
  ASSERT_THAT(entry.scopes, SizeIs(2));
  ASSERT_THAT(entry.variables, SizeIs(6));
  EXPECT_EQ(entry.variables[3].name, "scratch");
  EXPECT_EQ(entry.variables[3].space, PtxSpace::shared);
  EXPECT_EQ(entry.variables[4].name, "param0");
  EXPECT_EQ(entry.variables[4].scope, 1u);
  EXPECT_EQ(entry.variables[0].count, 3u);
  EXPECT_TRUE(entry.scopes[1].text.starts_with("{ // callseq"));
  EXPECT_TRUE(entry.scopes[1].text.ends_with("}"));
}

TEST(PtxTree, HasInstructionsWithGuardAndModifiers) {
  const PtxTree tree = tree_of(kModule);
  const PtxFunction& entry = *tree.find("k");
  ASSERT_THAT(entry.instructions, SizeIs(11));
  const PtxInstruction& branch = entry.instructions[3];
  EXPECT_EQ(branch.text, "@!%p1 bra \t$L__done;");
  EXPECT_EQ(branch.guard, "%p1");
  EXPECT_TRUE(branch.guard_negated);
  EXPECT_EQ(branch.operands[0].name, "$L__done");
  const PtxInstruction& copy = entry.instructions[8];
  EXPECT_THAT(copy.modifiers, ElementsAre("async", "bulk", "tensor", "2d", "shared::cluster", "global",
                                          "mbarrier::complete_tx::bytes"));
  EXPECT_EQ(copy.operands[1].name, "%rd2");
  ASSERT_THAT(copy.operands[1].elements, SizeIs(1));
  EXPECT_EQ(copy.operands[1].elements[0].kind, PtxOperandKind::vector);
  EXPECT_EQ(tree.position(copy.text), (SourcePosition{"k.ptx", 53, 2}));
}

TEST(PtxTree, HasListsOfCallsAndPairsOfDestinations) {
  const PtxTree tree = tree_of(kModule);
  const PtxFunction& entry = *tree.find("k");
  const PtxInstruction& comparison = entry.instructions[2];
  EXPECT_EQ(comparison.operands[0].kind, PtxOperandKind::pair);
  EXPECT_EQ(comparison.operands[0].elements[1].name, "%p2");
  EXPECT_EQ(comparison.operands[2].bits, 16u);
  EXPECT_TRUE(comparison.operands[3].logical_not);
  const PtxInstruction& call = entry.instructions[5];
  ASSERT_THAT(call.operands, SizeIs(3));
  EXPECT_EQ(call.operands[0].kind, PtxOperandKind::list);
  EXPECT_EQ(call.operands[1].name, "twice");
  EXPECT_EQ(call.operands[2].elements[0].name, "param0");
}

TEST(PtxTree, KnowsWhereLabelsPointAndWhatTablesHold) {
  const PtxTree tree = tree_of(kModule);
  const PtxFunction& entry = *tree.find("k");
  ASSERT_THAT(entry.labels, SizeIs(2));
  EXPECT_EQ(entry.labels[0].name, "$L__loop");
  EXPECT_EQ(entry.instructions[entry.labels[0].instruction].opcode, "brx");
  EXPECT_EQ(entry.instructions[entry.labels[1].instruction].opcode, "ret");
  ASSERT_THAT(entry.tables, SizeIs(1));
  EXPECT_EQ(entry.tables[0].directive, "branchtargets");
  EXPECT_THAT(entry.tables[0].targets, ElementsAre("$L__done", "$L__loop"));
}

TEST(PtxOperand, HasNumbersOfAllForms) {
  EXPECT_THAT(bits_of("12, 0x1F, 0b101, 017, 7U, -1, ~0"), ElementsAre(12, 31, 5, 15, 7, ~0ull, ~0ull));
  EXPECT_THAT(bits_of("0f3F800000, 0d3FF0000000000000, 1.0, 1e2, -0.5, 2.5e-1"),
              ElementsAre(0x3F800000u, 0x3FF0000000000000u, std::bit_cast<std::uint64_t>(1.0),
                          std::bit_cast<std::uint64_t>(100.0), std::bit_cast<std::uint64_t>(-0.5),
                          std::bit_cast<std::uint64_t>(0.25)));
}

TEST(PtxOperand, HasAddressesOfAllForms) {
  const PtxTree tree =
      tree_of(entry_with("op [%rd1], [%rd1+8], [%rd1+-8], [%rd1-8], [4096], [k_param_0+4], table+8, a[2];"));
  const std::vector<PtxOperand>& operands = tree.functions[0].instructions[0].operands;
  ASSERT_THAT(operands, SizeIs(8));
  EXPECT_EQ(operands[0].name, "%rd1");
  EXPECT_EQ(operands[1].offset, 8);
  EXPECT_EQ(operands[2].offset, -8);
  EXPECT_EQ(operands[3].offset, -8);
  EXPECT_EQ(operands[4].name, "");
  EXPECT_EQ(operands[4].offset, 4096);
  EXPECT_EQ(operands[5].name, "k_param_0");
  EXPECT_EQ(operands[6].kind, PtxOperandKind::name);
  EXPECT_EQ(operands[6].offset, 8);
  EXPECT_EQ(operands[7].elements[0].bits, 2u);
}

TEST(PtxOperand, HasTheWholeNameOfAComponent) {
  const PtxTree tree = tree_of(entry_with("vadd.s32.s32.s32 %r1, -%r2.h1, %tid.x; mov.u32 %r1, WARP_SZ;"));
  const std::vector<PtxOperand>& operands = tree.functions[0].instructions[0].operands;
  EXPECT_EQ(operands[1].name, "%r2.h1");
  EXPECT_TRUE(operands[1].minus);
  EXPECT_EQ(operands[2].name, "%tid.x");
  EXPECT_TRUE(is_special_register(operands[2].name));
  EXPECT_TRUE(is_special_register("WARP_SZ"));
  EXPECT_TRUE(is_special_register("%envreg2"));
  EXPECT_FALSE(is_special_register("%r1"));
  EXPECT_FALSE(is_special_register("%pmax"));
}

TEST(PtxTree, TakesSpaceAnywhereBetweenTokens) {
  const PtxTree tree = tree_of(kHead + ".entry\tk ( ) { .reg.b32%r<2>;mov .u32\n%r1,5;@ ! %p1\tret;}");
  const PtxFunction& entry = tree.functions[0];
  ASSERT_THAT(entry.instructions, SizeIs(2));
  EXPECT_THAT(entry.instructions[0].modifiers, ElementsAre("u32"));
  EXPECT_EQ(entry.instructions[1].guard, "%p1");
}

TEST(PtxTree, PassesOverLinesOfThePreprocessor) {
  EXPECT_THAT(tree_of("# 1 \"k.ptx\"\n" + kHead + "@@DWARF .byte 0x02\n.global .u32 x;").variables, SizeIs(1));
}

TEST(PtxTree, SharesItsTextWithItsCopies) {
  auto tree = std::make_unique<PtxTree>(tree_of(kModule));
  const PtxTree copy = *tree;
  tree.reset();
  EXPECT_EQ(copy.functions[1].name, "twice");
}

TEST(PtxMistake, IsOneLineWithItsPlace) {
  EXPECT_EQ(mistake_in(entry_with("add.u32 %r1, %r2 %r3;\n")), "k.ptx:11:18: `;` must be here, not `%r3`");
  EXPECT_EQ(mistake_in(entry_with("bra $x; }")), "k.ptx:11:10: a directive must be here, not `}`");
}

TEST(PtxMistake, NamesWhatIsNeverClosed) {
  EXPECT_THAT(mistake_in(kHead + ".entry k() {\n ret;\n"), HasSubstr("k.ptx:4:12: the body of `k` is never closed"));
  EXPECT_THAT(mistake_in(kHead + "/* x"), HasSubstr("this comment has no end"));
  EXPECT_THAT(mistake_in(kHead + ".pragma \"x\n;"), HasSubstr("this string has no end"));
  EXPECT_THAT(mistake_in(kHead + ".section .debug_str {"), HasSubstr("`{` is never closed"));
}

TEST(PtxMistake, NamesNumbersThatAreNone) {
  EXPECT_THAT(mistake_in(entry_with("op 0x1FFFFFFFFFFFFFFFF;")), HasSubstr("no number of 64 bits"));
  EXPECT_THAT(mistake_in(entry_with("op 0f3F80;")), HasSubstr("8 digits belong here"));
  EXPECT_THAT(mistake_in(entry_with("op 12ab;")), HasSubstr("`12ab` is no number"));
  EXPECT_THAT(mistake_in(entry_with("op [%rd1+1.5];")), HasSubstr("an offset is a whole number"));
}

TEST(PtxMistake, StopsAtOperandsThatNestTooDeep) {
  EXPECT_THAT(mistake_in(entry_with("op " + std::string(100000, '{'))), HasSubstr("too deep"));
  EXPECT_THAT(mistake_in(entry_with("op " + std::string(100000, '['))), HasSubstr("must be here"));
}

TEST(PtxMistake, SaysThatMachineCodeHasNoPtx) {
  EXPECT_THAT(mistake_in(std::string("\x7f") + "ELF\2\1\1"), HasSubstr("machine code (SASS) without PTX"));
  EXPECT_THAT(mistake_in("__global__ void k() {}"), HasSubstr("`.version`, with which every PTX text begins, must be"));
  EXPECT_THAT(mistake_in(""), HasSubstr("not the end of the text"));
}

}  // namespace
}  // namespace wattune::slice
