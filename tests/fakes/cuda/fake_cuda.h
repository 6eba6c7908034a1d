// The stand-in for libcuda.so.1, as tests see and steer it. It has devices of 64 MiB whose memory is the process's own.
// Its kernels are C++ functions, chosen by the name of the function that is launched:
//   noop()                                  does nothing
//   scale(float* x, float factor, int n)    x[i] *= factor
//   raise(float* x, float by, int n)        x[i] += by
//   overrun(char* x, int n)                 changes x[-1] and x[n] to x[n + 2]
//   weigh(float* x, int n)                  x[i] = symbol weights[i]
//   sample(float* x, texture, int n)        x[i] = pixel i, not sampled; `texture` of the state says how it would be
//   paint(surface, int n)                   pixel i = i
//   illegal(), misaligned(), failed_assertion()   break the context, which is noticed when the stream is asked
//   hang()                                  never ends
//   spill()                                 does nothing, with 16 KiB of private memory to a thread
//   too_large()                             is refused for want of resources
//   mark(int* hits)                         ++hits[b] for each block b of the grid, and its twins (slice/twins.h) for
//                                           each that they run
// Code with the words WITHOUT END is compiled without end when it is loaded.
// A kernel does its work at the launch, but after every launch the stream, and an event behind it, report once that
// they are not ready. Times are fake: a launch takes a microsecond for each thread of a block. Streams overlap: a
// command begins when it was sent, when the stream's previous command has ended, and when an awaited event has come,
// whichever is latest. The host's time advances to the end of the work that it learns is done.
//
// Environment variables change a whole process, so that workers can be steered too:
//   WATTUNE_FAKE_CUDA_VERSION=11080   of the driver
//   WATTUNE_FAKE_CUDA_INIT=100        the result of cuInit
//   WATTUNE_FAKE_CUDA_CAPABILITY=103  compute capability, 90 unless given
//   WATTUNE_FAKE_CUDA_COMPUTE_MODE=3  exclusive to a process; 0 unless given
//   WATTUNE_FAKE_CUDA_MPS=1           it is shared through MPS; unless given, the driver does not know the attribute
//   WATTUNE_FAKE_CUDA_DEVICES=A,A,B   names of the devices; one "Stand-in GPU" unless given
//   WATTUNE_FAKE_CUDA_LOST=FILE       device 1 falls off the bus at its tenth launch, for every process that finds FILE
//   WATTUNE_FAKE_BOARD=FILE           the board that kernels run on, as the stand-in for NVML set it (fake_board.h)
//   WATTUNE_FAKE_CUDA_TIME=host       kernels take the host's time, so that NVML's stand-in sees its board at work;
//                                     then streams cannot be held
//   WATTUNE_FAKE_NVRTC_LOG=FILE       gets a line for each compilation by the stand-in for NVRTC
//   WATTUNE_FAKE_NVRTC_VERSION=13000  of the stand-in for NVRTC, 12040 unless given
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace wattune::fakes {

inline constexpr unsigned kFirstPciBus = 0x3B;  // of device 0; the others follow

struct FakeCuda {
  // The living objects.
  long contexts = 0;
  long modules = 0;
  long allocations = 0;
  long streams = 0;
  long events = 0;
  long arrays = 0;
  long objects = 0;  // textures and surfaces
  long green_contexts = 0;
  long graphs = 0;  // and executables made of them
  // All objects that were ever made.
  long made = 0;
  // The transfers that would have waited for a kernel that never ends.
  long blocked_transfers = 0;
  // The last launch.
  long launches = 0;
  long graph_launches = 0;  // graphs that were sent, whose kernels also count as launches
  unsigned dynamic_bytes = 0;
  unsigned block = 0;  // its threads along x
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> cluster{};
  int priority = 0;                 // of its stream, in CUDA's numbers
  std::array<unsigned, 2> units{};  // that its stream has of its own, from the first to before the second; 0, 0 for all
  unsigned chunk = 0;               // of the last persistent twin
  bool cooperative = false;
  std::array<int, 3> texture{};  // address mode, filter mode and flags of the texture sampled last
  std::size_t allowed_dynamic_bytes = 48 * 1024;
  int carveout = -1;  // percent, as it was last set for a function
  long carveouts_set = 0;
  std::vector<int> launched_carveouts;  // of the function of each launch at that moment; -1 if never set
  // The number of blocks after which a persistent twin waits until it is stopped, like one that takes long. 0 for
  // never.
  long persistent_blocks = 0;
  // The host's time for sending a launch, or a graph of launches. The device idles meanwhile, unless the stream is
  // held.
  double launch_gap_ms = 0.0;
  // The last kernel whose launch had to reserve its private memory.
  std::string room_made_for;
  // The number of questions for the current context, and for the capture of a stream.
  long asked_for_context = 0;
  long asked_for_capture = 0;
  long event_queries = 0;
  long awaited_events = 0;  // number of times that a stream was told to wait for an event
  long held_streams = 0;    // number of holds so far
  // True if a stream can be held. The next two: launches, or only kernels' first ones, wait until it is let go.
  bool holds = true;
  bool launches_wait = false;
  bool first_launches_wait = false;
  // True if kernels that never end do end now.
  bool hangs_end = false;
  // The result of making a context; contexts cannot be made unless it is 0.
  int context_result = 0;

  long live() const {
    return contexts + modules + allocations + streams + events + arrays + objects + green_contexts + graphs;
  }
};

// Returns the state; the stand-in exports this function.
extern "C" FakeCuda* wattune_fake_cuda();
// Returns the number of contexts on the stack of the calling thread.
extern "C" std::size_t wattune_fake_cuda_stack();

}  // namespace wattune::fakes
