// Compositions in an application's own OpenCL context: the abilities of the function, the consequences of its mistakes,
// and tuning as one unit.
#include "wattune/dynamic/composition.h"

#include <gmock/gmock.h>

#include <numeric>
#include <stdexcept>

#include "dynamic/opencl_application.h"
#include "wattune/dynamic/tuner.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using test::OpenClApplication;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::int64_t kUnitElements = 256;

// y = by * x + 1, at once or through `between`; `halve` adds the upper half of `in` to the lower half.
constexpr char kUnitSource[] = R"(
kernel void both(global const float* x, global float* y, float by) {
  const int i = get_global_id(0);
  y[i] = by * x[i] + 1.0f;
}
kernel void multiply(global const float* x, global float* between, float by) {
  const int i = get_global_id(0);
  between[i] = by * x[i];
}
kernel void increment(global const float* between, global float* y) {
  const int i = get_global_id(0);
  y[i] = between[i] + 1.0f;
}
kernel void halve(global const float* in, global float* out, int count) {
  const int i = get_global_id(0);
  if (i < count) out[i] = in[i] + in[i + count];
}
kernel void twice(global float* y) { y[get_global_id(0)] *= 2.0f; }
)";

Argument vector(const std::string& name, ArgumentAccess access = ArgumentAccess::read_only) {
  return {name, VectorArgument{.length = {"n"}, .access = access}, {}};
}

KernelSpec kernel(const std::string& name, std::vector<Argument> arguments) {
  KernelSpec spec;
  spec.name = name;
  spec.source = {.language = Language::opencl, .function = name, .text = kUnitSource};
  spec.geometry.sizes[0] = {"n"};
  spec.geometry.work_group[0] = {"BLOCK"};
  spec.arguments = std::move(arguments);
  return spec;
}

CompositionSpec two_ways(std::function<Result<void>(Context&)> run) {
  const Argument by{"by", ScalarArgument{.type = ElementType::float32, .value = {"2.0"}}, {}};
  const Argument count{"count", ScalarArgument{.type = ElementType::int32, .value = {"n / 2"}}, {}};
  const Argument y = vector("y", ArgumentAccess::write_only);
  return {
      .name = "two_ways",
      .kernels = {kernel("both", {vector("x"), y, by}), kernel("multiply", {vector("x"), vector("between"), by}),
                  kernel("increment", {vector("between"), y}), kernel("halve", {vector("in"), vector("out"), count}),
                  kernel("twice", {vector("y", ArgumentAccess::read_write)})},
      .parameters = {{.name = "FUSED", .values = {0, 1}}, {.name = "BLOCK", .values = {32, 64}}},
      .constraints = {},
      .sizes = {{"n", kUnitElements}},
      .run = std::move(run),
      .arguments = {"x", "y"}};
}

Result<void> one_or_two(Context& context) {
  if (context.integer("FUSED") != 0) return context.launch("both");
  WATTUNE_TRY(context.launch("multiply"));
  return context.launch("increment");
}

class Compositions : public ::testing::Test {
 protected:
  void SetUp() override {
    application = OpenClApplication::make();
    if (!application) GTEST_SKIP() << "no OpenCL device on this machine";
    device = backend::attach_opencl(application->context(), application->device()).value();
    tuner = Tuner::attach(*device,
                          {.budget = {.share = 1e3, .longest = nanoseconds_from_seconds(1e3)}, .compile_processes = 0})
                .value();
    x = application->make_memory(std::vector<float>(kUnitElements, 3.0f));
    y = application->make_memory(std::vector<float>(kUnitElements, 0.0f));
  }

  static KernelOptions best() { return {.policy = {.mode = Mode::best, .safety = Safety::trusted}}; }
  Result<std::unique_ptr<TunableComposition>> make(std::function<Result<void>(Context&)> run) {
    return tuner->composition(two_ways(std::move(run)), best());
  }
  // Makes one call with this function.
  Result<void> call(std::function<Result<void>(Context&)> run) {
    WATTUNE_ASSIGN(const auto composition, make(std::move(run)));
    return (*composition)(application->queue(), x, y);
  }
  std::vector<float> values() const { return application->values(y, kUnitElements); }

  std::unique_ptr<OpenClApplication> application;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<Tuner> tuner;
  cl_mem x = nullptr;
  cl_mem y = nullptr;
};

