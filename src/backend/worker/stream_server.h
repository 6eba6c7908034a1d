// StreamServer: the worker's streams. It serves the requests that give commands to the streams.
#pragma once

#include "backend/worker/serving.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::worker {

// A block of memory for contents on their way between the socket and the device. The memory is not cleared first,
// because it may have gigabytes.
class Block {
 public:
  // Makes room for this many bytes; the former contents are lost.
  void resize(std::size_t size) {
    if (size > room_) {
      data_.reset();
      data_ = std::make_unique_for_overwrite<std::byte[]>(size);
      room_ = size;
    }
    size_ = size;
  }
  std::span<std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

// A stream with the commands and contents that it has got since its last finish.
struct ServedStream {
  struct Launched {
    LaunchId id = 0;
    std::unique_ptr<Event> event;
  };

  std::unique_ptr<Stream> stream;
  std::vector<Launched> launches;
  // The contents to write. They are kept after an error, because the device may still use them. Blocks for reading are
  // kept even after a finish, because the same outputs will be read again, and allocating gigabytes takes long.
  std::vector<Block> written;
  std::vector<Block> read;
  std::size_t reads = 0;            // number of blocks in use
  std::vector<std::size_t> wanted;  // indices of the blocks that the client waits for
};

class StreamServer {
 public:
  // Makes a server; `channel` and `objects` must live as long as the server.
  StreamServer(Channel& channel, const ObjectTable& objects) : channel_(channel), objects_(objects) {}

  ObjectId keep(ObjectId id, std::unique_ptr<Stream> stream);
  ObjectId keep(ObjectId id, std::unique_ptr<PreparedLaunch> graph);
  void release(ObjectId id) {
    graphs_.erase(id);
    streams_.erase(id);
  }

  // Makes a graph for one of the streams.
  Result<std::unique_ptr<PreparedLaunch>> make_graph(const GraphRequest& asked) const;

  // Tells whether the streams of the request exist, and whether its contents have the sizes of their buffers.
  bool makes_sense(const RunRequest& asked) const;
  // Receives the contents that follow the request, runs it, and answers it. Precondition: makes_sense().
  Result<void> run(Device& device, const RunRequest& asked);
  Result<PollAnswer> poll(const PollRequest& asked);

 private:
  using Served = std::vector<ServedStream*>;  // streams in the order of the request
  // The contents of the request's writes and reads, in the order of its commands.
  using Contents = std::vector<std::span<std::byte>>;

  bool makes_sense(const RunRequest& asked, const StreamCommand& command) const;
  Result<Contents> receive_contents(const RunRequest& asked, const Served& served);
  Result<RunAnswer> execute(Device& device, const RunRequest& asked, const Served& served, const Contents& contents);
  Result<RunAnswer> finish(Device& device, const RunRequest& asked, const Served& served);
  Result<void> collect(const RunRequest& asked, const Served& served, const Contents& contents);
  Result<void> collect_launch(ServedStream& served, const LaunchCommand& command);
  Result<void> collect_sends(ServedStream& served, const SendCommand& command);
  Result<void> collect_graph(ServedStream& served, const GraphCommand& command);
  Result<void> collect_wait(ServedStream& served, const WaitCommand& command) const;
  Result<Kernel*> kernel(ObjectId id) const;
  Result<std::vector<LaunchArgument>> to_arguments(const LaunchCommand& command) const;
  Result<LaunchArgument> to_argument(const LaunchCommand::Argument& sent) const;
  // Returns a buffer by its id, which is not 0.
  Result<Buffer*> buffer(ObjectId id) const;

  Channel& channel_;
  const ObjectTable& objects_;
  Objects<ServedStream> streams_;
  Objects<PreparedLaunch> graphs_;
};

}  // namespace wattune::backend::worker
