// The common parts of the server: a table of the objects that it keeps, and the function that answers.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <unordered_map>

#include "backend/worker/channel.h"
#include "backend/worker/protocol.h"

namespace wattune::inline v0_1::backend::worker {

inline constexpr Deadline kForever;

template <typename T>
using Objects = std::unordered_map<ObjectId, std::unique_ptr<T>>;

// Finds an object; nullptr if no object has this id.
template <typename T>
T* find(const Objects<T>& objects, ObjectId id) {
  const auto found = objects.find(id);
  return found == objects.end() ? nullptr : found->second.get();
}

inline Error unknown_object(ObjectId id) {
  return Error(ErrorCode::internal, fmt::format("no object {} in the worker", id));
}

// All objects but the streams. Each id is used once.
struct ObjectTable {
  Objects<Program> programs;
  Objects<Kernel> kernels;
  Objects<Buffer> buffers;
  ObjectId last_id = 0;

  ObjectId next_id() { return ++last_id; }
  template <typename T>
  ObjectId keep(Objects<T>& objects, std::unique_ptr<T> object) {
    objects.emplace(next_id(), std::move(object));
    return last_id;
  }
  void release(ObjectId id) {
    kernels.erase(id);
    programs.erase(id);
    buffers.erase(id);
  }
};

template <typename Answer>
Result<void> send_answer(Channel& channel, const Result<Answer>& answer) {
  Writer writer;
  put_answer(writer, answer);
  return channel.send(writer.bytes(), kForever);
}

}  // namespace wattune::backend::worker
