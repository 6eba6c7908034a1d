#include "backend/cuda/launch_graph.h"

#include <utility>

namespace wattune::inline v0_1::backend::cuda {

namespace {

constexpr const char* kMakingGraph = "making a graph of launches";

Result<Handle<CUstream>> capturing_stream(const std::shared_ptr<Session>& session) {
  CUstream stream = nullptr;
  const CUresult code = session->cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (code != CUDA_SUCCESS) return session->failure(code, kMakingGraph);
  return Handle<CUstream>(session, stream);
}

// Launches each node as often as it says.
CUresult launch_all(const CuApi& cu, std::span<const GraphNode> nodes,
                    const std::vector<std::shared_ptr<DriverLaunch>>& launches) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t n = 0; n < nodes[i].repeat; ++n)
      if (const CUresult code = launches[i]->start(cu); code != CUDA_SUCCESS) return code;
  return CUDA_SUCCESS;
}

// Captures the launches. The capture is ended after an error, too.
Result<Handle<CUgraph>> captured(const Handle<CUstream>& stream, std::span<const GraphNode> nodes,
                                 const std::vector<std::shared_ptr<DriverLaunch>>& launches, std::size_t times) {
  const std::shared_ptr<Session>& session = stream.session();
  const CuApi& cu = session->cu();
  CUresult code = cu.cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_RELAXED);
  if (code != CUDA_SUCCESS) return session->failure(code, kMakingGraph);
  for (std::size_t i = 0; i < times && code == CUDA_SUCCESS; ++i) code = launch_all(cu, nodes, launches);
  CUgraph graph = nullptr;
  const CUresult ended = cu.cuStreamEndCapture(stream.get(), &graph);
  Handle<CUgraph> owned(session, graph);
  if (code == CUDA_SUCCESS) code = ended;
  if (code != CUDA_SUCCESS) return session->failure(code, kMakingGraph);
  return owned;
}

}  // namespace

Result<std::shared_ptr<const LaunchGraph>> LaunchGraph::make(const std::shared_ptr<Session>& session,
                                                             std::span<const GraphNode> nodes, std::size_t times) {
  WATTUNE_ASSIGN(const Handle<CUstream> stream, capturing_stream(session));
  std::vector<std::shared_ptr<DriverLaunch>> launches;
  for (const GraphNode& node : nodes) {
    WATTUNE_ASSIGN(launches.emplace_back(), DriverLaunch::make(stream, *node.kernel, node.geometry, node.arguments));
  }
  WATTUNE_ASSIGN(const Handle<CUgraph> graph, captured(stream, nodes, launches, times));
  CUgraphExec executable = nullptr;
  const CUresult code = session->cu().cuGraphInstantiate(&executable, graph.get(), 0);
  if (code != CUDA_SUCCESS) return session->failure(code, kMakingGraph);
  return std::shared_ptr<const LaunchGraph>(
      new LaunchGraph(std::move(launches), Handle<CUgraphExec>(session, executable)));
}

CUresult LaunchGraph::copy_constants(const CuApi& cu, CUstream stream) const {
  for (const std::shared_ptr<DriverLaunch>& launch : launches_)
    if (const CUresult code = launch->copy_constants(cu, stream); code != CUDA_SUCCESS) return code;
  return CUDA_SUCCESS;
}

}  // namespace wattune::backend::cuda
