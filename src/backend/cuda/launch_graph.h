// LaunchGraph: a CUDA graph of launches, which is made once and sent again and again.
//
// A stream of its own captures the launches, so that the graph takes every kind of launch (cooperative, in clusters).
// Constant symbols are copied before the graph is sent, because copies in it would count as time of the kernels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/driver_launch.h"
#include "backend/cuda/session.h"
#include "wattune/backend/stream.h"

namespace wattune::inline v0_1::backend::cuda {

class LaunchGraph {
 public:
  // Makes the graph of these nodes, which run one after another. The whole sequence runs `times` times. Fails as
  // DriverLaunch::make(), and with errors of the driver. Kernels and buffers must live until the last send.
  // Precondition: the session is entered.
  static Result<std::shared_ptr<const LaunchGraph>> make(const std::shared_ptr<Session>& session,
                                                         std::span<const GraphNode> nodes, std::size_t times);

  // Copies the constant symbols of all launches, or starts the graph. These are the two commands of a graph.

  CUresult copy_constants(const CuApi& cu, CUstream stream) const;
  CUresult start(const CuApi& cu, CUstream stream) const { return cu.cuGraphLaunch(executable_.get(), stream); }

 private:
  LaunchGraph(std::vector<std::shared_ptr<DriverLaunch>> launches, Handle<CUgraphExec> executable)
      : launches_(std::move(launches)), executable_(std::move(executable)) {}

  std::vector<std::shared_ptr<DriverLaunch>> launches_;  // one for each node
  Handle<CUgraphExec> executable_;
};

}  // namespace wattune::backend::cuda