TEST_F(Compositions, LaunchWhatTheConfigurationSays) {
  std::vector<std::string> configurations;
  CompositionSpec spec = two_ways([&](Context& context) {
    configurations.push_back(context.configuration().to_string());
    EXPECT_EQ(context.size("n"), kUnitElements);
    EXPECT_EQ(context.flag("FUSED"), context.integer("FUSED") == 1);
    return one_or_two(context);
  });
  for (const int fused : {0, 1}) {
    spec.parameters[0].values = {fused};
    const auto composition = tuner->composition(spec, best()).value();
    (*composition)(application->queue(), x, y).value();
    EXPECT_THAT(values(), Each(7.0f));  // 2 * 3 + 1
    EXPECT_EQ(composition->report().calls, 1u);
  }
  EXPECT_EQ(configurations, (std::vector<std::string>{"FUSED=0, BLOCK=32", "FUSED=1, BLOCK=32"}));
}

TEST_F(Compositions, AreTunedAsOne) {
  const auto composition =
      tuner->composition(two_ways(one_or_two), {.policy = {.safety = Safety::trusted, .watch_every = std::nullopt}})
          .value();
  for (int i = 0;; ++i) {
    (*composition)(application->queue(), x, y).value();
    if (i % 16 != 0) continue;
    ASSERT_THAT(values(), Each(7.0f)) << "call " << i;
    if (composition->report().keys.front().stage == TuningStage::complete) break;
  }
  const KernelReport report = composition->report();
  EXPECT_EQ(report.kernel, "two_ways");
  EXPECT_NE(report.keys.front().stage, TuningStage::under_way);
  EXPECT_EQ(report.explored, 4u);  // all of them: 2 times 2
  EXPECT_EQ(report.keys.front().failed, 0u);
  ASSERT_EQ(tuner->report().kernels.size(), 1u);
}

TEST_F(Compositions, AreTunedWithoutTheTimeOfTheirTransfers) {
  const std::vector<float> twos(kUnitElements, 2.0f);
  CompositionSpec spec = two_ways([&](Context& context) -> Result<void> {
    WATTUNE_TRY(context.write("x", std::as_bytes(std::span(twos))));
    return one_or_two(context);
  });
  spec.times_transfers = false;
  const auto composition =
      tuner->composition(spec, {.policy = {.safety = Safety::trusted, .watch_every = std::nullopt}}).value();
  do {
    (*composition)(application->queue(), x, y).value();
    ASSERT_THAT(values(), Each(5.0f));  // 2 * 2 + 1
  } while (composition->report().keys.front().stage != TuningStage::complete);
  EXPECT_EQ(composition->report().explored, 4u);
}

// The sums are 256 elements of 3, 128 of 6, 64 of 12, ..., 1 of 768.
TEST_F(Compositions, IterateWithOtherGeometriesScalarsAndMemory) {
  float sum = 0.0f;
  const auto composition = make([&](Context& context) -> Result<void> {
                             WATTUNE_TRY(context.resize("in", kUnitElements * sizeof(float)));
                             WATTUNE_TRY(context.copy("x", "in"));
                             for (int count = kUnitElements / 2; count > 0; count /= 2) {
                               WATTUNE_ASSIGN(backend::Geometry3 geometry, context.geometry("halve"));
                               EXPECT_EQ(geometry.group_size[0], 32u);
                               geometry.groups[0] = static_cast<std::size_t>(count + 31) / 32;
                               WATTUNE_TRY(context.set("count", count));
                               WATTUNE_TRY(context.launch("halve", {.geometry = geometry}));
                               WATTUNE_TRY(context.swap("in", "out"));
                             }
                             WATTUNE_TRY(context.read("in", std::as_writable_bytes(std::span(&sum, 1))));
                             return context.synchronize();
                           }).value();
  for (int i = 0; i < 3; ++i) {
    sum = 0.0f;
    (*composition)(application->queue(), x, y).value();
    EXPECT_EQ(sum, 768.0f);
  }
}

TEST_F(Compositions, JoinTheirStreamsToTheCallers) {
  const auto composition = make([](Context& context) -> Result<void> {
                             WATTUNE_TRY(context.launch("multiply", {.stream = 1}));
                             WATTUNE_TRY(context.order(1, 2));
                             return context.launch("increment", {.stream = 2});
                           }).value();
  for (int i = 0; i < 20; ++i) {
    (*composition)(application->queue(), x, y).value();
    ASSERT_THAT(values(), Each(7.0f));                   // read behind the call, in the caller's queue
    (*composition)(application->queue(), y, y).value();  // begins behind what the caller's queue has
    ASSERT_THAT(values(), Each(15.0f));
  }
  EXPECT_EQ(call([](Context& context) { return context.launch("both", {.stream = 99}); }).error().code(),
            ErrorCode::out_of_range);
}

