// Workspace: the memory and the streams that a composition owns for the calls in one stream of the application.
//
// Calls in one stream run one after another on the device, so they share a workspace; calls in several streams do not.
// Stream 0 is the caller's. The others first wait for what it was given before their first use in a call, and it waits
// for them at the call's end.
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

  // A lock for the length of a call. All other functions require it.
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

  // Takes references to objects that must outlive it.
  Workspace(Lane& caller, backend::Device& device, const Marker& marker)
      : caller_(caller), device_(device), marker_(marker) {}

  // True if this thread holds the workspace: then the function of a composition calls its own composition.
  bool is_held_here() const { return holder_.load() == std::this_thread::get_id(); }

  // Begins a call. Frees the buffers that the last call borrowed, once its stream has executed the commands.
  void begin();
  // Returns the stream of this number, creating it if needed. At its first use in a call, it waits for everything that
  // stream 0 was given so far. Fails with out_of_range beyond kMostStreams.
  Result<Lane*> use(std::size_t stream);
  // Sets a mark after all commands that the stream was given.
  Result<std::unique_ptr<backend::Event>> mark(Lane& lane);
  Result<void> order(std::size_t earlier, std::size_t later);
  // Makes stream 0 wait for all others.
  Result<void> join();
  // Waits for a stream of this call, or for all of them if none is given.
  Result<void> finish(std::optional<std::size_t> stream);
  // Finishes a stream of the library's own, which may hold commands back. Afterwards no command uses host memory any
  // more.
  Result<void> settle(std::size_t stream);

  // Returns memory of the composition; nullptr if there is none of that name.
  backend::Buffer* find(const std::string& name) const;
  // Makes memory, or changes its size and keeps the contents of the part that stays. Fails with unavailable if the
  // stream is captured.
  Result<backend::Buffer*> resize(const std::string& name, std::size_t bytes);
  // Makes memory of at least this many bytes, unless resize() has set its size. Configurations and problem sizes need
  // different amounts. Fails as resize() does.
  Result<backend::Buffer*> at_least(const std::string& name, std::size_t bytes);
  // Keeps a buffer that commands of this call use.
  backend::Buffer& keep(std::unique_ptr<backend::Buffer> borrowed) {
    return *borrowed_.emplace_back(std::move(borrowed));
  }

 private:
  struct Branch {
    std::unique_ptr<backend::Stream> stream;
    std::unique_ptr<Lane> lane;
    bool used = false;  // true if used in this call
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
  std::set<std::string> resized_;  // names whose size the function chose
  std::vector<std::unique_ptr<backend::Buffer>> borrowed_;
  std::vector<Branch> branches_;
};

}  // namespace wattune::dynamic
