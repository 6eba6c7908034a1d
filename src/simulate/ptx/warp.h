// Warp: 32 threads, which run together as long as they are at the same instruction.
//
// Each thread has a place in the code of its own, as GPUs since Volta have it. Those at the same place form a fragment.
// Of several fragments the one with the most calls below it goes first, then the one at the lowest address: compilers
// put what joins two ways behind both, so that who runs ahead waits there for the others. A reconvergence stack would
// join them as early, but threads that wait for each other at shuffles or barriers in different ways of a branch, or
// for a lock that another thread of the warp holds, would wait forever. Who has been last for long is let go ahead.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "simulate/ptx/launch.h"
#include "simulate/ptx/operation.h"

namespace wattune::simulate::ptx {

class Block;

class Warp {
 public:
  Warp(Block& block, unsigned index, LaneMask lanes);

  // Runs at most so many instructions; how many it ran: none where it cannot go on by itself.
  std::uint64_t run(std::uint64_t most);
  LaneMask live() const { return live_; }
  Block& block() { return block_; }
  Launch& launch() { return launch_; }
  unsigned index() const { return index_; }

  // Operands, in the frame of the fragment that runs.
  std::byte* at(const Operand& operand) { return banks_[static_cast<std::size_t>(operand.bank)] + operand.offset; }
  template <class T>
  T* column(const Operand& operand) {
    return reinterpret_cast<T*>(at(operand));
  }
  LaneMask predicate(const Operand& operand) { return *column<LaneMask>(operand); }
  void set_predicate(const Operand& operand, LaneMask lanes, LaneMask values);
  // A value of any width; set_word() keeps as many bytes as there are.
  std::uint64_t word(const Operand& operand, unsigned lane);
  void set_word(const Operand& operand, unsigned lane, std::uint64_t value);

  // Memory of a lane, at the address behind the operation's elements or at any; nullptr after a fault.
  std::byte* memory(const Operation& operation, unsigned lane, std::size_t bytes);
  std::byte* memory(Space space, unsigned lane, std::uint64_t address, std::size_t bytes, std::size_t alignment);
  // The address that operation.operands[operand] and the offset behind it make.
  std::uint64_t address(const Operation& operation, unsigned operand, unsigned lane);
  std::uint32_t local_base() const;
  const Function& function() const;  // that runs

  // Ends the run with this error, at the instruction that runs.
  void fault(unsigned lane, ErrorCode code, std::string message);
  // The same from outside, where no instruction runs: at the one where some thread waits, or its next one.
  void blame(ErrorCode code, std::string message);

  // Flow. Lanes are of the fragment that runs.
  void branch(std::uint32_t target, LaneMask lanes);
  // Those lanes whose value is the first one's; the others come to this instruction again.
  LaneMask take_equal(const Operand& operand, LaneMask lanes);
  void call(const Call& call, std::uint32_t function, LaneMask lanes);
  void leave(LaneMask lanes);
  void exit(LaneMask lanes);

  // Waits until all threads of the member mask in `members` are here, then finishes the operation with them.
  void join(const Operation& operation, LaneMask lanes, const Operand& members);
  // Those who finish together with this lane.
  LaneMask group(unsigned lane) const { return groups_[lane]; }
  void set_group(LaneMask lanes);
  // What lanes of a group give each other.
  std::array<std::uint64_t, kLanes> exchange = {};

  // Waits for the block's barrier, which calls release().
  void wait_for_barrier(std::uint32_t barrier, LaneMask lanes);
  void release(std::uint32_t barrier);

 private:
  enum class Waiting : std::uint8_t { no, for_warp, for_barrier };
  struct Fragment {
    LaneMask lanes = 0;
    std::uint32_t place = 0;  // of its next operation
    std::uint32_t frame = 0;
    Waiting waiting = Waiting::no;
    std::uint32_t barrier = 0;
    std::uint64_t last_run = 0;
  };
  // A function being run, and by whom; who called it is in `parent`.
  struct Frame {
    const Function* function = nullptr;
    const Call* call = nullptr;
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;
    std::uint32_t register_base = 0;  // bytes
    std::uint32_t local_base = 0;
    std::uint32_t return_place = 0;
    LaneMask lanes = 0;  // in it or in what it calls
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

  std::size_t current_ = 0;               // the fragment that runs
  std::array<std::byte*, 3> banks_ = {};  // by Bank
  const Operation* code_ = nullptr;
  bool interrupted_ = false;  // fragments have changed
  std::uint64_t turns_ = 0;
  std::uint64_t last_change_ = 0;  // turn in which fragments changed

  LaneMask waiting_ = 0;  // lanes that wait for others of the warp
  std::array<LaneMask, kLanes> members_ = {};
  std::array<LaneMask, kLanes> groups_ = {};
  std::array<Handler, kLanes> joining_ = {};  // what they wait to finish
};

}  // namespace wattune::simulate::ptx
