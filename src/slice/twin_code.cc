#include "slice/twin_code.h"

#include <fmt/format.h>

#include <cstddef>

#include "slice/interface/slice_words.h"

namespace wattune::inline v0_1::slice {

namespace {

std::size_t axis_offset(Coordinate coordinate, Coordinate first) {
  return sizeof(std::uint32_t) * (static_cast<std::size_t>(coordinate) - static_cast<std::size_t>(first));
}

std::string load_word(const std::string& to, std::size_t offset) {
  return fmt::format("ld.param.u32 {}, [{}+{}];\n\t", to, words_name(), offset);
}

bool is_block(Coordinate coordinate) { return coordinate < Coordinate::grid_x; }

std::string load_grid(Coordinate coordinate, std::size_t grid_offset) {
  return load_word(register_of(coordinate), grid_offset + axis_offset(coordinate, Coordinate::grid_x));
}

std::string load_added(Coordinate coordinate) {
  if (!is_block(coordinate)) return load_grid(coordinate, offsetof(AddWords, grid));
  const std::size_t offset = offsetof(AddWords, origin) + axis_offset(coordinate, Coordinate::block_x);
  return load_word("%wattune_origin", offset) +
         fmt::format("mov.u32 {0}, %ctaid.{1};\n\tadd.u32 {0}, {0}, %wattune_origin;\n\t", register_of(coordinate),
                     "xyz"[static_cast<std::size_t>(coordinate)]);
}

// Returns PTX for quotient = dividend / divisor. `offset` is the offset of the divisor's Divider in the words.
std::string divide(const std::string& quotient, const std::string& dividend, std::size_t offset) {
  static constexpr char kCode[] = R"(	ld.param.v2.u32 {{%wattune_multiplier, %wattune_shift}}, [{words}+{offset}];
	mul.wide.u32 %wattune_product, {dividend}, %wattune_multiplier;
	shr.u64 %wattune_product, %wattune_product, %wattune_shift;
	cvt.u32.u64 {quotient}, %wattune_product;
)";
  return fmt::format(kCode, fmt::arg("words", words_name()), fmt::arg("offset", offset), fmt::arg("dividend", dividend),
                     fmt::arg("quotient", quotient));
}

// Returns PTX for remainder = dividend - quotient * size. `offset` is the offset of the grid's size in the words.
std::string remainder(const std::string& result, const std::string& dividend, const std::string& quotient,
                      std::size_t offset) {
  static constexpr char kCode[] = R"(	ld.param.u32 %wattune_divisor, [{words}+{offset}];
	mul.lo.u32 %wattune_divisor, %wattune_divisor, {quotient};
	sub.u32 {result}, {dividend}, %wattune_divisor;
)";
  return fmt::format(kCode, fmt::arg("words", words_name()), fmt::arg("offset", offset), fmt::arg("dividend", dividend),
                     fmt::arg("quotient", quotient), fmt::arg("result", result));
}

struct DividedAt {
  std::size_t grid;
  std::size_t by_x;
  std::size_t by_y;
};

// PTX loads each Divider as one vector, whose address must be a multiple of its size.
static_assert(offsetof(LinearWords, by_x) % sizeof(Divider) == 0 && offsetof(LinearWords, by_y) % sizeof(Divider) == 0);
static_assert(offsetof(PersistentWords, by_x) % sizeof(Divider) == 0);
static_assert(offsetof(PersistentWords, by_y) % sizeof(Divider) == 0);

constexpr DividedAt kOfLinear = {offsetof(LinearWords, grid), offsetof(LinearWords, by_x), offsetof(LinearWords, by_y)};
constexpr DividedAt kOfPersistent = {offsetof(PersistentWords, grid), offsetof(PersistentWords, by_x),
                                     offsetof(PersistentWords, by_y)};

// Returns PTX that computes, from the block's number in %wattune_block, the block's index along each axis that the
// kernel reads.
std::string divide_into_axes(const CoordinateSet& set, const DividedAt& at) {
  const bool x = contains(set, Coordinate::block_x);
  const bool y = contains(set, Coordinate::block_y);
  const bool z = contains(set, Coordinate::block_z);
  if (!x && !y && !z) return {};
  std::string code = divide("%wattune_row", "%wattune_block", at.by_x);
  if (x) code += remainder(register_of(Coordinate::block_x), "%wattune_block", "%wattune_row", at.grid);
  if (y || z) code += divide("%wattune_plane", "%wattune_row", at.by_y);
  if (y) code += remainder(register_of(Coordinate::block_y), "%wattune_row", "%wattune_plane", at.grid + 4);
  if (z) code += fmt::format("\tmov.u32 {}, %wattune_plane;\n", register_of(Coordinate::block_z));
  return code;
}

