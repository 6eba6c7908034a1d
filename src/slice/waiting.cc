#include "slice/waiting.h"

#include <algorithm>
#include <limits>

#include "slice/function_body.h"
#include "slice/loop_progress.h"

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::uint32_t kNoRead = std::numeric_limits<std::uint32_t>::max();

// Selects the reads of a loop that count as sources of the data that LoopFlow follows.
enum class Followed : std::uint8_t {
  device,           // reads of device memory
  one_place,        // reads of device memory at the same place in each iteration
  device_or_shared  // reads of device memory, and also of shared memory
};

// Follows data that one loop reads from device memory to all branches that depend on them. Records for each variable,
// memory and basic block the first read on which it depends.
class LoopFlow {
 public:
  LoopFlow(const FunctionBody& body, const Loop& loop, Followed followed)
      : body_(body),
        loop_(loop),
        followed_(followed),
        values_(body.variables.count(), kNoRead),
        blocks_(body.flow.blocks.size(), kNoRead),
        inside_(body.flow.blocks.size(), false) {
    for (const std::uint32_t block : loop.blocks) inside_[block] = true;
    if (find_sources())
      while (pass()) continue;
  }

  // Returns the first read that decides whether the loop continues. Returns kNoRead if no read decides that.
  std::uint32_t deciding_read() const {
    std::uint32_t read = ending_call_;
    for (const std::uint32_t block : loop_.blocks) {
      const auto& successors = body_.flow.blocks[block].successors;
      if (std::ranges::any_of(successors, [&](std::uint32_t next) { return !inside_[next]; }))
        read = std::min({read, blocks_[block], deciding_in(block)});
    }
    return read;
  }

  // Returns the first read on which any branch of the loop depends. Returns kNoRead if no branch depends on a read.
  std::uint32_t branching_read() const {
    std::uint32_t read = ending_call_;
    for (const std::uint32_t block : loop_.blocks) read = std::min(read, deciding_in(block));
    return read;
  }

  bool fills_shared() const { return shared_ != kNoRead; }

 private:
  // Marks the reads to follow. Returns whether there are any such reads.
  bool find_sources() {
    const LoopProgress progress(body_, loop_);
    if (progress.only_retries() || progress.closes_in() || progress.strides_over_grid()) return false;
    is_source_.assign(body_.function.instructions.size(), false);
    bool any = false;
    for_each_instruction([&](std::uint32_t i, std::uint32_t) {
      is_source_[i] = is_source(i, progress);
      any |= is_source_[i];
    });
    return any;
  }

  bool is_source(std::uint32_t i, const LoopProgress& progress) const {
    if (followed_ == Followed::device_or_shared && contains(body_.memory[i], MemoryUse::reads_shared)) return true;
    if (!contains(body_.memory[i], MemoryUse::reads_device)) return false;
    return followed_ == Followed::one_place ? progress.reads_one_place(i) : !progress.moves_on(i);
  }

  template <typename Look>
  void for_each_instruction(const Look& look) const {
    for (const std::uint32_t block : loop_.blocks)
      for (std::uint32_t i = body_.flow.blocks[block].first; i < body_.flow.blocks[block].last; ++i) look(i, block);
  }

  bool pass() {
    bool changed = false;
    for_each_instruction([&](std::uint32_t i, std::uint32_t block) {
      if (const std::uint32_t read = read_behind(i, block); read != kNoRead) changed |= reach(i, read);
    });
    for (const std::uint32_t block : loop_.blocks) changed |= look_at_branch(block);
    return changed;
  }

  // Returns the first read on which the instruction's results depend. Returns kNoRead if they depend on no read.
  std::uint32_t read_behind(std::uint32_t i, std::uint32_t block) const {
    std::uint32_t read = std::min(blocks_[block], first_of_operands(i));
    if (is_source_[i]) read = std::min(read, i);
    if (contains(body_.memory[i], MemoryUse::reads_shared)) read = std::min(read, shared_);
    if (contains(body_.memory[i], MemoryUse::reads_local)) read = std::min(read, local_);
    return read;
  }

  std::uint32_t first_of_operands(std::uint32_t i) const {
    std::uint32_t read = kNoRead;
    for (const VariableNumber variable : body_.variables.of(i).reads) read = std::min(read, values_[variable]);
    return read;
  }

