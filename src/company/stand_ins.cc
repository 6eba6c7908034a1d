#include "company/interface/stand_ins.h"

#include <algorithm>

#include "core/interface/suggest.h"

namespace wattune::inline v0_1::company {

namespace {

// A stand-in whose body is the same in both languages. It reads `x` and writes `y`; `i` is the number of the work-item.
struct StandIn {
  const char* name;
  ElementType type;
  Fill fill;
  std::int64_t length;   // elements of the buffers
  std::int64_t threads;  // work-items
  const char* body;
};

constexpr const char* kCompute = R"(
  float a = x[i], b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
  for (int turn = 0; turn < 1024; ++turn) {
    a = a * 0.999f + 0.5f;
    b = b * 0.999f + 0.5f;
    c = c * 0.999f + 0.5f;
    d = d * 0.999f + 0.5f;
  }
  y[i] = a + b + c + d;
}
)";

constexpr const char* kMemory = "\n  y[i] = x[i];\n}\n";

constexpr const char* kLatency = R"(
  int at = i;
  for (int step = 0; step < 64; ++step) at = x[at];
  y[i] = at;
}
)";

// The next element of a single cycle through all elements (Hull, Dobell 1962). The steps are so large that cache lines
// do not help.
constexpr const char* kNext = "(1664525 * i + 1013904223) % n";

constexpr std::int64_t kBlock = 256;

std::vector<StandIn> all_stand_ins() {
  return {{"compute", ElementType::float32, FillConstant{0.5}, 1 << 18, 1 << 18, kCompute},
          {"memory", ElementType::float32, FillConstant{0.5}, 1 << 24, 1 << 24, kMemory},
          {"latency", ElementType::int32, FillExpression{{kNext, {}}}, 1 << 24, 1 << 16, kLatency}};
}

KernelSource source_of(const StandIn& stand_in, Language language) {
  const std::string type = stand_in.type == ElementType::int32 ? "int" : "float";
  const bool cuda = language == Language::cuda;
  const std::string head = cuda ? "extern \"C\" __global__ void " + std::string(stand_in.name) + "(const " + type +
                                      "* x, " + type + "* y) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;"
                                : "__kernel void " + std::string(stand_in.name) + "(__global const " + type +
                                      "* x, __global " + type + "* y) {\n  const int i = get_global_id(0);";
  return {.language = language,
          .function = stand_in.name,
          .file = std::string(stand_in.name) + (cuda ? ".cu" : ".cl"),
          .text = head + stand_in.body};
}

KernelSpec spec_of(const StandIn& stand_in) {
  KernelSpec spec;
  spec.name = stand_in.name;
  spec.source = source_of(stand_in, Language::opencl);
  spec.alternatives = {source_of(stand_in, Language::cuda)};
  spec.problem_size = {{"n", stand_in.length}, {"threads", stand_in.threads}};
  spec.geometry.sizes.front() = {"threads", {}};
  spec.geometry.work_group.front() = {"BLOCK", {}};
  const VectorArgument read{.type = stand_in.type, .length = {"n", {}}, .fill = stand_in.fill};
  const VectorArgument written{.type = stand_in.type, .length = {"threads", {}}, .access = ArgumentAccess::write_only};
  spec.arguments = {{"x", read, {}}, {"y", written, {}}};
  spec.parameters = {{.name = "BLOCK", .values = {Value(kBlock)}, .default_value = {}, .position = {}}};
  return spec;
}

}  // namespace

const std::vector<std::string>& stand_in_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const StandIn& each : all_stand_ins()) all.emplace_back(each.name);
    return all;
  }();
  return names;
}

Result<KernelSpec> stand_in(const std::string& name) {
  for (const StandIn& each : all_stand_ins())
    if (each.name == name) return spec_of(each);
  return Error(ErrorCode::not_found, "no class of partners has this name")
      .about(name)
      .hint(suggest(name, stand_in_names()));
}

}  // namespace wattune::company
