#include "simulate/ptx/families.h"

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::simulate::ptx {

namespace {

struct FamilyRow {
  std::string_view opcode;
  Family family;
};

// The functions of the families, sorted by opcode.
constexpr std::array kFamilies = {
    FamilyRow{"abs", decode_abs},
    FamilyRow{"activemask", decode_activemask},
    FamilyRow{"add", decode_add},
    FamilyRow{"addc", decode_add_carry},
    FamilyRow{"and", decode_and},
    FamilyRow{"applypriority", decode_prefetch},
    FamilyRow{"atom", decode_atom},
    FamilyRow{"bar", decode_bar},
    FamilyRow{"barrier", decode_bar},
    FamilyRow{"bfe", decode_bfe},
    FamilyRow{"bfi", decode_bfi},
    FamilyRow{"bfind", decode_bfind},
    FamilyRow{"bmsk", decode_bmsk},
    FamilyRow{"bra", decode_bra},
    FamilyRow{"brev", decode_brev},
    FamilyRow{"brkpt", decode_trap},
    FamilyRow{"brx", decode_brx},
    FamilyRow{"call", decode_call},
    FamilyRow{"clz", decode_clz},
    FamilyRow{"cnot", decode_cnot},
    FamilyRow{"copysign", decode_copysign},
    FamilyRow{"cos", decode_cos},
    FamilyRow{"cp", decode_cp},
    FamilyRow{"cvt", decode_cvt},
    FamilyRow{"cvta", decode_cvta},
    FamilyRow{"discard", decode_prefetch},
    FamilyRow{"div", decode_div},
    FamilyRow{"dp2a", decode_dp2a},
    FamilyRow{"dp4a", decode_dp4a},
    FamilyRow{"elect", decode_elect},
    FamilyRow{"ex2", decode_ex2},
    FamilyRow{"exit", decode_exit},
    FamilyRow{"fence", decode_nothing},
    FamilyRow{"fma", decode_fma},
    FamilyRow{"fns", decode_fns},
    FamilyRow{"isspacep", decode_isspacep},
    FamilyRow{"ld", decode_ld},
    FamilyRow{"ldu", decode_ld},
    FamilyRow{"lg2", decode_lg2},
    FamilyRow{"lop3", decode_lop3},
    FamilyRow{"mad", decode_mad},
    FamilyRow{"mad24", decode_mad24},
    FamilyRow{"madc", decode_mad_carry},
    FamilyRow{"match", decode_match},
    FamilyRow{"max", decode_max},
    FamilyRow{"membar", decode_nothing},
    FamilyRow{"min", decode_min},
    FamilyRow{"mov", decode_mov},
    FamilyRow{"mul", decode_mul},
    FamilyRow{"mul24", decode_mul24},
    FamilyRow{"nanosleep", decode_nothing},
    FamilyRow{"neg", decode_neg},
    FamilyRow{"not", decode_not},
    FamilyRow{"or", decode_or},
    FamilyRow{"pmevent", decode_nothing},
    FamilyRow{"popc", decode_popc},
    FamilyRow{"prefetch", decode_prefetch},
    FamilyRow{"prefetchu", decode_prefetch},
    FamilyRow{"prmt", decode_prmt},
    FamilyRow{"rcp", decode_rcp},
    FamilyRow{"red", decode_red},
    FamilyRow{"redux", decode_redux},
    FamilyRow{"rem", decode_rem},
    FamilyRow{"ret", decode_ret},
    FamilyRow{"rsqrt", decode_rsqrt},
    FamilyRow{"sad", decode_sad},
    FamilyRow{"selp", decode_selp},
    FamilyRow{"set", decode_set},
    FamilyRow{"setp", decode_setp},
    FamilyRow{"shf", decode_shf},
    FamilyRow{"shfl", decode_shfl},
    FamilyRow{"shl", decode_shl},
    FamilyRow{"shr", decode_shr},
    FamilyRow{"sin", decode_sin},
    FamilyRow{"slct", decode_slct},
    FamilyRow{"sqrt", decode_sqrt},
    FamilyRow{"st", decode_st},
    FamilyRow{"sub", decode_sub},
    FamilyRow{"subc", decode_sub_carry},
    FamilyRow{"szext", decode_szext},
    FamilyRow{"tanh", decode_tanh},
    FamilyRow{"testp", decode_testp},
    FamilyRow{"trap", decode_trap},
    FamilyRow{"vabsdiff4", decode_vabsdiff4},
    FamilyRow{"vote", decode_vote},
    FamilyRow{"xor", decode_xor},
};
static_assert(std::ranges::is_sorted(kFamilies, {}, &FamilyRow::opcode));

}  // namespace

Family family_of(std::string_view opcode) {
  const auto found = std::ranges::lower_bound(kFamilies, opcode, {}, &FamilyRow::opcode);
  return found != kFamilies.end() && found->opcode == opcode ? found->family : nullptr;
}

}  // namespace wattune::simulate::ptx
