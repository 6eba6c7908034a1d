// BlockScheduler decides which block goes to which SM and when, from streams, hardware queues, priorities, green
// contexts and the room on SMs. It does not know how long blocks take.
//
// Launches of a stream run one after the other, with a gap. Streams are hashed into hardware queues. If the first
// launch of a queue waits for its stream, all others of the queue wait, too. Launches that have left their queues are
// resident.
//
// The resident launch with the highest priority, and the oldest one among equals, gives its blocks to SMs until it has
// no block left. If its blocks find no room, two kinds of launches wait behind it (head of line): later ones of its
// green context, and launches of lower priority that may use its SMs. A block goes to the SM that has the fewest warps.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "simulate/gpu/engine.h"
#include "wattune/model/co_residency.h"

namespace wattune::inline v0_1::simulate {

// A logical block that is running.
struct RunningBlock {
  LaunchId launch = 0;
  unsigned sm = 0;
  std::uint64_t block = 0;
  std::uint64_t chunk_left = 0;  // number of logical blocks of its chunk that are still to run
  double begin = 0.0;
};

class BlockScheduler {
 public:
  BlockScheduler(const GpuModel& gpu, const GpuOptions& options);

  Result<void> add_kernel(const SimulatedKernel& kernel);
  Result<GreenContextId> add_green_context(unsigned first, unsigned count);
  Result<StreamId> add_stream(const StreamTraits& traits);
  Result<LaunchId> submit(const GridLaunch& launch, double now);
  Result<void> stop(LaunchId launch);

  // Starts the blocks that can begin now, and returns them.
  std::vector<BlockStart> dispatch(double now);
  // Ends the block in this slot. Returns the slot's next logical block, which begins now, if there is one.
  std::optional<BlockStart> ended(std::size_t slot, double now);
  // Returns the next moment at which dispatch() may have work although nothing ends; infinity if there is none.
  double next_moment() const { return next_moment_; }

  const RunningBlock& running(std::size_t slot) const { return slots_[slot]; }
  // Returns the oldest launch that has ended and was not returned yet.
  std::optional<Completion> take_completion();
  std::size_t untaken_completions() const { return completions_.size(); }

 private:
  struct Launch {
    GridLaunch request;
    std::uint64_t next = 0;      // next logical block
    std::uint64_t end = 0;       // the logical block behind its last one
    std::uint64_t to_place = 0;  // number of blocks that are on no SM yet
    std::uint64_t placed = 0;    // number of blocks that run
    std::uint64_t done = 0;      // number of logical blocks that have ended
    double submitted = 0.0;
    std::optional<double> begin = {};
    double end_time = 0.0;
    bool ended = false;

    std::uint64_t left() const { return end - next; }
  };
  struct Stream {
    StreamTraits traits;
    bool busy = false;      // true if a launch of the stream is resident
    double last_end = 0.0;  // moment when its last launch ended
    bool fresh = true;      // true if no launch of the stream has ended yet
  };
  struct GreenContext {
    unsigned first = 0;
    unsigned count = 0;
  };
  struct Sm {
    std::vector<model::SmRoom::Residents> residents = {};  // blocks that are resident on the SM, by kernel
    unsigned warps = 0;
  };

  Result<void> check(const GridLaunch& launch) const;
  Result<void> check_persistent(const GridLaunch& launch, const Persistence& persistent) const;
  void admit(double now);
  double ready_moment(LaunchId id) const;
  void make_resident(LaunchId id);
  bool waits_behind(const std::vector<LaunchId>& heads, LaunchId id) const;
  bool place_one(LaunchId id, double now, std::vector<BlockStart>& starts);
  std::optional<unsigned> roomiest(const Launch& launch);
  bool fits(unsigned sm, KernelId kernel);
  void occupy(unsigned sm, KernelId kernel, int blocks);
  BlockStart begin_block(std::size_t slot, double overhead, double now);
  bool fetch(Launch& launch, RunningBlock& block);
  void leave(LaunchId id, double now);
  double work_of(const Launch& launch, std::uint64_t block) const;
  std::size_t new_slot();

  GpuModel gpu_;
  std::uint64_t seed_;
  std::vector<SimulatedKernel> kernels_;
  std::vector<model::BlockShare> shares_;
  std::vector<GreenContext> green_contexts_;
  std::vector<Stream> streams_;
  std::vector<Launch> launches_;
  std::vector<std::deque<LaunchId>> queues_;
  std::vector<LaunchId> resident_;  // resident launches, in the order in which they give blocks to SMs
  std::vector<Sm> sms_;
  std::vector<RunningBlock> slots_;
  std::vector<std::size_t> free_slots_;
  std::deque<Completion> completions_;
  double next_grid_ = 0.0;  // earliest moments of the next launch and (next_block_) of the next block
  double next_block_ = 0.0;
  double next_moment_ = 0.0;
  model::SmRoom room_;
};

}  // namespace wattune::simulate
