// PTX texts for several tests.
#pragma once

#include <string>

namespace wattune::inline v0_1::slice {

inline const std::string kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

// Returns an entry `k` with one pointer and this body, behind the declarations that most bodies need.
inline std::string entry_with(const std::string& body) {
  return kHead + ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .pred %p<4>;\n\t.reg .b32 %r<16>;\n" +
         "\t.reg .b64 %rd<8>;\n" + body + "}\n";
}

// A bit of everything that a module can hold.
inline const std::string kModule = R"(// made by hand
.version 8.7
.target sm_90a, debug
.address_size 64
	.file	1 "k.cu", 1700000000, 12
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.global .align 4 .u32 counter;
.visible .const .align 8 .b64 table[2] = {generic(counter)+4, 0};
.const .align 4 .f32 weights[2][2] = {{0f3F800000, 1.5}, {-2.0, 0}}; /* two
lines */ .extern .shared .align 16 .b8 tile[];
.global .attribute(.managed) .u32 shared_with_host;
.func (.param .b32 r) twice(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [x];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [r+0], %r2;
	ret;
}
.visible .entry k(
	.param .u64 .ptr .global .align 16 k_param_0,
	.param .align 8 .b8 k_param_1[24]
)
.maxntid 256, 1, 1
.minnctapersm 2
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<4>;
	.shared .align 4 .b8 scratch[1024];
	.loc	1 3 5, function_name $L__info_string0, inlined_at 1 9 1
	ld.param.u64 	%rd1, [k_param_0];
	mov.u32 	%r1, %ctaid.x;
	setp.ge.and.u32	%p1|%p2, %r1, 0x10, !%p0;
	@!%p1 bra 	$L__done;
	{ // callseq 0, 0
	.param .b32 param0;
	st.param.b32 	[param0+0], %r1;
	.param .b32 retval0;
	call.uni (retval0),
	twice,
	(
	param0
	);
	ld.param.b32 	%r2, [retval0+0];
	}
	ld.global.v4.u32 	{%r3, %r4, %r5, _}, [%rd1+-16];
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd2, {%r4, %r5}], [%r6];
ts: .branchtargets $L__done, $L__loop;
$L__loop:
	.pragma "nounroll";
	brx.idx %r1, ts;
$L__done:
	ret;
}
	.section .debug_str
	{
$L__info_string0:
.b8 116
.b8 0
	}
)";

}  // namespace wattune::slice