  bool reach(std::uint32_t i, std::uint32_t read) {
    bool changed = false;
    for (const VariableNumber variable : body_.variables.of(i).writes) changed |= lower(values_[variable], read);
    if (contains(body_.memory[i], MemoryUse::writes_shared)) changed |= lower(shared_, read);
    if (contains(body_.memory[i], MemoryUse::writes_local)) changed |= lower(local_, read);
    const bool is_call = body_.function.instructions[i].opcode == "call";
    if (is_call && contains(body_.memory[i], MemoryUse::ends_thread)) lower(ending_call_, read);
    return changed;
  }

  static bool lower(std::uint32_t& known, std::uint32_t read) {
    if (read >= known) return false;
    known = read;
    return true;
  }

  // Returns the first read on which the branch at the end of a block depends. Returns kNoRead if the branch depends on
  // no read.
  std::uint32_t deciding_in(std::uint32_t block) const {
    const FlowBlock& flow = body_.flow.blocks[block];
    return flow.first == flow.last || flow.successors.size() < 2 ? kNoRead : first_of_operands(flow.last - 1);
  }

  bool look_at_branch(std::uint32_t block) {
    const std::uint32_t read = deciding_in(block);
    if (read == kNoRead) return false;
    bool changed = false;
    for (const std::uint32_t between : blocks_between(body_.flow, block, body_.meeting[block]))
      if (inside_[between]) changed |= lower(blocks_[between], read);
    return changed;
  }

  const FunctionBody& body_;
  const Loop& loop_;
  const Followed followed_;
  std::vector<std::uint32_t> values_;  // by variable: the first read on which the variable depends
  std::vector<std::uint32_t> blocks_;  // by basic block: the first read that decides whether the block runs
  std::vector<bool> inside_;
  std::vector<bool> is_source_;
  std::uint32_t shared_ = kNoRead;
  std::uint32_t local_ = kNoRead;
  std::uint32_t ending_call_ = kNoRead;
};

// True if the loop contains a read of a kind that is followed.
bool has_reads(const FunctionBody& body, const Loop& loop, Followed followed) {
  return std::ranges::any_of(loop.blocks, [&](std::uint32_t block) {
    const FlowBlock& flow = body.flow.blocks[block];
    return std::any_of(body.memory.begin() + flow.first, body.memory.begin() + flow.last, [&](const MemoryUses& uses) {
      return contains(uses, MemoryUse::reads_device) ||
             (followed == Followed::device_or_shared && contains(uses, MemoryUse::reads_shared));
    });
  });
}

// Returns a loop of all basic blocks of a function, for a function that calls itself. Any branch of such a function may
// end the recursion.
Loop loop_of_all(const Flow& flow) {
  Loop loop;
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) loop.blocks.push_back(block);
  return loop;
}

}  // namespace

std::vector<const PtxInstruction*> WaitFinder::find(const std::set<std::string_view>& reached) {
  const bool shared_changes =
      std::ranges::any_of(reached, [&](std::string_view name) { return waits_of(name, false).fills_shared; });
  std::vector<const PtxInstruction*> reads;
  for (const std::string_view name : reached)
    if (const PtxInstruction* read = waits_of(name, shared_changes).read) reads.push_back(read);
  return reads;
}

const WaitFinder::Waits& WaitFinder::waits_of(std::string_view name, bool shared_changes) {
  const auto [known, added] = (shared_changes ? beside_ : alone_).emplace(name, Waits());
  const CalledFunction& called = bodies_.calls().functions.at(name);
  const bool reads = contains(called.memory, MemoryUse::reads_device) ||
                     (shared_changes && contains(called.memory, MemoryUse::reads_shared));
  if (!added || called.function->body.empty() || !reads) return known->second;
  const FunctionBody& body = bodies_.of(name);
  std::uint32_t first = kNoRead;
  const Followed followed = shared_changes ? Followed::device_or_shared : Followed::device;
  for (const Loop& loop : loops_of(body.flow)) {
    if (!has_reads(body, loop, followed)) continue;
    const LoopFlow flow(body, loop, followed);
    first = std::min(first, flow.deciding_read());
    if (flow.fills_shared()) known->second.fills_shared |= LoopFlow(body, loop, Followed::one_place).fills_shared();
  }
  if (called.recursive) {
    const Loop all = loop_of_all(body.flow);
    first = std::min(first, LoopFlow(body, all, followed).branching_read());
  }
  if (first != kNoRead) known->second.read = &called.function->instructions[first];
  return known->second;
}

}  // namespace wattune::slice
