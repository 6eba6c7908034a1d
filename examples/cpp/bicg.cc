// BiCG (Petrovic et al. 2020, section 4.2.1): q = A p and s = A^T r. One kernel can compute both while it reads A once;
// then atomics or another kernel finish the sums for s. Or there are two kernels, one for each product. The best choice
// differs between devices. So the four kernels form one composition, which finds the best choice while the application
// calls it.
#include <cstdio>
#include <numeric>
#include <vector>

#include "wattune/backend/registry.h"
#include "wattune/dynamic/managed.h"
#include "wattune/dynamic/tuner.h"

namespace {

using namespace wattune;

constexpr std::size_t kSize = 512;  // rows and columns of A
constexpr int kMostCalls = 1000;
constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);

constexpr const char* kSource = R"(
void add(volatile global float* sum, float value) {
  union { float real; unsigned bits; } old, next;
  do {
    old.real = *sum;
    next.real = old.real + value;
  } while (atomic_cmpxchg((volatile global unsigned*)sum, old.bits, next.bits) != old.bits);
}

// A group sums up one row after the other: what its items have of it.
void put_row(local float* parts, global float* q, int row) {
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    float sum = 0.0f;
    for (int i = 0; i < BLOCK; ++i) sum += parts[i];
    q[row] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void fused(global const float* A, global const float* p, global const float* r, global float* q,
                  global float* s, global float* partial, int n) {
  local float parts[ROWS * BLOCK];
  const int item = get_local_id(0);
  const int first = get_group_id(0) * ROWS;
  for (int i = 0; i < ROWS; ++i) parts[i * BLOCK + item] = 0.0f;
  for (int column = item; column < n; column += BLOCK) {
    float sum = 0.0f;
    for (int i = 0; i < ROWS; ++i) {
      const float a = A[(first + i) * n + column];
      parts[i * BLOCK + item] += a * p[column];
      sum += a * r[first + i];
    }
    if (ATOMICS) add(s + column, sum);
    else partial[get_group_id(0) * n + column] = sum;
  }
  for (int i = 0; i < ROWS; ++i) put_row(parts + i * BLOCK, q, first + i);
}

kernel void sum_up(global const float* partial, global float* s, int n) {
  const int column = get_global_id(0);
  float sum = 0.0f;
  for (int i = 0; i < n / ROWS; ++i) sum += partial[i * n + column];
  s[column] = sum;
}

kernel void ap(global const float* A, global const float* p, global float* q, int n) {
  local float parts[BLOCK];
  const int item = get_local_id(0);
  for (int row = get_group_id(0) * ROWS; row < (get_group_id(0) + 1) * ROWS; ++row) {
    parts[item] = 0.0f;
    for (int column = item; column < n; column += BLOCK) parts[item] += A[row * n + column] * p[column];
    put_row(parts, q, row);
  }
}

kernel void atr(global const float* A, global const float* r, global float* s, int n) {
  const int column = get_global_id(0);
  float sum = 0.0f;
  for (int row = 0; row < n; ++row) sum += A[row * n + column] * r[row];
  s[column] = sum;
}
)";

Argument vector(const char* name, const char* length, ArgumentAccess access) {
  return {name, VectorArgument{.length = {length, {}}, .access = access}, {}};
}

KernelSpec kernel(const char* name, const char* items, const std::vector<const char*>& arguments) {
  KernelSpec spec;
  spec.name = name;
  spec.source = {.function = name, .text = kSource};
  spec.geometry.sizes[0].text = items;
  spec.geometry.work_group[0].text = "BLOCK";
  for (const std::string argument : arguments) {
    const bool written = argument == "q" || argument == "s";
    const char* const length = argument == "A" ? "n * n" : argument == "partial" ? "n / ROWS * n" : "n";
    spec.arguments.push_back(
        vector(argument.c_str(), length, written ? ArgumentAccess::write_only : ArgumentAccess::read_only));
  }
  spec.arguments.push_back({"n", ScalarArgument{.type = ElementType::int32, .value = {"n", {}}}, {}});
  return spec;
}

Result<void> multiply(dynamic::Context& context) {
  if (!context.flag("FUSED")) {
    WATTUNE_TRY(context.launch("ap"));
    return context.launch("atr");
  }
  const bool atomics = context.flag("ATOMICS");
  if (atomics) WATTUNE_TRY(context.fill("s", std::byte{0}));
  WATTUNE_TRY(context.launch("fused"));
  return atomics ? Result<void>() : context.launch("sum_up");
}