TEST_F(Compositions, KeepTheirMemoryAndItsContents) {
  std::vector<float> kept(8);
  int calls = 0;
  const auto composition =
      make([&](Context& context) -> Result<void> {
        const std::vector<float> four{1.0f, 2.0f, 3.0f, 4.0f};
        if (++calls == 1) {
          WATTUNE_TRY(context.resize("state", 16));
          WATTUNE_TRY(context.write("state", std::as_bytes(std::span(four))));
        } else {
          WATTUNE_TRY(context.resize("state", calls == 2 ? 32 : 8));
          WATTUNE_TRY(context.read("state", std::as_writable_bytes(std::span(kept).first(calls == 2 ? 4 : 2))));
        }
        WATTUNE_TRY(context.launch("both"));
        return context.synchronize();
      }).value();
  (*composition)(application->queue(), x, y).value();
  (*composition)(application->queue(), x, y).value();
  EXPECT_EQ(kept, (std::vector<float>{1.0f, 2.0f, 3.0f, 4.0f, 0.0f, 0.0f, 0.0f, 0.0f}));
  kept.assign(8, 0.0f);
  (*composition)(application->queue(), x, y).value();
  EXPECT_EQ(kept, (std::vector<float>{1.0f, 2.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}));
}

// The first call has 64 elements, the second has all.
TEST_F(Compositions, MakeTheirMemoryAsLargeAsEachCallNeeds) {
  std::vector<std::size_t> bytes;
  CompositionSpec spec = two_ways([&](Context& context) -> Result<void> {
    WATTUNE_TRY(one_or_two(context));
    bytes.push_back(context.argument("between")->buffer()->bytes());
    return {};
  });
  spec.parameters[0].values = {0};
  const auto composition = tuner->composition(spec, best()).value();
  const std::array arguments = {CallArgument(x), CallArgument(y)};
  for (const std::int64_t n : {std::int64_t{64}, kUnitElements, std::int64_t{64}}) {
    const std::array sizes = {NamedSize{"n", n}};
    composition->call(application->queue(), arguments, {.sizes = sizes}).value();
    values();
  }
  EXPECT_EQ(bytes, (std::vector<std::size_t>{256, 1024, 1024}));
  EXPECT_THAT(values(), Each(7.0f));
}

TEST_F(Compositions, MoveBytesOfTheCallsMemory) {
  std::vector<float> some{5.0f, 6.0f};
  std::vector<float> back(2);
  call([&](Context& context) -> Result<void> {
    WATTUNE_TRY(context.launch("both"));
    WATTUNE_TRY(context.fill("y", std::byte{0}));
    WATTUNE_TRY(context.write("y", std::as_bytes(std::span(some)), 1));
    WATTUNE_TRY(context.order(1, 0));
    WATTUNE_TRY(context.read("y", std::as_writable_bytes(std::span(back))));
    return context.synchronize();
  }).value();
  EXPECT_EQ(back, some);
  EXPECT_EQ(values()[1], 6.0f);
  EXPECT_EQ(values()[2], 0.0f);
}

TEST_F(Compositions, QueuesHaveMemoryOfTheirOwn) {
  const cl_command_queue second = application->make_queue();
  std::vector<std::uint64_t> addresses;
  const auto composition = make([&](Context& context) -> Result<void> {
                             WATTUNE_TRY(one_or_two(context));
                             WATTUNE_ASSIGN(const CallArgument between, context.argument("between"));
                             addresses.push_back(between.buffer()->memory());
                             return {};
                           }).value();
  (*composition)(application->queue(), x, y).value();
  (*composition)(second, x, y).value();
  (*composition)(application->queue(), x, y).value();
  EXPECT_EQ(addresses[0], addresses[2]);
  EXPECT_NE(addresses[0], addresses[1]);
}

// The kernel is launched in a stream of the composition's, which is another one after the queue was forgotten.
TEST_F(Compositions, OfAForgottenQueueKeepNothing) {
  std::vector<bool> had_memory;
  const auto composition = make([&](Context& context) -> Result<void> {
                             had_memory.push_back(context.argument("state").has_value());
                             WATTUNE_TRY(context.resize("state", 16));
                             return context.launch("both", {.stream = 1});
                           }).value();
  for (int i = 0; i < 2; ++i) (*composition)(application->queue(), x, y).value();
  values();  // waits for the queue
  tuner->forget(application->queue()).value();
  for (int i = 0; i < 2; ++i) (*composition)(application->queue(), x, y).value();
  values();
  EXPECT_EQ(had_memory, (std::vector<bool>{false, true, false, true}));
}

