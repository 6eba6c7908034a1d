// Block holds the warps of a thread block, the memory that they share, and its barriers.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "simulate/ptx/launch.h"
#include "simulate/ptx/warp.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate::ptx {

constexpr unsigned kBarriers = 16;

// The data that a warp brings to a barrier.
struct Arrival {
  std::uint32_t barrier = 0;
  std::uint32_t expected = 0;  // number of threads to wait for; 0 for all threads of the block that have not ended
  LaneMask votes = 0;          // predicates of bar.red
};

class Block {
 public:
  // Begins a block; `place` is its index among the resident blocks.
  Block(Launch& launch, std::uint64_t index, std::size_t place);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Gives every warp a turn of at most `turn` instructions, beginning with a random warp if `random` is not nullptr.
  // Returns the number of instructions that they ran.
  std::uint64_t run(std::uint64_t turn, Random* random);
  bool has_ended() const;

  Launch& launch() { return launch_; }
  const Index3& index() const { return index_; }
  std::size_t place() const { return place_; }
  std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }
  std::vector<std::byte>& shared() { return shared_; }
  // Ends the run with this error. The error names a thread that has not ended.
  void blame(ErrorCode code, std::string message);

  void arrive(Warp& warp, const Arrival& arrival, LaneMask lanes);
  // Opens the barriers that have become complete because threads ended.
  void look_at_barriers();
  // Returns how many threads brought a true predicate to this barrier (bar.red) when it last opened.
  std::uint32_t true_votes(std::uint32_t barrier) const { return barriers_[barrier].result_true; }
  // Returns how many threads brought a predicate, true or false, to this barrier when it last opened.
  std::uint32_t all_votes(std::uint32_t barrier) const { return barriers_[barrier].result_all; }

 private:
  struct Barrier {
    std::vector<LaneMask> arrived;  // lanes that have arrived, by warp
    std::uint32_t expected = 0;
    std::uint32_t votes_true = 0;
    std::uint32_t votes_all = 0;
    std::uint32_t result_true = 0;
    std::uint32_t result_all = 0;
  };

  void open_if_complete(std::uint32_t barrier);
  bool is_complete(const Barrier& barrier) const;

  Launch& launch_;
  Index3 index_;
  std::size_t place_;
  std::vector<std::byte> shared_;
  std::deque<Warp> warps_;
  std::array<Barrier, kBarriers> barriers_;
};

}  // namespace wattune::simulate::ptx
