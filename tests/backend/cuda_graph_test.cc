// Graphs of launches that Wattune makes itself, against the stand-in for the driver.
#include <dlfcn.h>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

fakes::FakeCuda& graphs_driver() {
  static void* const library = dlopen(kLibcuda.c_str(), RTLD_NOW | RTLD_LOCAL);
  static auto* const get = reinterpret_cast<fakes::FakeCuda* (*)()>(dlsym(library, "wattune_fake_cuda"));
  return *get();
}

// Tests with a device in this process or, by the parameter, in a worker.
class CudaGraph : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    device = GetParam() ? open_device_in_worker("cuda:0", options).value() : open_device("cuda:0").value();
    program = device->build(cuda_source(kKernels), {}, kLimit).value();
    stream = device->create_stream().value();
    for (const char* name : {"noop", "scale", "weigh", "too_large"}) kernels[name] = program->kernel(name).value();
  }

  GraphNode scale(const Buffer& x, std::size_t repeat = 1) const {
    return {kernels.at("scale").get(), {}, {&x, scalar(2.0f), scalar(2)}, repeat};
  }
  // Returns a node that runs for this time: the stand-in takes a microsecond for each thread of a block.
  GraphNode run_for(std::size_t microseconds, std::size_t repeat = 1) const {
    return {kernels.at("noop").get(), {.group_size = {microseconds, 1, 1}}, {}, repeat};
  }
  Result<Nanoseconds> time_of(PreparedLaunch& graph) {
    WATTUNE_ASSIGN(const auto event, graph.send_timed());
    WATTUNE_TRY(stream->finish(kLimit));
    return event->duration();
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::unique_ptr<Stream> stream;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

TEST_P(CudaGraph, RunsItsNodesInOrderAsOftenAsTheySay) {
  const auto x = buffer_with<float>(*device, *stream, {1, 3});
  const auto graph = stream->prepare_graph(std::array{run_for(3), scale(*x, 2), run_for(4)}, 3).value();
  EXPECT_NEAR(time_of(*graph).value().value(), 3 * (3 + 2 + 4) * 1e3, 1.0);
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(64, 192)) << "times two, six times";
  ASSERT_TRUE(graph->send());
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(4096, 12288)) << "it can be sent again";
}

TEST_P(CudaGraph, ReadsConstantsThatAreCopiedBeforeIt) {
  const auto x = buffer_with<float>(*device, *stream, {1, 1, 1, 1});
  const auto weights = buffer_with<float>(*device, *stream, {1, 2, 3, 4});
  const GraphNode weigh{kernels.at("weigh").get(), {}, {x.get(), scalar(4), ConstantBuffer{"weights", weights.get()}}};
  const auto graph = stream->prepare_graph(std::array{weigh}, 2).value();
  EXPECT_NEAR(time_of(*graph).value().value(), 2e3, 1.0) << "copying is not timed";
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(1, 2, 3, 4));
}

TEST_P(CudaGraph, RefusesNothingAndImpossibleLaunches) {
  EXPECT_EQ(stream->prepare_graph({}, 1).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(stream->prepare_graph(std::array{run_for(1)}, 0).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(stream->prepare_graph(std::array{run_for(2048)}, 1).error().code(), ErrorCode::launch_failed);
  const GraphNode too_large{kernels.at("too_large").get(), {}, {}};
  const auto graph = stream->prepare_graph(std::array{too_large}, 1);
  ASSERT_TRUE(graph) << graph.error().to_string();
  EXPECT_THAT(time_of(**graph).error().to_string(), HasSubstr("running a graph of launches"));
}

INSTANTIATE_TEST_SUITE_P(InThisProcess, CudaGraph, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(InAWorker, CudaGraph, ::testing::Values(true));

class CudaGraphHere : public CudaGraph {
 protected:
  void TearDown() override { graphs_driver().launch_gap_ms = 0.0; }
};

// The stand-in lets the host take a millisecond to send a launch, and cannot hold the stream meanwhile.
TEST_P(CudaGraphHere, NoTimeOfTheHostComesBetweenItsLaunches) {
  const bool holds = std::exchange(graphs_driver().holds, false);
  graphs_driver().launch_gap_ms = 1.0;
  const GraphNode node = run_for(5);
  std::unique_ptr<Event> alone = stream->launch(*node.kernel, node.geometry, {}).value();
  stream->finish(kLimit).value();
  EXPECT_NEAR(alone->duration().value().value(), 1005e3, 1.0) << "this is what a graph is for";
  const auto graph = stream->prepare_graph(std::array{node}, 100).value();
  EXPECT_NEAR(time_of(*graph).value().value(), 1500e3, 1.0) << "the host's time once, and a hundred kernels";
  graphs_driver().holds = holds;
}

TEST_P(CudaGraphHere, OneCommandSendsItAndNothingIsLeft) {
  const long streams = graphs_driver().streams;
  const long launches = graphs_driver().launches;
  const long sent = graphs_driver().graph_launches;
  auto graph = stream->prepare_graph(std::array{run_for(1, 4)}, 8).value();
  EXPECT_EQ(graphs_driver().launches, launches) << "a captured launch does not run";
  EXPECT_EQ(graphs_driver().graphs, 1) << "the graph itself is not needed any more";
  ASSERT_TRUE(graph->send());
  ASSERT_TRUE(stream->finish(kLimit));
  EXPECT_EQ(graphs_driver().graph_launches - sent, 1);
  EXPECT_EQ(graphs_driver().launches - launches, 32);
  graph.reset();
  EXPECT_EQ(graphs_driver().graphs, 0);
  EXPECT_EQ(graphs_driver().streams, streams);
}

INSTANTIATE_TEST_SUITE_P(InThisProcess, CudaGraphHere, ::testing::Values(false));

}  // namespace
}  // namespace wattune::backend
