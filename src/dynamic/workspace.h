// Workspace: the memory and the streams that a composition owns for the calls in one stream of the application.
//
// Calls in one stream come one after another on the device, so that they share it; calls in several streams do not.
// Stream 0 is the caller's; the others begin behind what it was given when they are first
// used in a call, and are joined to it at the call's end.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "dynamic/streams.h"
#include "wattune/backend/device.h"
#include "wattune/dynamic/marker.h"

namespace wattune::dynamic {

class Workspace {
 public:
  static constexpr std::size_t kMostStreams = 32;

  // For the length of a call; nothing else is done without it.
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

  // All outlive this.
  Workspace(Lane& caller, backend::Device& device, const Marker& marker)
      : caller_(caller), device_(device), marker_(marker) {}

  // By this thread: the function of a composition calls its own composition.
  bool is_held_here() const { return holder_.load() == std::this_thread::get_id(); }

  // A call begins: what the last one borrowed is given back, once its stream is done with it.
  void begin();
  // The stream, made if there is none, behind what the call gave stream 0 before its first use. out_of_range: more than
  // kMostStreams.
  Result<Lane*> use(std::size_t stream);
  // A place behind all that the stream was given.
  Result<std::unique_ptr<backend::Event>> mark(Lane& lane);
  Result<void> order(std::size_t earlier, std::size_t later);
  // Stream 0 goes on when all others have ended.
  Result<void> join();
  // Those of this call; none: all of them.
  Result<void> finish(std::optional<std::size_t> stream);
  // Hands over what commands of the library's own streams hold back: host memory is free again afterwards.
  Result<void> settle(std::size_t stream);

  // Memory of the composition's; nullptr: there is none of that name.
  backend::Buffer* find(const std::string& name) const;
  // Made, or made larger or smaller, with the contents of what stays. unavailable: the stream is captured.
  Result<backend::Buffer*> resize(const std::string& name, std::size_t bytes);
  // Whose size nobody chose by resize(): made, or made larger, so that it has so many bytes at least. Configurations
  // and sizes differ in what they need. As resize().
  Result<backend::Buffer*> at_least(const std::string& name, std::size_t bytes);
  // Keeps what commands of this call use.
  backend::Buffer& keep(std::unique_ptr<backend::Buffer> borrowed) {
    return *borrowed_.emplace_back(std::move(borrowed));
  }

 private:
  struct Branch {
    std::unique_ptr<backend::Stream> stream;
    std::unique_ptr<Lane> lane;
    bool used = false;  // in this call
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
  std::set<std::string> resized_;  // whose size the function chose
  std::vector<std::unique_ptr<backend::Buffer>> borrowed_;
  std::vector<Branch> branches_;
};

}  // namespace wattune::dynamic
