// The one call that opens several kernels, and what a session of them does.
#include "wattune/schedule/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "wattune/backend/registry.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::unique_ptr<CorunSession> simulated() {
  return open_simulated({"PC", "TEA", "PC"}, 2, {.device = "C2050"}).value();
}

// Returns a kernel that adds a number to each element, for any OpenCL device.
KernelSpec adding(const std::string& name) {
  KernelSpec spec;
  spec.name = name;
  spec.source = {.function = "add",
                 .file = "add.cl",
                 .text =
                     "kernel void add(global const float* in, global float* out) {\n"
                     "  out[get_global_id(0)] = in[get_global_id(0)] + NUMBER;\n}\n"};
  spec.problem_size = {{"n", 4096}};
  spec.geometry.sizes[0].text = "n";
  spec.geometry.work_group[0].text = "64";
  spec.arguments = {{"in", VectorArgument{.length = {"n"}, .fill = FillUniform{}}},
                    {"out", VectorArgument{.length = {"n"}, .access = ArgumentAccess::write_only}}};
  spec.parameters = {{.name = "NUMBER", .values = {1, 2}}};
  return spec;
}

TEST(CorunSession, GivesKernelsOfOneNameNamesOfTheirOwn) {
  std::vector<std::string> names;
  const auto session = simulated();
  for (const StageKernel& kernel : session->kernels()) names.push_back(kernel.traits.name);
  EXPECT_THAT(names, ElementsAre("PC", "TEA", "PC#2"));
  EXPECT_TRUE(session->is_simulated());
  EXPECT_EQ(session->device(), "C2050");
}

// Virtual time repeats exactly, so that one round suffices.
TEST(CorunSession, SweepsEveryPair) {
  const auto pairs = simulated()->sweep();
  ASSERT_TRUE(pairs) << pairs.error().to_string();
  ASSERT_THAT(*pairs, SizeIs(3));
  EXPECT_THAT((*pairs)[0].sweep.rows.front().makespans, SizeIs(1));
  EXPECT_THAT((*pairs)[0].names, ElementsAre("PC", "TEA"));
  const PairVerdict verdict = verdict_of((*pairs)[0]);
  EXPECT_EQ(verdict.withheld, Withheld::no);
  EXPECT_TRUE(verdict.gains()) << "one follows pointers and one computes";
}

TEST(CorunSession, RunsAQueueUnderThePoliciesThatAreNamed) {
  const auto report = simulated()->run_queue({.policies = {"fifo", "paired"}, .works = 12, .repeats = 1});
  ASSERT_TRUE(report) << report.error().to_string();
  std::vector<std::string> policies;
  for (const PolicyRun& policy : report->policies) policies.push_back(policy.policy);
  EXPECT_THAT(policies, ElementsAre("streams", "fifo", "paired"));
  EXPECT_EQ(report->works, 12U);
}

TEST(CorunSession, RefusesPoliciesAndObjectivesBeforeAnythingRuns) {
  const auto session = simulated();
  EXPECT_EQ(session->run_queue({.policies = {"fastest"}}).error().code(), ErrorCode::not_found);
  const auto refused = session->run_queue({.policies = {"fifo"}, .objective = {.goal = Goal::energy}});
  EXPECT_THAT(refused.error().to_string(), HasSubstr("none of these policies plans by an objective: `fifo`"));
}

TEST(CorunSession, RunsWhatIsSubmittedInItsOrder) {
  const auto session = simulated();
  const auto first = session->submit({.kernel = 0});
  ASSERT_TRUE(first) << first.error().to_string();
  const auto second = session->submit({.kernel = 1, .after = {first->id()}});
  ASSERT_TRUE(second) << second.error().to_string();
  const auto ended = second->wait();
  ASSERT_TRUE(ended) << ended.error().to_string();
  EXPECT_GE(ended->started, first->wait()->ended);
}

// There is one machine at a time, and that of submitted works would be gone.
TEST(CorunSession, SweepsOnceSubmittedWorksHaveEnded) {
  const auto session = simulated();
  const auto before = session->submit({.kernel = 0});
  ASSERT_TRUE(before) << before.error().to_string();
  ASSERT_TRUE(session->sweep(0, 1, {.rounds = 1}));
  EXPECT_TRUE(before->is_done());
  EXPECT_TRUE(before->wait());
  const auto after = session->submit({.kernel = 1});
  ASSERT_TRUE(after) << after.error().to_string();
  EXPECT_TRUE(after->wait());
}

TEST(CorunSession, ErrorsNameNoOptionOfAProgram) {
  EXPECT_EQ(open_simulated({"C"}, 8, {.device = "H9"}).error().code(), ErrorCode::not_found);
  for (const Error& error :
       {open_simulated({"C"}, 8, {.device = "H9"}).error(), open_simulated({"X"}, 8, {.device = "H100"}).error(),
        open(std::vector<KernelSpec>(), {}).error(), simulated()->run_queue({.policies = {"none"}}).error()})
    EXPECT_THAT(error.to_string(), testing::Not(HasSubstr("--")));
}

TEST(CorunSession, RunsSpecsOfADeviceAndComparesTheirOutputs) {
  const auto devices = backend::discover().devices;
  const auto opencl = std::ranges::find(devices, "opencl", &DeviceInfo::backend);
  if (opencl == devices.end()) GTEST_SKIP() << "no OpenCL device on this machine";
  auto session = open({adding("one"), adding("two")}, {.device = opencl->selector});
  ASSERT_TRUE(session) << session.error().to_string();
  const auto pairs = (*session)->sweep({.rounds = 1, .least_time = Nanoseconds(0)});
  ASSERT_TRUE(pairs) << pairs.error().to_string();
  ASSERT_TRUE(pairs->front().outputs);
  EXPECT_GT(pairs->front().outputs->compared, 0U);
  EXPECT_TRUE(pairs->front().is_right());
}

}  // namespace
}  // namespace wattune::schedule
