// Workspace: the memory and the streams that a composition owns for the calls in one stream of the application.
//
// Calls in one stream run one after another on the device, so they share a workspace; calls in several streams do not.
// Stream 0 is the caller's stream. At its first use in a call, each other stream waits for all commands that were sent
// into stream 0 before. At the end of the call, stream 0 waits for all other streams.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "dynamic/calls/streams.h"
#include "wattune/backend/device.h"
#include "wattune/dynamic/tuner.h"

namespace wattune::inline v0_1::dynamic {

class Workspace {
 public:
  static constexpr std::size_t kMostStreams = 32;

  // A lock for the length of a call. All other functions may only be called while it is held.
  class Hold {
   public:
    explicit Hold(Workspace& workspace) : workspace_(workspace), lock_(workspace.calling_) {
      workspace_.holder_.store(std::this_thread::get_id());
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { workspace_.holder_.store({}); }

   private:
    Workspace& workspace_;
    const std::lock_guard<std::mutex> lock_;
  };

  // Takes references to objects that must outlive this object.
  Workspace(Lane& caller, backend::Device& device, const Marker& marker)
      : caller_(caller), device_(device), marker_(marker) {}

  // True if this thread holds the workspace. Then the function of a composition has called its own composition.
  bool is_held_here() const { return holder_.load() == std::this_thread::get_id(); }

  // Begins a call. Frees the buffers that the last call borrowed, once the stream has executed their commands.
  void begin();
  // Returns the stream of this number, and creates it if it does not exist. At its first use in a call, the stream
  // waits for all commands that were sent into stream 0 so far. Fails with out_of_range beyond kMostStreams.
  Result<Lane*> use(std::size_t stream);
  // Sets a mark behind all commands that were sent into the stream so far.
  Result<std::unique_ptr<backend::Event>> mark(Lane& lane);
  Result<void> order(std::size_t earlier, std::size_t later);
  // Makes stream 0 wait for all other streams.
  Result<void> join();
  // Waits for a stream of this call, or for all of them if no number is given.
  Result<void> finish(std::optional<std::size_t> stream);
  // Finishes a stream of this library, which may hold commands back. Afterwards no command uses host memory any more.
  Result<void> settle(std::size_t stream);

  // Returns memory of the composition. Returns nullptr if there is no memory of that name.
  backend::Buffer* find(const std::string& name) const;
  // Allocates memory of this name, or changes its size. The contents are kept as far as the new size reaches. Fails
  // with unavailable if the stream is captured.
  Result<backend::Buffer*> resize(const std::string& name, std::size_t bytes);
  // Allocates memory of at least this many bytes, unless resize() has set its size. The amount may grow, because
  // configurations and problem sizes need different amounts. Errors are those of resize().
  Result<backend::Buffer*> at_least(const std::string& name, std::size_t bytes);
  // Keeps a buffer until the commands of this call, which use it, have ended.
  backend::Buffer& keep(std::unique_ptr<backend::Buffer> borrowed) {
    return *borrowed_.emplace_back(std::move(borrowed));
  }

 private:
  struct Branch {
    std::unique_ptr<backend::Stream> stream;
    std::unique_ptr<Lane> lane;
    bool used = false;  // true if the stream was used in this call
  };

  Result<void> add_branch();
  Result<backend::Buffer*> make(const std::string& name, std::size_t bytes);
  Result<void> keep_contents(const backend::Buffer& from, backend::Buffer& to);

  Lane& caller_;
  backend::Device& device_;
  const Marker& marker_;
  std::mutex calling_;
  std::atomic<std::thread::id> holder_;
  std::map<std::string, std::unique_ptr<backend::Buffer>> memory_;
  std::set<std::string> resized_;  // names of the memory whose size the function chose
  std::vector<std::unique_ptr<backend::Buffer>> borrowed_;
  std::vector<Branch> branches_;
};

}  // namespace wattune::dynamic