constexpr char kDivisionRegisters[] = R"(	.reg .b32 %wattune_block, %wattune_row, %wattune_plane;
	.reg .b32 %wattune_multiplier, %wattune_shift, %wattune_divisor;
	.reg .b64 %wattune_product;
)";

constexpr char kGuard[] = R"(
	.reg .pred %wattune_outside;
	.reg .b32 %wattune_block, %wattune_at, %wattune_bound;
	mov.u32 %wattune_block, %ctaid.z;
	mov.u32 %wattune_bound, %nctaid.y;
	mov.u32 %wattune_at, %ctaid.y;
	mad.lo.u32 %wattune_block, %wattune_block, %wattune_bound, %wattune_at;
	mov.u32 %wattune_bound, %nctaid.x;
	mov.u32 %wattune_at, %ctaid.x;
	mad.lo.u32 %wattune_block, %wattune_block, %wattune_bound, %wattune_at;
	ld.param.u32 %wattune_bound, [{words}+{first}];
	setp.lt.u32 %wattune_outside, %wattune_block, %wattune_bound;
	@%wattune_outside exit;
	ld.param.u32 %wattune_bound, [{words}+{end}];
	setp.ge.u32 %wattune_outside, %wattune_block, %wattune_bound;
	@%wattune_outside exit;
)";

// PTX that branches to `others` in all threads of the block except one.
constexpr char kElect[] = R"(	mov.u32 %wattune_thread, %tid.x;
	mov.u32 %wattune_end, %tid.y;
	or.b32 %wattune_thread, %wattune_thread, %wattune_end;
	mov.u32 %wattune_end, %tid.z;
	or.b32 %wattune_thread, %wattune_thread, %wattune_end;
	setp.ne.u32 %wattune_not, %wattune_thread, 0;
	@%wattune_not bra {others};
)";

// PTX that reads the stop word. The thread continues without waiting for the result of this load until it uses it.
constexpr char kLook[] = R"(	ld.param.u64 %wattune_at, [{words}+{stop}];
	ld.volatile.global.u32 %wattune_stop, [%wattune_at];
)";
// PTX that takes the next chunk from the counter.
constexpr char kClaim[] = R"(	ld.param.u64 %wattune_at, [{words}+{counter}];
	ld.param.u32 %wattune_thread, [{words}+{chunk}];
	atom.global.add.u32 %wattune_from, [%wattune_at], %wattune_thread;
)";

// PTX by which one thread takes a chunk, or no chunk if `stop` is set. For the other threads, it writes the chunk's
// first block, the chunk's end and the stop word to shared memory.
constexpr char kTake[] = R"(
	.reg .pred %wattune_not, %wattune_again, %wattune_inside;
	.reg .b32 %wattune_end, %wattune_thread, %wattune_from, %wattune_stop;
	.reg .b64 %wattune_at;
	.shared .align 8 .b8 wattune_taken[16];
wattune_take:
	bar.sync {barrier};
{elect}{look}	mov.u32 %wattune_from, 0xffffffff;
	setp.ne.u32 %wattune_not, %wattune_stop, 0;
	@%wattune_not bra wattune_tell;
{claim}wattune_tell:
	ld.param.u32 %wattune_end, [{words}+{blocks}];
	min.u32 %wattune_block, %wattune_from, %wattune_end;
	sub.u32 %wattune_end, %wattune_end, %wattune_block;
	ld.param.u32 %wattune_thread, [{words}+{chunk}];
	min.u32 %wattune_end, %wattune_end, %wattune_thread;
	add.u32 %wattune_end, %wattune_end, %wattune_block;
	st.shared.v2.u32 [wattune_taken], {{%wattune_block, %wattune_end}};
	st.shared.u32 [wattune_taken+8], %wattune_stop;
wattune_told:
	bar.sync {barrier};
	ld.shared.v2.u32 {{%wattune_block, %wattune_end}}, [wattune_taken];
	setp.ge.u32 %wattune_not, %wattune_block, %wattune_end;
	@%wattune_not exit;
)";

// PTX that takes the next chunk already while the last block of the current chunk runs. The reason is that the two
// round trips to memory take as long as a short block.
constexpr char kTakeAhead[] = R"(wattune_begin:
	add.u32 %wattune_thread, %wattune_block, 1;
	setp.ne.u32 %wattune_not, %wattune_thread, %wattune_end;
	@%wattune_not bra wattune_run;
	ld.param.u32 %wattune_thread, [{words}+{ahead}];
	setp.eq.u32 %wattune_not, %wattune_thread, 0;
	@%wattune_not bra wattune_run;
{elect}	mov.u32 %wattune_from, 0xffffffff;
	ld.shared.u32 %wattune_stop, [wattune_taken+8];
	setp.ne.u32 %wattune_not, %wattune_stop, 0;
	@%wattune_not bra wattune_run;
{look}{claim}wattune_run:
)";

