// Kernels whose threads return early, for the tests of the analysis and for those that run twins.
#pragma once

#include <string>
#include <vector>

namespace wattune::inline v0_1::slice {

// A kernel that returns early if its code sets %p1. Before it, %r1 is `rows` and %r2 `n`, two arguments; %r3 is
// %ctaid.x, %r4 %ntid.x, %r5 %tid.x, and %r6 the thread's index along x. Threads that stay shuffle.
struct EarlyReturn {
  const char* name;
  const char* decides;
  // The shape of blocks that its persistent twin can run, or "refused".
  const char* blocks;
  // Code in place of the return and the shuffle; nullptr for these. It puts its result into %r20.
  const char* rest = nullptr;
};

inline const std::vector<EarlyReturn> kEarlyReturns = {
    // The same in a block.
    {"an argument", "setp.eq.u32 %p1, %r1, 0;", "any"},
    {"the block's index", "setp.ge.u32 %p1, %r3, %r1;", "any"},
    {"a constant", "ld.const.u32 %r10, [limits]; setp.eq.u32 %p1, %r10, 9;", "any"},
    // The same in a row of threads.
    {"a warp's number", "shr.u32 %r10, %r5, 5; setp.ge.u32 %p1, %r10, 2;", "one_row"},
    {"a bit field from the fifth bit on", "bfe.u32 %r10, %r5, 5, 3; setp.ne.u32 %p1, %r10, 0;", "one_row"},
    {"an index below two warps", "setp.ge.u32 %p1, %r5, 64;", "one_row"},
    {"an index up to the last lane of a warp", "setp.gt.s32 %p1, %r5, 31;", "one_row"},
    {"another axis", "mov.u32 %r10, %tid.y; setp.ge.u32 %p1, %r10, 1;", "one_row"},
    {"both other axes",
     "mov.u32 %r10, %tid.y; mov.u32 %r11, %tid.z; add.u32 %r12, %r10, %r11; setp.gt.u32 %p1, %r12, 1;", "one_row"},
    {"an index of 16 bits", "cvt.u16.u32 %h1, %r5; shr.u16 %h2, %h1, 5; setp.ge.u16 %p1, %h2, 2;", "one_row"},
    {"a register that is used again", "shr.u32 %r10, %r5, 5; setp.ge.u32 %p1, %r10, 2; ld.global.u32 %r10, [%rd1];",
     "one_row"},
    {"an index of blocks of 256",
     "shl.b32 %r10, %r3, 8; or.b32 %r11, %r10, %r5; shr.u32 %r12, %r11, 5; setp.ge.u32 %p1, %r12, %r1;", "one_row"},
    {"a warp's number or an argument, by block",
     "setp.gt.u32 %p2, %r3, 0; shr.u32 %r10, %r5, 5; selp.b32 %r11, %r10, %r1, %p2; setp.ge.u32 %p1, %r11, %r1;",
     "one_row"},
    {"one warp of many, by a constant of the machine",
     "mov.u32 %r10, WARP_SZ; setp.lt.u32 %p1, %r5, %r10; shl.b32 %r11, %r10, 1; setp.ge.or.u32 %p1, %r3, 99, %p1;",
     "one_row"},
    // The same in a warp of rows that have only whole warps.
    {"a row for each warp", "shr.u32 %r10, %r6, 5; setp.ge.u32 %p1, %r10, %r1;", "whole_warps"},
    {"a row for each warp, by division", "div.u32 %r10, %r6, 32; setp.ge.u32 %p1, %r10, %r1;", "whole_warps"},
    {"a row for each warp, by a warp's size",
     "mov.u32 %r10, WARP_SZ; div.u32 %r11, %r6, %r10; setp.ge.u32 %p1, %r11, %r1;", "whole_warps"},
    {"the first index of a warp", "and.b32 %r10, %r6, -32; setp.gt.u32 %p1, %r10, %r2;", "whole_warps"},
    {"an index below so many warps", "shl.b32 %r10, %r1, 5; setp.ge.s32 %p1, %r6, %r10;", "whole_warps"},
    {"so many warps up to an index", "mul.lo.u32 %r10, %r1, 64; setp.le.u32 %p1, %r10, %r6;", "whole_warps"},
    {"the place in a pair of warps", "rem.u32 %r10, %r6, 64; setp.ge.u32 %p1, %r10, 32;", "whole_warps"},
    {"an index of 64 bits",
     "cvt.u64.u32 %rd4, %r5; mul.wide.u32 %rd5, %r3, %r4; add.s64 %rd6, %rd5, %rd4; shr.u64 %rd7, %rd6, 5;\n"
     "cvt.u32.u64 %r10, %rd7; setp.ge.u32 %p1, %r10, %r1;",
     "whole_warps"},
    {"an index along x and y",
     "mov.u32 %r10, %tid.y; mad.lo.u32 %r11, %r10, %r4, %r5; shr.u32 %r12, %r11, 5; setp.ge.u32 %p1, %r12, %r1;",
     "whole_warps"},
    {"an index a warp back", "sub.s32 %r10, %r6, %r4; shr.s32 %r11, %r10, 5; setp.lt.s32 %p1, %r11, 0;", "whole_warps"},
    // Warps that return from the midst of loops.
    {"a loop of warps over rows", "", "whole_warps",
     "mov.u32 %r20, 0; shr.u32 %r10, %r6, 5; mov.u32 %r11, %nctaid.x; mul.lo.u32 %r12, %r11, %r4; shr.u32 %r13, %r12, "
     "5;\n"
     "$row: setp.ge.u32 %p1, %r10, %r2; @%p1 bra $done;\n"
     "and.b32 %r14, %r5, 31; mov.u32 %r15, %r14;\n"
     "$item: add.u32 %r20, %r20, %r15; add.u32 %r15, %r15, 32; setp.lt.u32 %p2, %r15, 70; @%p2 bra $item;\n"
     "shfl.sync.idx.b32 %r16|%p3, %r20, 0, 31, -1; add.u32 %r20, %r20, %r16;\n"
     "setp.ne.u32 %p4, %r14, 0; @%p4 bra $next; add.u32 %r20, %r20, 7;\n"
     "$next: add.u32 %r10, %r10, %r13; bra $row; $done:"},
    {"a loop over blocks of indices", "", "whole_warps",
     "mov.u32 %r20, 0; mov.u32 %r11, %nctaid.x; mul.lo.u32 %r12, %r11, %r4; shl.b32 %r13, %r2, 5; mov.u32 %r10, %r6;\n"
     "$i: setp.ge.u32 %p1, %r10, %r13; @%p1 bra $done;\n"
     "shfl.sync.idx.b32 %r16|%p3, %r10, 0, 31, -1; add.u32 %r20, %r20, %r16; add.u32 %r10, %r10, %r12; bra $i; $done:"},
    {"warps that miss barriers", "shr.u32 %r10, %r6, 5; setp.ge.u32 %p1, %r10, %r1;", "whole_warps",
     "@%p1 bra $end; bar.sync 0; shfl.sync.idx.b32 %r20|%p3, %r6, 0, 31, -1; bar.sync 1; add.u32 %r20, %r20, 3;"},
    {"lanes that know who is left", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "any",
     "@%p1 bra $end; activemask.b32 %r11; shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot names and that stay", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "any",
     "vote.sync.ballot.b32 %r11, !%p1, -1; @%p1 bra $end; shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot names by the contrary", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "any",
     "setp.le.u32 %p2, %r10, 7; vote.sync.ballot.b32 %r11, %p2, -1; @%p1 bra $end;\n"
     "shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot names in each round", "and.b32 %r10, %r5, 31;", "any",
     "mov.u32 %r20, 0; mov.u32 %r12, 0; $l: setp.lt.u32 %p1, %r12, %r10; vote.sync.ballot.b32 %r11, %p1, -1;\n"
     "@!%p1 bra $m; shfl.sync.bfly.b32 %r13|%p3, %r6, 0, 31, %r11; add.u32 %r20, %r20, %r13;\n"
     "$m: add.u32 %r12, %r12, 7; setp.lt.u32 %p4, %r12, 32; @%p4 bra $l;"},

    // Returns that part a warp, or may.
    {"a lane", "mov.u32 %r10, %laneid; setp.gt.u32 %p1, %r10, 7;", "refused"},
    {"a lane by its index", "and.b32 %r10, %r5, 31; setp.ge.u32 %p1, %r10, 16;", "refused"},
    {"an index below an argument", "setp.ge.u32 %p1, %r6, %r2;", "refused"},
    {"an index up to a whole warp", "setp.gt.u32 %p1, %r5, 32;", "refused"},
    {"an index below half a warp", "setp.ge.u32 %p1, %r5, 48;", "refused"},
    {"an index that is one of many", "setp.eq.u32 %p1, %r5, 64;", "refused"},
    {"an index below the depth of a block", "mov.u32 %r10, %ntid.z; setp.ge.u32 %p1, %r5, %r10;", "refused"},
    {"data of each thread",
     "mul.wide.u32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4; ld.global.nc.u32 %r10, [%rd5]; setp.eq.u32 %p1, %r10, 9;",
     "refused"},
    {"data that others write", "ld.global.u32 %r10, [%rd1]; setp.eq.u32 %p1, %r10, 9;", "refused"},
    {"an index moved back by one", "add.s32 %r10, %r6, -1; shr.s32 %r11, %r10, 5; setp.ge.s32 %p1, %r11, %r1;",
     "refused"},
    {"a row or a lane",
     "shr.u32 %r10, %r6, 5; setp.ge.u32 %p2, %r10, %r1; and.b32 %r11, %r5, 31; setp.eq.u32 %p3, %r11, 31;\n"
     "or.pred %p1, %p2, %p3;",
     "refused"},
    {"an index times the block's width",
     "mad.lo.u32 %r10, %r5, %r4, %r3; shr.u32 %r11, %r10, 5; setp.ge.u32 %p1, %r11, %r2;", "refused"},
    {"an index of blocks of 48", "mad.lo.u32 %r10, %r3, 48, %r5; shr.u32 %r11, %r10, 5; setp.ge.u32 %p1, %r11, %r1;",
     "refused"},
    {"an index and another", "add.u32 %r10, %r6, %r5; shr.u32 %r11, %r10, 5; setp.ge.u32 %p1, %r11, %r1;", "refused"},
    {"an index turned round", "sub.u32 %r10, 1024, %r5; shr.u32 %r11, %r10, 5; setp.ge.u32 %p1, %r11, 31;", "refused"},
    {"half a warp's number", "shr.u32 %r10, %r6, 4; setp.ge.u32 %p1, %r10, %r1;", "refused"},
    {"a quotient that is no warp's", "div.u32 %r10, %r6, 48; setp.ge.u32 %p1, %r10, %r1;", "refused"},
    {"a quotient by what may be nothing", "shl.b32 %r10, %r3, 5; div.u32 %r11, %r6, %r10; setp.ge.u32 %p1, %r11, %r1;",
     "refused"},
    {"a quotient with a sign", "div.s32 %r10, %r6, 32; setp.ge.s32 %p1, %r10, %r1;", "refused"},
    {"a quotient with a sign, as compiled",
     "shr.s32 %r10, %r6, 31; shr.u32 %r11, %r10, 27; add.s32 %r12, %r6, %r11; shr.s32 %r13, %r12, 5;\n"
     "setp.ge.s32 %p1, %r13, %r1;",
     "refused"},
    {"a choice by lane",
     "and.b32 %r10, %r5, 31; setp.lt.u32 %p2, %r10, 4; selp.b32 %r11, 0, %r1, %p2; setp.eq.u32 %p1, %r11, 0;",
     "refused"},
    {"a move by lane",
     "and.b32 %r10, %r5, 31; setp.lt.u32 %p2, %r10, 4; mov.u32 %r11, 0; @%p2 mov.u32 %r11, 1; setp.eq.u32 %p1, %r11, "
     "1;",
     "refused"},
    {"a move behind a branch by lane",
     "and.b32 %r10, %r5, 31; setp.lt.u32 %p2, %r10, 4; mov.u32 %r11, 0; @%p2 bra $s; mov.u32 %r11, 1;\n"
     "$s: setp.eq.u32 %p1, %r11, 1;",
     "refused"},
    {"a count of a lane's rounds",
     "and.b32 %r10, %r5, 31; mov.u32 %r11, 0; $l: add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, %r10; @%p2 bra $l;\n"
     "setp.gt.u32 %p1, %r11, 3;",
     "refused"},
    {"a lane through shared memory",
     "mov.u32 %r10, tile; and.b32 %r11, %r5, 31; shl.b32 %r12, %r11, 2; add.u32 %r13, %r10, %r12;\n"
     "st.shared.u32 [%r13], %r11; ld.shared.u32 %r14, [%r13]; setp.gt.u32 %p1, %r14, 3;",
     "refused"},
    {"a lane through a shuffle", "shfl.sync.down.b32 %r10|%p3, %r5, 1, 31, -1; setp.gt.u32 %p1, %r10, 40;", "refused"},
    {"a carry", "add.cc.u32 %r10, %r5, -8; addc.u32 %r11, 0, 0; setp.ne.u32 %p1, %r11, 0;", "refused"},
    {"a sum that stops at its limit",
     "shl.b32 %r10, %r3, 26; add.sat.s32 %r11, %r10, %r5; shr.s32 %r12, %r11, 5; setp.eq.s32 %p1, %r12, 1;", "refused"},
    {"a conversion that stops at its limit", "cvt.sat.u8.u32 %h1, %r6; shr.u16 %h2, %h1, 5; setp.ge.u16 %p1, %h2, 2;",
     "refused"},
    {"an index as a fraction", "cvt.rn.f32.u32 %f1, %r5; setp.ge.f32 %p1, %f1, 0f42000000;", "refused"},
    {"two halves of a number", "mov.b64 %rd4, {%r5, %r6}; mov.b64 {%r10, %r11}, %rd4; setp.ge.u32 %p1, %r11, 40;",
     "refused"},
    {"the upper half of a product", "mul.hi.u32 %r10, %r6, 0x40000000; setp.ge.u32 %p1, %r10, 3;", "refused"},
    {"bits that change places", "shf.l.wrap.b32 %r10, %r5, %r5, 27; setp.ge.u32 %p1, %r10, 64;", "refused"},
    {"a component of a vector", ".reg .v2 .b32 %v; mov.v2.u32 %v, {%r3, %r5}; setp.ge.u32 %p1, %v.y, 40;", "refused"},
    {"a sum that nothing began", "add.u32 %r30, %r30, %r5; setp.ge.u32 %p1, %r30, 40;", "refused"},
    {"lanes that were there before", "activemask.b32 %r11; and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "refused",
     "@%p1 bra $end; shfl.sync.idx.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that are there, or all", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "refused",
     "@%p1 bra $end; activemask.b32 %r11; @%p2 mov.u32 %r11, -1; shfl.sync.idx.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that were there in the last round", "and.b32 %r10, %r5, 31;", "refused",
     "mov.u32 %r12, 0; $l: activemask.b32 %r11; setp.ge.u32 %p1, %r12, %r10; @%p1 bra $end;\n"
     "shfl.sync.idx.b32 %r20|%p3, %r6, 31, 31, %r11; add.u32 %r12, %r12, 1; bra $l;"},
    {"lanes that a ballot names and that return", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "refused",
     "vote.sync.ballot.b32 %r11, %p1, -1; @%p1 bra $end; shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot names by another number", "and.b32 %r10, %r5, 31; setp.le.u32 %p2, %r10, 7;", "refused",
     "vote.sync.ballot.b32 %r11, %p2, -1; add.u32 %r10, %r10, 1; setp.gt.u32 %p1, %r10, 7; @%p1 bra $end;\n"
     "shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot names by an older predicate", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "refused",
     "vote.sync.ballot.b32 %r11, !%p1, -1; setp.gt.u32 %p1, %r10, 3; @%p1 bra $end;\n"
     "shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot names by fractions", "and.b32 %r10, %r5, 31; cvt.rn.f32.u32 %f1, %r10;", "refused",
     "setp.le.f32 %p2, %f1, 0f40E00000; setp.gt.f32 %p1, %f1, 0f40E00000; vote.sync.ballot.b32 %r11, %p2, -1;\n"
     "@%p1 bra $end; shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot names, before a second return", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "refused",
     "vote.sync.ballot.b32 %r11, !%p1, -1; @%p1 bra $end; setp.gt.u32 %p4, %r10, 3; @%p4 bra $end;\n"
     "shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"lanes that a ballot named in another block of code", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;",
     "refused",
     "vote.sync.ballot.b32 %r11, !%p1, -1; $next: @%p1 bra $end; shfl.sync.bfly.b32 %r20|%p3, %r6, 0, 31, %r11;"},
    {"a shuffle with a predicate", "and.b32 %r10, %r5, 31; setp.lt.u32 %p1, %r10, 8;", "refused",
     "mov.u32 %r20, 0; @%p1 shfl.sync.idx.b32 %r20|%p3, %r6, 0, 31, -1;"},
    {"a barrier with a predicate", "and.b32 %r10, %r5, 31; setp.lt.u32 %p1, %r10, 8;", "refused",
     "mov.u32 %r20, 0; @%p1 bar.sync 0;"},
    {"a shuffle in a function", "and.b32 %r10, %r5, 31; setp.gt.u32 %p1, %r10, 7;", "refused",
     "@%p1 bra $end; call (%r20), shuffled, (%r6);"},
    {"a return from a function", "", "refused", "call (%r20), shuffled_by_few, (%r6);"},
};

// Returns a text with the kernel `k`, each of whose threads adds to a word of its own.
inline std::string text_of(const EarlyReturn& kernel) {
  const std::string rest =
      kernel.rest == nullptr ? "@%p1 bra $end; shfl.sync.idx.b32 %r20|%p3, %r6, 0, 31, -1;" : kernel.rest;
  return R"(.version 8.0
.target sm_90
.address_size 64
.const .align 4 .u32 limits = 3;
.func (.reg .b32 r) shuffled(.reg .b32 a)
{
  .reg .pred %p;
  shfl.sync.idx.b32 r|%p, a, 0, 31, -1;
  ret;
}
.func (.reg .b32 r) shuffled_by_few(.reg .b32 a)
{
  .reg .pred %p, %q;
  .reg .b32 %l;
  mov.u32 r, 0;
  and.b32 %l, a, 31;
  setp.gt.u32 %p, %l, 7;
  @%p ret;
  shfl.sync.idx.b32 r|%q, a, 0, 31, -1;
  ret;
}
.visible .entry k(.param .u64 sums, .param .u32 rows, .param .u32 n)
{
  .reg .pred %p<8>;
  .reg .b16 %h<4>;
  .reg .b32 %r<32>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<12>;
  .shared .align 4 .b8 tile[128];
  ld.param.u64 %rd1, [sums];
  ld.param.u32 %r1, [rows];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.u32 %r6, %r3, %r4, %r5;
  )" + std::string(kernel.decides) +
         "\n  " + rest + R"(
  mov.u32 %r21, %ntid.z;
  mov.u32 %r22, %tid.z;
  mad.lo.u32 %r23, %r3, %r21, %r22;
  mov.u32 %r21, %ntid.y;
  mov.u32 %r22, %tid.y;
  mad.lo.u32 %r23, %r23, %r21, %r22;
  mad.lo.u32 %r23, %r23, %r4, %r5;
  mul.wide.u32 %rd10, %r23, 4;
  add.s64 %rd11, %rd1, %rd10;
  add.u32 %r20, %r20, 1;
  red.global.add.u32 [%rd11], %r20;
$end:
  ret;
}
)";
}

}  // namespace wattune::slice
