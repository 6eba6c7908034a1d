// The sum of a vector (Petrovic et al. 2020, section 4.2.9). It is computed in one launch, in which a fixed number of
// groups add to an atomic sum, or in several launches. Each launch then adds up the partial sums of the one before; the
// number of launches depends on the size. A composition finds the better way while the application calls it.
#include <cstdio>
#include <vector>

#include "wattune/backend/registry.h"
#include "wattune/dynamic/managed.h"
#include "wattune/dynamic/tuner.h"

namespace {

using namespace wattune;

constexpr std::size_t kElements = 1 << 18;
constexpr int kMostCalls = 1000;
constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);

// The kernels in OpenCL C. A work-group adds up the partial sums of its work-items.
constexpr const char* kSource = R"(
int sum_of_group(local int* parts, int sum) {
  parts[get_local_id(0)] = sum;
  for (int width = BLOCK / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < width) parts[get_local_id(0)] += parts[get_local_id(0) + width];
  }
  return parts[0];
}

kernel void reduce(global const int* in, global int* sums, int n) {
  local int parts[BLOCK];
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  sum = sum_of_group(parts, sum);
  if (get_local_id(0) != 0) return;
  if (ONE_PASS) atomic_add(sums, sum);
  else sums[get_group_id(0)] = sum;
}
)";

Result<void> sum_up(dynamic::Context& context) {
  if (context.flag("ONE_PASS")) {
    WATTUNE_TRY(context.fill("sum", std::byte{0}));
    return context.launch("reduce");
  }
  // The first launch reads `in`, the last writes `sum`. Between launches the partial sums go to one of two vectors of
  // the composition in turn.
  WATTUNE_ASSIGN(backend::Geometry3 geometry, context.geometry("reduce"));
  const auto per_group = static_cast<std::size_t>(context.integer("PER_ITEM")) * geometry.group_size[0];
  std::size_t left = static_cast<std::size_t>(context.size("n"));
  WATTUNE_ASSIGN(dynamic::CallArgument from, context.argument("in"));
  for (bool odd = false; left > 1; odd = !odd) {
    geometry.groups[0] = (left + per_group - 1) / per_group;
    WATTUNE_ASSIGN(const dynamic::CallArgument between,
                   context.resize(odd ? "odd" : "even", kElements / 64 * sizeof(int)));
    WATTUNE_ASSIGN(const dynamic::CallArgument sum, context.argument("sum"));
    const dynamic::CallArgument to = geometry.groups[0] == 1 ? sum : between;
    const dynamic::CallArgument n = static_cast<int>(left);
    WATTUNE_TRY(context.launch("reduce", {.geometry = geometry, .arguments = {{"in", from}, {"sum", to}, {"n", n}}}));
    from = to;
    left = geometry.groups[0];
  }
  return {};
}

dynamic::CompositionSpec reduction() {
  KernelSpec reduce;
  reduce.name = "reduce";
  reduce.source = {.function = "reduce", .text = kSource};
  reduce.geometry.sizes[0].text = "64 * BLOCK";
  reduce.geometry.work_group[0].text = "BLOCK";
  reduce.arguments = {
      {"in", VectorArgument{.type = ElementType::int32, .length = {"n", {}}}, {}},
      {"sum",
       VectorArgument{.type = ElementType::int32, .length = {"1", {}}, .access = ArgumentAccess::write_only},
       {}},
      {"n", ScalarArgument{.type = ElementType::int32, .value = {"n", {}}}, {}}};
  return {.name = "reduction",
          .kernels = {reduce},
          .parameters = {{.name = "ONE_PASS", .values = {0, 1}},
                         {.name = "BLOCK", .values = {32, 128}},
                         {.name = "PER_ITEM", .values = {2, 16}}},
          .constraints = {{"ONE_PASS == 0 or PER_ITEM == 2", {}}},
          .sizes = {{"n", static_cast<std::int64_t>(kElements)}},
          .run = sum_up,
          .arguments = {"in", "sum"}};
}

Result<void> run() {
  WATTUNE_ASSIGN(const DeviceInfo info, backend::select_device(backend::discover(), "opencl", {Language::opencl}));
  WATTUNE_ASSIGN(const auto device, backend::open_device(info.selector));
  WATTUNE_ASSIGN(const auto stream, device->create_stream());
  WATTUNE_ASSIGN(auto in, dynamic::Vector<int>::make(*device, kElements));
  WATTUNE_ASSIGN(auto sum, dynamic::Vector<int>::make(*device, 1));
  const std::vector<int> threes(kElements, 3);
  WATTUNE_TRY(in.upload(*stream, threes));
  WATTUNE_TRY(stream->finish(kLimit));

  WATTUNE_ASSIGN(const auto tuner, dynamic::Tuner::attach(*device, {.compile_processes = 0}));
  WATTUNE_ASSIGN(const auto composition,
                 tuner->composition(reduction(),
                                    {.policy = {.mode = dynamic::Mode::explore, .safety = dynamic::Safety::trusted}}));
  for (int call = 0; call < kMostCalls; ++call) {
    std::vector<int> result(1);
    WATTUNE_TRY((*composition)(*stream, in, sum));
    WATTUNE_TRY(sum.download(*stream, result));
    WATTUNE_TRY(stream->finish(kLimit));
    if (result[0] != 3 * static_cast<int>(kElements)) return Error(ErrorCode::internal, "a wrong result");
    if (composition->report().keys.front().stage == dynamic::TuningStage::complete) break;
    tuner->gap(nanoseconds_from_seconds(10));  // the device is idle, so that waiting code may be loaded
  }
  const dynamic::KernelReport report = composition->report();
  std::printf("%llu calls, all right; %llu configurations tried; %s\n", static_cast<unsigned long long>(report.calls),
              static_cast<unsigned long long>(report.explored), report.keys.front().best->to_string().c_str());
  return report.explored > 1 ? Result<void>() : Error(ErrorCode::internal, "nothing was tried");
}

}  // namespace

int main() {
  const Result<void> result = run();
  if (result) return 0;
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  return 1;
}