// PTX that continues with the next block. It reads the chunk's end from shared memory again, so that no register has to
// hold that end while a block runs.
constexpr char kNext[] = R"(	add.u32 %wattune_block, %wattune_block, 1;
	ld.shared.u32 %wattune_end, [wattune_taken+4];
	setp.lt.u32 %wattune_again, %wattune_block, %wattune_end;
	@%wattune_again bra wattune_begin;
	ld.param.u32 %wattune_thread, [{words}+{ahead}];
	setp.eq.u32 %wattune_again, %wattune_thread, 0;
	@%wattune_again bra wattune_take;
	bar.sync {barrier};
{elect}	bra wattune_tell;
)";

// PTX that waits until all threads have returned from the block. A barrier that other threads still execute counts as a
// vote too.
constexpr char kVote[] = R"(	setp.ne.u32 %wattune_not, 0, 0;
	barrier.red.or.pred %wattune_again, {barrier}, %wattune_not;
	@%wattune_again bra wattune_end_of_block;
)";

std::string elect(std::string_view others) { return fmt::format(kElect, fmt::arg("others", others)); }

std::string look_for_stop() {
  return fmt::format(kLook, fmt::arg("words", words_name()), fmt::arg("stop", offsetof(PersistentWords, stop)));
}

std::string claim() {
  return fmt::format(kClaim, fmt::arg("words", words_name()), fmt::arg("counter", offsetof(PersistentWords, counter)),
                     fmt::arg("chunk", offsetof(PersistentWords, chunk)));
}

std::string await_copies(const Boundary& boundary) {
  std::string code;
  if (boundary.awaits_copies) code += "\tcp.async.wait_all;\n";
  if (boundary.awaits_bulk_copies) code += "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n";
  return code;
}

std::string meeting(const Boundary& boundary) {
  if (boundary.votes) return fmt::format(kVote, fmt::arg("barrier", boundary.barrier));
  if (boundary.reuses_shared) return fmt::format("\tbar.sync {};\n", boundary.barrier);
  return "\tbar.warp.sync 0xffffffff;\n";
}

}  // namespace

std::string words_name() { return fmt::format("{}words", kPrefix); }

std::string words_declaration(std::size_t bytes) {
  return fmt::format(".param .align 8 .b8 {}[{}]", words_name(), bytes);
}

LoadCoordinate add_loads() { return load_added; }

LoadCoordinate linear_loads() {
  return [](Coordinate coordinate) {
    return is_block(coordinate) ? std::string() : load_grid(coordinate, kOfLinear.grid);
  };
}

LoadCoordinate persistent_loads() {
  return [](Coordinate coordinate) {
    return is_block(coordinate) ? std::string() : load_grid(coordinate, kOfPersistent.grid);
  };
}

std::string linear_prologue(const CoordinateSet& set) {
  return std::string("\n") + kDivisionRegisters +
         fmt::format("\tmov.u32 %wattune_block, %ctaid.x;\n\tld.param.u32 %wattune_row, [{}+{}];\n", words_name(),
                     offsetof(LinearWords, first)) +
         "\tadd.u32 %wattune_block, %wattune_block, %wattune_row;\n" + divide_into_axes(set, kOfLinear);
}

std::string guard_prologue() {
  return fmt::format(kGuard, fmt::arg("words", words_name()), fmt::arg("first", offsetof(GuardWords, first)),
                     fmt::arg("end", offsetof(GuardWords, end)));
}

std::string persistent_prologue(const CoordinateSet& set, const Boundary& boundary) {
  return std::string("\n") + kDivisionRegisters +
         fmt::format(kTake, fmt::arg("words", words_name()), fmt::arg("barrier", boundary.barrier),
                     fmt::arg("elect", elect("wattune_told")), fmt::arg("look", look_for_stop()),
                     fmt::arg("claim", claim()), fmt::arg("chunk", offsetof(PersistentWords, chunk)),
                     fmt::arg("blocks", offsetof(PersistentWords, blocks))) +
         fmt::format(kTakeAhead, fmt::arg("words", words_name()), fmt::arg("elect", elect("wattune_run")),
                     fmt::arg("look", look_for_stop()), fmt::arg("claim", claim()),
                     fmt::arg("ahead", offsetof(PersistentWords, ahead))) +
         (boundary.votes ? "\tsetp.eq.u32 %wattune_inside, 0, 0;\n" : "") + divide_into_axes(set, kOfPersistent);
}

std::string persistent_epilogue(const Boundary& boundary) {
  return fmt::format("{}:\n", end_of_block_label()) + await_copies(boundary) + meeting(boundary) +
         fmt::format(kNext, fmt::arg("words", words_name()), fmt::arg("barrier", boundary.barrier),
                     fmt::arg("elect", elect("wattune_told")), fmt::arg("ahead", offsetof(PersistentWords, ahead)));
}

std::string end_of_block_label() { return fmt::format("{}end_of_block", kPrefix); }

}  // namespace wattune::slice
