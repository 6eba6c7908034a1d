#include <gtest/gtest.h>

#include "slice/interface/twins.h"
#include "slice/ptx_samples.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::slice {
namespace {

// Damages a text in one to four places: a byte is overwritten, or some are removed or doubled.
std::string damaged(std::string text, Random& random) {
  const std::string kBytes = "{}()[];,.%@!\"/*0xf\n\\<>:|-";
  for (std::uint64_t i = 0, times = 1 + random.below(4); i < times; ++i) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = 1 + random.below(40);
    switch (random.below(3)) {
      case 0: text[at] = kBytes[random.below(kBytes.size())]; break;
      case 1: text.erase(at, length); break;
      default: text.insert(at, text.substr(at, length)); break;
    }
  }
  return text;
}

// Expects that all views lie in the text, however damaged it is.
void expect_inside(const PtxTree& tree) {
  const std::string& text = *tree.text;
  for (const PtxFunction& function : tree.functions) {
    for (const PtxInstruction& instruction : function.instructions) {
      ASSERT_LE(tree.offset(instruction.text) + instruction.text.size(), text.size());
      ASSERT_LT(instruction.scope, function.scopes.size());
    }
    for (const PtxLabel& label : function.labels) ASSERT_LE(label.instruction, function.instructions.size());
  }
}

TEST(DamagedPtx, IsReadOrRefusedAtAPlaceInTheText) {
  Random random(16);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = damaged(kModule, random);
    const Result<PtxTree> tree = parse_ptx(text, "k.ptx");
    if (tree) {
      expect_inside(*tree);
      continue;
    }
    ++refused;
    ASSERT_GE(tree.error().position().line, 1) << text;
    ASSERT_GE(tree.error().position().column, 1) << text;
    ASSERT_EQ(tree.error().to_string().find('\n'), std::string::npos) << text;
  }
  EXPECT_GT(refused, 1000);
}

TEST(DamagedPtx, IsRefusedWhereverItIsCutInsideAFunction) {
  const std::size_t begin = kModule.find("{\n\t.reg .pred");
  const std::size_t end = kModule.find("\tret;\n}\n\t.section");
  for (std::size_t cut = begin; cut < end; ++cut)
    ASSERT_FALSE(parse_ptx(kModule.substr(0, cut), "k.ptx")) << kModule.substr(0, cut);
}

// Operands that the analysis reads may be missing. It must not read beyond the end.
TEST(DamagedPtx, MayHaveInstructionsWithoutOperands) {
  for (const char* opcode : {"call", "activemask.b32", "match.any.sync.b32", "vote.sync.ballot.b32", "bar.sync", "bra",
                             "brx.idx", "bar.red.popc.u32", "atom.global.cas.b32", "ld.volatile.global.u32",
                             "shfl.sync.down.b32", "mov.u16", "setp.lt.u32", "mbarrier.init", "ld.param.u32"}) {
    const auto tree = parse_ptx(entry_with(std::string("$a: @%p1 bra $a; @%p1 ret;\n") + opcode + "; ret;"), "k.ptx");
    ASSERT_TRUE(tree) << opcode;
    EXPECT_EQ(analyse(*tree).size(), 1u);
    EXPECT_TRUE(add_twins(*tree, {TwinForm::add, TwinForm::persistent})) << opcode;
  }
}

}  // namespace
}  // namespace wattune::slice
