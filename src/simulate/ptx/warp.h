// Warp is a group of 32 threads that run together while they are at the same instruction.
//
// Each thread has its own program counter, as on GPUs since Volta. Threads at the same instruction form a fragment. If
// there are several fragments, the one in the deepest call goes first, then the one at the lowest address. Compilers
// place the instruction at which two paths join behind both paths. So the first fragment that arrives there waits for
// the others.
//
// A reconvergence stack would join fragments just as early. But with a stack, threads on different paths would wait
// forever for each other at shuffles or barriers. A thread would also wait forever for a lock that another thread of
// its warp holds. A fragment that has not run for long is therefore allowed to run first.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "simulate/ptx/launch.h"
#include "simulate/ptx/operation.h"

namespace wattune::inline v0_1::simulate::ptx {

class Block;

class Warp {
 public:
  Warp(Block& block, unsigned index, LaneMask lanes);

  // Runs at most this many instructions and returns how many it ran. Returns 0 if all threads wait for other warps.
  std::uint64_t run(std::uint64_t most);
  LaneMask live() const { return live_; }
  Block& block() { return block_; }
  Launch& launch() { return launch_; }
  unsigned index() const { return index_; }

  // The next functions access operands in the frame of the running fragment.

  std::byte* at(const Operand& operand) { return banks_[static_cast<std::size_t>(operand.bank)] + operand.offset; }
  template <class T>
  T* column(const Operand& operand) {
    return reinterpret_cast<T*>(at(operand));
  }
  LaneMask predicate(const Operand& operand) { return *column<LaneMask>(operand); }
  void set_predicate(const Operand& operand, LaneMask lanes, LaneMask values);
  // Returns a value of any width. set_word() stores as many bytes as its operand has.
  std::uint64_t word(const Operand& operand, unsigned lane);
  void set_word(const Operand& operand, unsigned lane, std::uint64_t value);

  // Returns the memory of a lane at the operation's address, or at a given address. Returns nullptr after an error,
  // which ends the run.
  std::byte* memory(const Operation& operation, unsigned lane, std::size_t bytes);
  std::byte* memory(Space space, unsigned lane, std::uint64_t address, std::size_t bytes, std::size_t alignment);
  // Computes the address from operation.operands[operand] and the offset.
  std::uint64_t address(const Operation& operation, unsigned operand, unsigned lane);
  std::uint32_t local_base() const;
  // Returns the function that is running.
  const Function& function() const;

  // Ends the run with this error, at the current instruction.
  void fault(unsigned lane, ErrorCode code, std::string message);
  // Ends the run with this error while no instruction runs: at the instruction at which some thread waits, or else at
  // its next one.
  void blame(ErrorCode code, std::string message);

  // The next functions are for control flow. `lanes` belong to the running fragment.

  void branch(std::uint32_t target, LaneMask lanes);
  // Returns the lanes whose value is that of the first lane; the others will execute this instruction again.
  LaneMask take_equal(const Operand& operand, LaneMask lanes);
  void call(const Call& call, std::uint32_t function, LaneMask lanes);
  void leave(LaneMask lanes);
  void exit(LaneMask lanes);

  // Makes the lanes wait until all threads of the mask in `members` have come to this operation, then finishes the
  // operation for all of them.
  void join(const Operation& operation, LaneMask lanes, const Operand& members);
  // Returns the lanes that finish together with this lane.
  LaneMask group(unsigned lane) const { return groups_[lane]; }
  void set_group(LaneMask lanes);
  // Values that lanes of a group exchange.
  std::array<std::uint64_t, kLanes> exchange = {};

  // Waits for the block's barrier, which calls release().
  void wait_for_barrier(std::uint32_t barrier, LaneMask lanes);
  void release(std::uint32_t barrier);

 private:
  enum class Waiting : std::uint8_t { no, for_warp, for_barrier };
  struct Fragment {
    LaneMask lanes = 0;
    std::uint32_t place = 0;  // index of the fragment's next operation in its function
    std::uint32_t frame = 0;
    Waiting waiting = Waiting::no;
    std::uint32_t barrier = 0;
    std::uint64_t last_run = 0;
  };
  // A function call in progress: the function and its lanes. `parent` is the caller's frame.
  struct Frame {
    const Function* function = nullptr;
    const Call* call = nullptr;
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;
    std::uint32_t register_base = 0;  // offset of the frame's registers, in bytes
    std::uint32_t local_base = 0;
    std::uint32_t return_place = 0;
    LaneMask lanes = 0;  // lanes that are in this function or in one that it calls
  };

  void fill_specials();
  void report(unsigned lane, const Operation& operation, ErrorCode code, std::string message);
  std::size_t choose();
  void merge();
  bool comes_before(const Fragment& a, const Fragment& b) const;
  std::uint64_t execute(std::size_t fragment, std::uint64_t most);
  std::uint32_t meeting_place(std::size_t fragment) const;
  void enter(std::uint32_t frame);
  const Operation& operation_at(const Fragment& fragment) const;
  void isolate(LaneMask lanes, std::uint32_t place_of_others);
  std::size_t split(std::size_t fragment, LaneMask lanes);
  std::uint32_t new_frame(const Call& call, const Function& function, LaneMask lanes);
  void reserve(const Frame& frame, LaneMask lanes);
  void pass(std::span<const Formal> from, std::span<const Formal> to, const Frame& source, const Frame& destination,
            LaneMask lanes);
  std::byte* local_memory(unsigned lane, std::uint64_t address, std::size_t bytes);
  LaneMask joined(LaneMask candidates);
  bool all_there(LaneMask group, unsigned lane) const;
  void wake(LaneMask lanes);
  void resume(std::size_t fragment);

  Block& block_;
  Launch& launch_;
  unsigned index_;
  LaneMask live_;
  std::vector<Fragment> fragments_;
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> registers_;
  std::vector<std::uint32_t> specials_;
  std::array<std::vector<std::byte>, kLanes> local_;

  std::size_t current_ = 0;               // index of the running fragment
  std::array<std::byte*, 3> banks_ = {};  // memory of the operands, by Bank
  const Operation* code_ = nullptr;
  bool interrupted_ = false;  // true if fragments were split or joined, so that the running one must be chosen again
  std::uint64_t turns_ = 0;
  std::uint64_t last_change_ = 0;  // the last turn in which fragments changed

  LaneMask waiting_ = 0;  // lanes that wait for others of the warp
  std::array<LaneMask, kLanes> members_ = {};
  std::array<LaneMask, kLanes> groups_ = {};
  std::array<Handler, kLanes> joining_ = {};  // handlers that the lanes wait for
};

}  // namespace wattune::simulate::ptx
