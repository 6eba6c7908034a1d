// Makes kernels from a few lines of PTX and runs them on numbers.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "simulate/interface/ptx_run.h"

namespace wattune::inline v0_1::simulate {

inline const std::string kPtxHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

// A text's module in a memory of its own.
class PtxProgram {
 public:
  explicit PtxProgram(const std::string& text)
      : module(PtxModule::load(slice::parse_ptx(text, "k.ptx").value(), memory).value()) {}

  template <class T>
  std::uint64_t upload(const std::vector<T>& values, std::string name = "data") {
    const std::uint64_t address = memory.allocate(values.size() * sizeof(T), std::move(name));
    std::memcpy(memory.find(address, values.size() * sizeof(T)), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> download(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.find(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }

  // Runs a kernel. Parameters are in the order of the kernel, each of 8 or 4 bytes depending on its type.
  template <class... Parameters>
  Result<PtxCounts> run(std::string_view kernel, std::size_t blocks, std::size_t threads, const PtxRunOptions& options,
                        Parameters... parameters) {
    return run3(kernel, {.groups = {blocks, 1, 1}, .group_size = {threads, 1, 1}}, options, parameters...);
  }
  template <class... Parameters>
  Result<PtxCounts> run3(std::string_view kernel, const backend::Geometry3& geometry, const PtxRunOptions& options,
                         Parameters... parameters) {
    std::vector<std::byte> bytes;
    (append(bytes, parameters), ...);
    WATTUNE_ASSIGN(PtxRun run, PtxRun::start(module, kernel, geometry, bytes, memory, options));
    const Result<void> finished = run.finish();
    printed = run.printed();
    if (!finished) return finished.error();
    return run.counts();
  }

  VirtualMemory memory;
  PtxModule module;
  std::string printed;

 private:
  template <class T>
  static void append(std::vector<std::byte>& bytes, const T& value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
  }
};

// Three operands of a thread. The registers %a, %b and %c hold their 32 bits, %ah, %bh and %ch 16, and %al, %bl and %cl
// 64. Results go to %d, %dh or %dl, or to the predicate %p.
using PtxCase = std::array<std::uint64_t, 3>;

// Runs the instructions for each case in a thread of its own. Returns the values of `result` (%d, %dh, %dl or %p).
inline Result<std::vector<std::uint64_t>> try_evaluate(const std::string& instructions, const std::string& result,
                                                       const std::vector<PtxCase>& cases) {
  const std::string to_64 = result == "%dl"  ? "mov.b64 %out, %dl;"
                            : result == "%d" ? "cvt.u64.u32 %out, %d;"
                            : result == "%p" ? "selp.b64 %out, 1, 0, %p;"
                                             : "cvt.u64.u16 %out, %dh;";
  const std::string text = kPtxHead + R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p, %q, %r, %past;
  .reg .b16 %ah, %bh, %ch, %dh, %eh;
  .reg .b32 %a, %b, %c, %d, %e, %i, %n;
  .reg .b64 %al, %bl, %cl, %dl, %el, %in, %to, %out, %at;
  mov.u32 %i, %ctaid.x;
  mov.u32 %e, %ntid.x;
  mov.u32 %n, %tid.x;
  mad.lo.u32 %i, %i, %e, %n;
  ld.param.u32 %n, [n];
  setp.ge.u32 %past, %i, %n;
  @%past ret;
  ld.param.u64 %in, [in];
  ld.param.u64 %to, [out];
  mul.wide.u32 %at, %i, 24;
  add.u64 %in, %in, %at;
  ld.global.b64 %al, [%in];
  ld.global.b64 %bl, [%in+8];
  ld.global.b64 %cl, [%in+16];
  cvt.u32.u64 %a, %al;
  cvt.u32.u64 %b, %bl;
  cvt.u32.u64 %c, %cl;
  cvt.u16.u64 %ah, %al;
  cvt.u16.u64 %bh, %bl;
  cvt.u16.u64 %ch, %cl;
)" + instructions + "\n" + to_64 +
                           "\n  mul.wide.u32 %at, %i, 8;\n  add.u64 %to, %to, %at;\n  st.global.b64 [%to], %out;\n}\n";
  VirtualMemory memory;
  WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(text, "k.ptx"));
  WATTUNE_ASSIGN(const PtxModule module, PtxModule::load(tree, memory));
  const std::uint64_t in = memory.allocate(cases.size() * sizeof(PtxCase), "in");
  const std::uint64_t out = memory.allocate(cases.size() * 8, "out");
  std::memcpy(memory.find(in, cases.size() * sizeof(PtxCase)), cases.data(), cases.size() * sizeof(PtxCase));
  const std::array<std::uint64_t, 3> parameters = {in, out, cases.size()};
  const backend::Geometry3 geometry{.groups = {(cases.size() + 63) / 64, 1, 1}, .group_size = {64, 1, 1}};
  const auto bytes = std::as_bytes(std::span(parameters)).first(20);
  WATTUNE_ASSIGN(PtxRun run, PtxRun::start(module, "k", geometry, bytes, memory));
  WATTUNE_TRY(run.finish());
  std::vector<std::uint64_t> results(cases.size());
  std::memcpy(results.data(), memory.find(out, cases.size() * 8), cases.size() * 8);
  return results;
}

inline std::vector<std::uint64_t> evaluate(const std::string& instructions, const std::string& result,
                                           const std::vector<PtxCase>& cases) {
  return try_evaluate(instructions, result, cases).value();
}

inline std::uint64_t evaluate(const std::string& instructions, const std::string& result, const PtxCase& operands) {
  return evaluate(instructions, result, std::vector<PtxCase>{operands}).front();
}

inline std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline float as_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

}  // namespace wattune::simulate
