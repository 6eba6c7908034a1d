// Stream capture and graphs of the stand-in for libcuda.so.1: only launches become nodes, one after another.
#include <utility>

#include "fakes/cuda/fake_driver.h"

namespace {

thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// Tells whether an unsafe call of this thread ends the capture of this stream.
bool is_ended_by_this_thread(const CUstream_st& stream) {
  if (!stream.capture || capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (stream.captured_by == std::this_thread::get_id()) return stream.capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && stream.capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

// A scope whose end gives launches the gap of its beginning again.
class GapOnce {
 public:
  GapOnce() = default;
  GapOnce(const GapOnce&) = delete;
  GapOnce& operator=(const GapOnce&) = delete;
  ~GapOnce() { state.launch_gap_ms = gap_ms_; }

 private:
  const double gap_ms_ = state.launch_gap_ms;
};

}  // namespace

namespace wattune::fakes {

bool ends_a_capture() {
  bool ended = false;
  for (const CUstream stream : context().streams) {
    if (!is_ended_by_this_thread(*stream)) continue;
    stream->capture_ended = ended = true;
  }
  return ended;
}

std::vector<std::vector<char>> values_of(CUfunction function, void** parameters) {
  std::vector<std::vector<char>> values;
  for (const std::size_t bytes : function->description.parameter_bytes) {
    const char* const from = static_cast<const char*>(parameters[values.size()]);
    values.emplace_back(from, from + bytes);
  }
  return values;
}

}  // namespace wattune::fakes

extern "C" {

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(capture_mode, *mode);
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  WATTUNE_UNLESS_BROKEN();
  ++state.asked_for_capture;
  const CUstream_st& stream = stream_of(handle);
  *status = !stream.capture        ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream.capture_ended ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                   : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  *count = nodes == nullptr ? graph->nodes.size() : std::min(*count, graph->nodes.size());
  for (std::size_t i = 0; nodes != nullptr && i < *count; ++i) nodes[i] = graph->nodes[i].get();
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode, CUgraphNodeType* type) {
  *type = CU_GRAPH_NODE_TYPE_KERNEL;
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* launch) {
  node->parameters.clear();
  for (std::vector<char>& value : node->values) node->parameters.push_back(value.data());
  const CUlaunchConfig& config = node->config;
  *launch = {.func = node->function,
             .gridDimX = config.gridDimX,
             .gridDimY = config.gridDimY,
             .gridDimZ = config.gridDimZ,
             .blockDimX = config.blockDimX,
             .blockDimY = config.blockDimY,
             .blockDimZ = config.blockDimZ,
             .sharedMemBytes = config.sharedMemBytes,
             .kernelParams = node->parameters.data(),
             .extra = nullptr,
             .kern = nullptr,
             .ctx = nullptr};
  return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* launch) {
  WATTUNE_UNLESS_BROKEN();
  const auto found = std::ranges::find(exec->nodes, node, [](const auto& each) { return each.first; });
  if (found == exec->nodes.end()) return CUDA_ERROR_INVALID_VALUE;
  CUgraphNode_st& changed = found->second;
  changed.function = launch->func;
  changed.values = values_of(launch->func, launch->kernelParams);
  changed.config = {.gridDimX = launch->gridDimX,
                    .gridDimY = launch->gridDimY,
                    .gridDimZ = launch->gridDimZ,
                    .blockDimX = launch->blockDimX,
                    .blockDimY = launch->blockDimY,
                    .blockDimZ = launch->blockDimZ,
                    .sharedMemBytes = launch->sharedMemBytes,
                    .hStream = nullptr,
                    .attrs = nullptr,
                    .numAttrs = 0};
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  WATTUNE_UNLESS_BROKEN();
  CUstream_st& stream = stream_of(handle);
  stream.capture = std::make_unique<CUgraph_st>();
  stream.capture_mode = mode;
  stream.captured_by = std::this_thread::get_id();
  stream.capture_ended = false;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  WATTUNE_UNLESS_BROKEN();
  CUstream_st& stream = stream_of(handle);
  *graph = nullptr;
  std::unique_ptr<CUgraph_st> captured = std::exchange(stream.capture, nullptr);
  if (stream.capture_ended) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = captured.release();
  ++state.graphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  --state.graphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  WATTUNE_UNLESS_BROKEN();
  *exec = new CUgraphExec_st;
  ++state.graphs;
  for (const auto& node : graph->nodes) (*exec)->nodes.emplace_back(node.get(), *node);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  delete exec;
  --state.graphs;
  return CUDA_SUCCESS;
}

// Lets the time of the host pass before the first kernel only, because one call sends the graph.
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  WATTUNE_UNLESS_BROKEN();
  ++state.graph_launches;
  const GapOnce gap_once;
  for (auto& [made_from, node] : exec->nodes) {
    std::vector<void*> parameters;
    for (std::vector<char>& value : node.values) parameters.push_back(value.data());
    CUlaunchConfig config = node.config;
    config.hStream = stream;
    if (const CUresult code = cuLaunchKernelEx(&config, node.function, parameters.data(), nullptr); code != 0)
      return code;
    state.launch_gap_ms = 0.0;
  }
  return CUDA_SUCCESS;
}

}  // extern "C"