dynamic::CompositionSpec bicg() {
  return {.name = "bicg",
          .kernels = {kernel("fused", "n / ROWS * BLOCK", {"A", "p", "r", "q", "s", "partial"}),
                      kernel("sum_up", "n", {"partial", "s"}), kernel("ap", "n / ROWS * BLOCK", {"A", "p", "q"}),
                      kernel("atr", "n", {"A", "r", "s"})},
          .parameters = {{.name = "FUSED", .values = {0, 1}},
                         {.name = "ATOMICS", .values = {0, 1}},
                         {.name = "BLOCK", .values = {32, 64}},
                         {.name = "ROWS", .values = {4, 16}}},
          .constraints = {{"FUSED == 1 or ATOMICS == 0", {}}},
          .sizes = {{"n", static_cast<std::int64_t>(kSize)}},
          .run = multiply,
          .arguments = {"A", "p", "r", "q", "s"}};
}

struct Vectors {
  dynamic::Vector<float> A, p, r, q, s;
};

// Returns an element of A, a small integer, so that every order of summing gives the same result.
float a(std::size_t row, std::size_t column) { return static_cast<float>((row * 7 + column * 3) % 5); }
float x(std::size_t i) { return static_cast<float>(i % 4); }

Result<Vectors> make_vectors(backend::Device& device, backend::Stream& stream) {
  std::vector<float> matrix(kSize * kSize);
  std::vector<float> given(kSize);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = a(i / kSize, i % kSize);
  for (std::size_t i = 0; i < kSize; ++i) given[i] = x(i);
  WATTUNE_ASSIGN(auto A, dynamic::Vector<float>::make(device, matrix.size()));
  WATTUNE_ASSIGN(auto p, dynamic::Vector<float>::make(device, kSize));
  WATTUNE_ASSIGN(auto r, dynamic::Vector<float>::make(device, kSize));
  WATTUNE_ASSIGN(auto q, dynamic::Vector<float>::make(device, kSize));
  WATTUNE_ASSIGN(auto s, dynamic::Vector<float>::make(device, kSize));
  WATTUNE_TRY(A.upload(stream, matrix));
  WATTUNE_TRY(p.upload(stream, given));
  WATTUNE_TRY(r.upload(stream, given));
  WATTUNE_TRY(stream.finish(kLimit));
  return Vectors{std::move(A), std::move(p), std::move(r), std::move(q), std::move(s)};
}

Result<void> check(Vectors& on, backend::Stream& stream, const std::vector<float>& q, const std::vector<float>& s) {
  std::vector<float> got_q(kSize);
  std::vector<float> got_s(kSize);
  WATTUNE_TRY(on.q.download(stream, got_q));
  WATTUNE_TRY(on.s.download(stream, got_s));
  WATTUNE_TRY(stream.finish(kLimit));
  if (got_q == q && got_s == s) return {};
  return Error(ErrorCode::internal, "a wrong result");
}

Result<void> run() {
  WATTUNE_ASSIGN(const DeviceInfo info, backend::select_device(backend::discover(), "opencl", {Language::opencl}));
  WATTUNE_ASSIGN(const auto device, backend::open_device(info.selector));
  WATTUNE_ASSIGN(const auto stream, device->create_stream());
  WATTUNE_ASSIGN(Vectors on, make_vectors(*device, *stream));
  std::vector<float> q(kSize);
  std::vector<float> s(kSize);
  for (std::size_t row = 0; row < kSize; ++row)
    for (std::size_t column = 0; column < kSize; ++column) {
      q[row] += a(row, column) * x(column);
      s[column] += a(row, column) * x(row);
    }

  WATTUNE_ASSIGN(const auto tuner, dynamic::Tuner::attach(*device, {.compile_processes = 0}));
  WATTUNE_ASSIGN(
      const auto composition,
      tuner->composition(bicg(), {.policy = {.mode = dynamic::Mode::explore, .safety = dynamic::Safety::trusted}}));
  for (int call = 0; call < kMostCalls; ++call) {
    WATTUNE_TRY((*composition)(*stream, on.A, on.p, on.r, on.q, on.s));
    WATTUNE_TRY(check(on, *stream, q, s));
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
