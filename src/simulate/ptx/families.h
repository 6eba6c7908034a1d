// Families of opcodes: functions that decode the instructions of an opcode. Each takes the instruction's modifiers and
// operands from the decoder and returns the handler, or nullptr if there is none for these modifiers.
#pragma once

#include <string_view>

#include "simulate/ptx/decoder.h"

namespace wattune::inline v0_1::simulate::ptx {

using Family = Handler (*)(Decoder&);

// Returns the family of an opcode; nullptr if the interpreter does not know it.
Family family_of(std::string_view opcode);

// Decodes an instruction for integers (integers.cc), or for floating-point numbers if its type is one of theirs
// (floats.cc). The next functions do the same for other opcodes.

Handler decode_add(Decoder& decoder);
Handler decode_sub(Decoder& decoder);
Handler decode_mul(Decoder& decoder);
Handler decode_mad(Decoder& decoder);
Handler decode_mul24(Decoder& decoder);
Handler decode_mad24(Decoder& decoder);
Handler decode_div(Decoder& decoder);
Handler decode_rem(Decoder& decoder);
Handler decode_abs(Decoder& decoder);
Handler decode_neg(Decoder& decoder);
Handler decode_min(Decoder& decoder);
Handler decode_max(Decoder& decoder);
Handler decode_sad(Decoder& decoder);
Handler decode_vabsdiff4(Decoder& decoder);
Handler decode_dp4a(Decoder& decoder);
Handler decode_dp2a(Decoder& decoder);

// In carries.cc:

Handler decode_add_carry(Decoder& decoder);
Handler decode_sub_carry(Decoder& decoder);
Handler decode_mad_carry(Decoder& decoder);

// In floats.cc:

Handler decode_float_add(Decoder& decoder, Type type);
Handler decode_float_sub(Decoder& decoder, Type type);
Handler decode_float_mul(Decoder& decoder, Type type);
Handler decode_float_div(Decoder& decoder, Type type);
Handler decode_float_abs(Decoder& decoder, Type type);
Handler decode_float_neg(Decoder& decoder, Type type);
Handler decode_float_min(Decoder& decoder, Type type);
Handler decode_float_max(Decoder& decoder, Type type);
Handler decode_fma(Decoder& decoder);
Handler decode_float_fma(Decoder& decoder, Type type);
Handler decode_copysign(Decoder& decoder);
Handler decode_testp(Decoder& decoder);

// In special_functions.cc:

Handler decode_rcp(Decoder& decoder);
Handler decode_sqrt(Decoder& decoder);
Handler decode_rsqrt(Decoder& decoder);
Handler decode_sin(Decoder& decoder);
Handler decode_cos(Decoder& decoder);
Handler decode_lg2(Decoder& decoder);
Handler decode_ex2(Decoder& decoder);
Handler decode_tanh(Decoder& decoder);

// In bits.cc:

Handler decode_and(Decoder& decoder);
Handler decode_or(Decoder& decoder);
Handler decode_xor(Decoder& decoder);
Handler decode_not(Decoder& decoder);
Handler decode_cnot(Decoder& decoder);
Handler decode_lop3(Decoder& decoder);
Handler decode_shl(Decoder& decoder);
Handler decode_shr(Decoder& decoder);
Handler decode_shf(Decoder& decoder);
Handler decode_popc(Decoder& decoder);
Handler decode_clz(Decoder& decoder);
Handler decode_brev(Decoder& decoder);
Handler decode_bfe(Decoder& decoder);
Handler decode_bfi(Decoder& decoder);
Handler decode_bfind(Decoder& decoder);
Handler decode_bmsk(Decoder& decoder);
Handler decode_fns(Decoder& decoder);
Handler decode_prmt(Decoder& decoder);
Handler decode_szext(Decoder& decoder);

// In comparisons.cc:

Handler decode_setp(Decoder& decoder);
Handler decode_set(Decoder& decoder);
Handler decode_selp(Decoder& decoder);
Handler decode_slct(Decoder& decoder);

// In conversions.cc:

Handler decode_cvt(Decoder& decoder);

// In moves.cc:

Handler decode_mov(Decoder& decoder);
Handler decode_cvta(Decoder& decoder);
Handler decode_isspacep(Decoder& decoder);
Handler decode_nothing(Decoder& decoder);

// In accesses.cc:

Handler decode_ld(Decoder& decoder);
Handler decode_st(Decoder& decoder);
Handler decode_prefetch(Decoder& decoder);
Handler decode_cp(Decoder& decoder);

// In atomics.cc:

Handler decode_atom(Decoder& decoder);
Handler decode_red(Decoder& decoder);

// In exchanges.cc:

Handler decode_shfl(Decoder& decoder);
Handler decode_vote(Decoder& decoder);
Handler decode_match(Decoder& decoder);
Handler decode_redux(Decoder& decoder);
Handler decode_activemask(Decoder& decoder);
Handler decode_elect(Decoder& decoder);

// In barriers.cc:

Handler decode_bar(Decoder& decoder);

// In jumps.cc:

Handler decode_bra(Decoder& decoder);
Handler decode_brx(Decoder& decoder);
Handler decode_call(Decoder& decoder);
Handler decode_ret(Decoder& decoder);
Handler decode_exit(Decoder& decoder);
Handler decode_trap(Decoder& decoder);

// Returns the handler of `ret`, an operation that is also appended to every function.
Handler leave_handler();

}  // namespace wattune::simulate::ptx
