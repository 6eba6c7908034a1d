// The client's buffers and kernels, each of which refers to an object in a worker.
#pragma once

#include <memory>

#include "backend/interface/connection.h"
#include "wattune/backend/launch.h"

namespace wattune::inline v0_1::backend::worker {

using ConnectionPointer = std::shared_ptr<Connection>;

// The limit of requests that neither compile nor run anything.
inline constexpr Nanoseconds kShortRequestLimit = nanoseconds_from_seconds(60);

// An object in the worker. When this reference to it is destroyed, the worker drops the object.
class Remote {
 public:
  Remote(ConnectionPointer connection, ObjectId id) : connection_(std::move(connection)), id_(id) {}
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;
  ~Remote() { connection_->release(id_); }

  ObjectId id() const { return id_; }
  Connection& connection() const { return *connection_; }
  const ConnectionPointer& shared_connection() const { return connection_; }

 private:
  ConnectionPointer connection_;
  ObjectId id_;
};

class WorkerBuffer : public Buffer, public Remote {
 public:
  WorkerBuffer(ConnectionPointer connection, ObjectId id, std::size_t bytes, bool pixels)
      : Buffer(*connection), Remote(std::move(connection), id), bytes_(bytes), pixels_(pixels) {}
  std::size_t bytes() const override { return bytes_; }
  bool has_pixels() const override { return pixels_; }

 private:
  std::size_t bytes_;
  bool pixels_;
};

class WorkerKernel : public Kernel, public Remote {
 public:
  WorkerKernel(ConnectionPointer connection, std::string name, const KernelAnswer& answer)
      : Kernel(*connection), Remote(std::move(connection), answer.id), name_(std::move(name)), answer_(answer) {}
  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return answer_.argument_count; }
  std::span<const KernelParameter> parameters() const override { return answer_.parameters; }
  std::size_t max_work_group_size() const override { return answer_.max_work_group_size; }
  Result<KernelResources> resources(std::size_t group_size, std::size_t local_bytes) const override {
    return connection().ask<KernelResources>(Request::resources, ResourcesRequest{id(), group_size, local_bytes},
                                             kShortRequestLimit);
  }

 private:
  std::string name_;
  KernelAnswer answer_;
};

}  // namespace wattune::backend::worker
