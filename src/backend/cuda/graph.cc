#include "backend/cuda/graph.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

constexpr const char* kReading = "reading the launches of a graph";

Result<std::vector<CUgraphNode>> nodes_of(Session& session, CUgraph graph) {
  std::size_t count = 0;
  CUresult code = session.cu().cuGraphGetNodes(graph, nullptr, &count);
  std::vector<CUgraphNode> nodes(count);
  if (code == CUDA_SUCCESS && count > 0) code = session.cu().cuGraphGetNodes(graph, nodes.data(), &count);
  if (code != CUDA_SUCCESS) return session.failure(code, kReading);
  return nodes;
}

// Returns the bytes of each parameter. The driver answers for every index up to the last parameter.
std::vector<std::vector<std::byte>> arguments_of(const CuApi& cu, const CUDA_KERNEL_NODE_PARAMS& launch) {
  std::vector<std::vector<std::byte>> arguments;
  std::size_t offset = 0;
  for (std::size_t bytes = 0; launch.kernelParams != nullptr &&
                              cu.cuFuncGetParamInfo(launch.func, arguments.size(), &offset, &bytes) == CUDA_SUCCESS;) {
    const auto* const from = static_cast<const std::byte*>(launch.kernelParams[arguments.size()]);
    arguments.emplace_back(from, from + bytes);
  }
  return arguments;
}

}  // namespace

Result<std::vector<GraphLaunch>> launches_in(Session& session, CUgraph graph) {
  WATTUNE_ASSIGN(const std::vector<CUgraphNode> nodes, nodes_of(session, graph));
  std::vector<GraphLaunch> launches;
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
    CUDA_KERNEL_NODE_PARAMS launch{};
    CUresult code = session.cu().cuGraphNodeGetType(node, &type);
    if (code == CUDA_SUCCESS && type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    if (code == CUDA_SUCCESS) code = session.cu().cuGraphKernelNodeGetParams(node, &launch);
    if (code != CUDA_SUCCESS) return session.failure(code, kReading);
    launches.push_back({.node = node,
                        .function = launch.func,
                        .groups = {launch.gridDimX, launch.gridDimY, launch.gridDimZ},
                        .group_size = {launch.blockDimX, launch.blockDimY, launch.blockDimZ},
                        .arguments = arguments_of(session.cu(), launch)});
  }
  return launches;
}

}  // namespace wattune::backend::cuda
