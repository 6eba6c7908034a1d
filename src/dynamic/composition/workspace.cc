#include "dynamic/composition/workspace.h"

#include <fmt/format.h>

#include "backend/interface/part.h"

namespace wattune::inline v0_1::dynamic {

namespace {

constexpr Nanoseconds kLongestFinish = nanoseconds_from_seconds(600);

}  // namespace

// Begins a call and frees buffers that earlier calls borrowed. In an adopted stream, the driver itself keeps memory
// that commands use. A stream of this library may hold commands back, so it must be idle.
void Workspace::begin() {
  for (Branch& branch : branches_) branch.used = false;
  const Result<backend::StreamState> state = caller_.stream->state();
  const bool idle = state && *state == backend::StreamState::idle;
  if (caller_.adopted != nullptr || idle) borrowed_.clear();
}

Result<void> Workspace::add_branch() {
  WATTUNE_ASSIGN(std::unique_ptr<backend::Stream> stream, device_.create_stream());
  auto lane = std::make_unique<Lane>(CallStream(*stream), stream->serial());
  lane->stream = stream.get();
  branches_.push_back({std::move(stream), std::move(lane)});
  return {};
}

Result<Lane*> Workspace::use(std::size_t stream) {
  if (stream == 0) return &caller_;
  if (stream > kMostStreams)
    return Error(ErrorCode::out_of_range,
                 fmt::format("stream {} of a composition, which has at most {} of its own", stream, kMostStreams));
  while (branches_.size() < stream) WATTUNE_TRY(add_branch());
  Branch& branch = branches_[stream - 1];
  if (branch.used) return branch.lane.get();
  WATTUNE_ASSIGN(const std::unique_ptr<backend::Event> before, mark(caller_));
  WATTUNE_TRY(branch.stream->wait_for(*before));
  branch.used = true;
  return branch.lane.get();
}

Result<std::unique_ptr<backend::Event>> Workspace::mark(Lane& lane) {
  const std::lock_guard lock(lane.sending);
  return marker_.mark(*lane.stream);
}

Result<void> Workspace::order(std::size_t earlier, std::size_t later) {
  WATTUNE_ASSIGN(Lane* const first, use(earlier));
  WATTUNE_ASSIGN(Lane* const second, use(later));
  if (first == second) return {};
  WATTUNE_ASSIGN(const std::unique_ptr<backend::Event> place, mark(*first));
  if (earlier != 0) WATTUNE_TRY(first->stream->submit());
  const std::lock_guard lock(second->sending);
  return second->stream->wait_for(*place);
}

Result<void> Workspace::join() {
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    if (!branches_[i].used) continue;
    WATTUNE_TRY(order(i + 1, 0));
    branches_[i].used = false;
  }
  return {};
}

Result<void> Workspace::finish(std::optional<std::size_t> stream) {
  if (!stream)
    for (std::size_t i = 0; i < branches_.size(); ++i)
      if (branches_[i].used) WATTUNE_TRY(finish(i + 1));
  WATTUNE_ASSIGN(Lane* const lane, use(stream.value_or(0)));
  const std::lock_guard lock(lane->sending);
  return lane->stream->finish(kLongestFinish);
}

Result<void> Workspace::settle(std::size_t stream) { return stream == 0 ? Result<void>() : finish(stream); }

backend::Buffer* Workspace::find(const std::string& name) const {
  const auto found = memory_.find(name);
  return found == memory_.end() ? nullptr : found->second.get();
}

Result<backend::Buffer*> Workspace::resize(const std::string& name, std::size_t bytes) {
  resized_.insert(name);
  backend::Buffer* const known = find(name);
  return known != nullptr && known->bytes() == bytes ? known : make(name, bytes);
}

Result<backend::Buffer*> Workspace::at_least(const std::string& name, std::size_t bytes) {
  backend::Buffer* const known = find(name);
  return known != nullptr && (known->bytes() >= bytes || resized_.contains(name)) ? known : make(name, bytes);
}

Result<backend::Buffer*> Workspace::make(const std::string& name, std::size_t bytes) {
  if (caller_.stream->is_capturing())
    return Error(ErrorCode::unavailable,
                 fmt::format("`{}` is to have {} bytes, but nothing is allocated while a stream is captured", name,
                             bytes))
        .hint("call the composition once before the capture begins");
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> made, device_.create_buffer(bytes));
  std::unique_ptr<backend::Buffer>& memory = memory_[name];
  if (memory != nullptr) {
    Result<void> kept = keep_contents(*memory, *made);
    if (!kept) return std::move(kept).error();
    borrowed_.push_back(std::move(memory));
  }
  memory = std::move(made);
  return memory.get();
}

Result<void> Workspace::keep_contents(const backend::Buffer& from, backend::Buffer& to) {
  WATTUNE_TRY(join());
  const std::size_t bytes = std::min(from.bytes(), to.bytes());
  if (bytes == 0) return {};
  WATTUNE_ASSIGN(std::unique_ptr<backend::Buffer> part, backend::part_of(from, 0, bytes));
  const std::lock_guard lock(caller_.sending);
  return caller_.stream->copy(keep(std::move(part)), to);
}

}  // namespace wattune::dynamic