TEST_F(Compositions, ThatLaunchNothingAreAnError) {
  const Error nothing = call([](Context&) { return Result<void>(); }).error();
  EXPECT_EQ(nothing.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(nothing.to_string(), HasSubstr("composition `two_ways` launched nothing with FUSED=0, BLOCK=32"));
}

TEST_F(Compositions, ThatThrowAreAnErrorAndGoOn) {
  bool throws = true;
  const auto composition = make([&](Context& context) -> Result<void> {
                             WATTUNE_TRY(context.launch("multiply", {.stream = 1}));
                             if (throws) throw std::runtime_error("no paper");
                             return context.launch("increment", {.stream = 1});
                           }).value();
  const Error thrown = (*composition)(application->queue(), x, y).error();
  EXPECT_EQ(thrown.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(thrown.to_string(), HasSubstr("the function of composition `two_ways` threw: no paper"));
  throws = false;
  (*composition)(application->queue(), x, y).value();
  EXPECT_THAT(values(), Each(7.0f));
}

// A second run would double what the first doubled.
TEST_F(Compositions, AreNotRepeatedOnWhatTheyChanged) {
  CompositionSpec spec = two_ways([](Context& context) -> Result<void> {
    WATTUNE_TRY(context.launch("twice"));
    return Error(ErrorCode::launch_failed, "late");
  });
  // The first kernel's `y` is then both read and written.
  std::rotate(spec.kernels.begin(), spec.kernels.end() - 1, spec.kernels.end());
  const auto composition = tuner->composition(spec, best()).value();
  y = application->make_memory(std::vector<float>(kUnitElements, 1.0f));
  const Error late = (*composition)(application->queue(), x, y).error();
  EXPECT_EQ(late.code(), ErrorCode::cancelled);
  EXPECT_THAT(late.to_string(), HasSubstr("after it had launched kernels"));
  EXPECT_THAT(values(), Each(2.0f));
}

TEST_F(Compositions, DoNotCallThemselves) {
  TunableComposition* own = nullptr;
  const auto composition = make([&](Context&) { return (*own)(application->queue(), x, y); }).value();
  own = composition.get();
  const Error error = (*composition)(application->queue(), x, y).error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.to_string(), HasSubstr("calls its own composition"));
}

TEST_F(Compositions, RefuseWhatCannotBe) {
  const auto code = [&](std::function<Result<void>(Context&)> run) { return call(std::move(run)).error().code(); };
  EXPECT_EQ(code([](Context& context) { return context.launch("triple"); }), ErrorCode::not_found);
  EXPECT_EQ(code([](Context& context) {
              return context.launch("both", {.arguments = {{"z", 1}}});
            }),
            ErrorCode::not_found);
  EXPECT_EQ(code([](Context& context) {
              return context.launch("both", {.arguments = {{"by", 1}}});
            }),
            ErrorCode::invalid_argument);  // an integer for a real
  EXPECT_EQ(code([](Context& context) { return context.set("x", 1.0f); }), ErrorCode::not_found);
  EXPECT_EQ(code([](Context& context) { return context.fill("z", std::byte{0}); }), ErrorCode::not_found);
  EXPECT_EQ(code([](Context& context) -> Result<void> {
              WATTUNE_TRY(context.resize("y", 4));
              return {};
            }),
            ErrorCode::invalid_argument);
  const std::vector<std::byte> large(2 * kUnitElements * sizeof(float));
  EXPECT_EQ(code([&](Context& context) { return context.write("y", large); }), ErrorCode::mismatch);
  const cl_mem small = application->make_memory({1.0f});
  EXPECT_EQ((*make(one_or_two).value())(application->queue(), x, small).error().code(), ErrorCode::mismatch);
}

TEST_F(Compositions, MistakesInTheSpecAreSaidAtOnce) {
  const auto error = [&](const CompositionSpec& spec, const KernelOptions& options = best()) {
    return tuner->composition(spec, options).error().to_string();
  };
  EXPECT_THAT(error(two_ways(one_or_two), {}), HasSubstr("cannot be screened"));
  EXPECT_THAT(error(two_ways({})), HasSubstr("composition `two_ways` has no function"));
  CompositionSpec spec = two_ways(one_or_two);
  spec.arguments = {"x", "z"};
  EXPECT_THAT(error(spec), HasSubstr("no kernel of composition `two_ways` has an argument `z`"));
  spec = two_ways(one_or_two);
  spec.kernels.push_back(spec.kernels.front());
  EXPECT_THAT(error(spec), HasSubstr("two kernels that are called `both`"));
  spec.kernels.clear();
  EXPECT_THAT(error(spec), HasSubstr("has no kernel"));
}

}  // namespace
}  // namespace wattune::dynamic
