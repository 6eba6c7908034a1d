// Measures the time to read PTX, analyse it and add persistent twins.
//
//   ptx_rewriting [FILE]...
//
// It processes each file 20 times, or without files 1 MB of generated kernels. It prints the median of each part, in
// processor time.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "slice/interface/twins.h"

namespace {

using namespace wattune::slice;

constexpr int kRepeats = 20;
constexpr std::size_t kGeneratedBytes = 1'000'000;

// Returns the typical code of a tiled loop: addresses, loads, arithmetic, barriers, a branch.
std::string generated_kernel(std::size_t number) {
  std::string text = ".visible .entry k" + std::to_string(number) +
                     "(\n\t.param .u64 p0,\n\t.param .u32 p1\n)\n.maxntid 256, 1, 1\n{\n\t.reg .pred %p<4>;\n"
                     "\t.reg .b32 %r<64>;\n\t.reg .f32 %f<64>;\n\t.reg .b64 %rd<16>;\n"
                     "\t.shared .align 4 .b8 tile[4096];\n\tld.param.u64 %rd1, [p0];\n\tmov.u32 %r1, %ctaid.x;\n"
                     "\tmov.u32 %r2, %tid.x;\n\tmad.lo.s32 %r3, %r1, 256, %r2;\n\tmul.wide.s32 %rd2, %r3, 4;\n"
                     "\tadd.s64 %rd3, %rd1, %rd2;\n\tmov.u32 %r4, 0;\n$loop:\n";
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i % 60);
    text += "\tld.global.nc.f32 \t%f" + n + ", [%rd3+" + std::to_string(4 * i) + "];\n\tst.shared.f32 \t[tile+" +
            std::to_string(4 * i) + "], %f" + n + ";\n\tfma.rn.f32 \t%f61, %f" + n + ", 0f3F800000, %f61;\n";
    if (i % 25 == 0) text += "\tbar.sync \t0;\n";
  }
  return text + "\tadd.s32 \t%r4, %r4, 1;\n\tsetp.lt.s32 \t%p1, %r4, 16;\n\t@%p1 bra \t$loop;\n\tret;\n}\n\n";
}

std::string generated() {
  std::string text = ".version 8.7\n.target sm_90\n.address_size 64\n\n";
  for (std::size_t i = 0; text.size() < kGeneratedBytes; ++i) text += generated_kernel(i);
  return text;
}

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double median_ms(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const double begin = processor_ms();
    work();
    times.push_back(processor_ms() - begin);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

bool report(const std::string& name, const std::string& text) {
  const auto tree = parse_ptx(text, name);
  if (!tree) {
    std::fprintf(stderr, "%s\n", tree.error().to_string().c_str());
    return false;
  }
  const double read = median_ms([&] { (void)parse_ptx(text, name); });
  const double analysed = median_ms([&] { (void)analyse(*tree); });
  const double rewritten = median_ms([&] { (void)add_twins(*tree, {TwinForm::persistent}); });
  std::printf("%s: %.2f MB, %zu functions: read %.1f ms, analysed %.1f ms, analysed and rewritten %.1f ms\n",
              name.c_str(), static_cast<double>(text.size()) / 1e6, tree->functions.size(), read, analysed, rewritten);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return report("generated", generated()) ? 0 : 1;
  bool all = true;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    all &= report(argv[i], {std::istreambuf_iterator<char>(file), {}});
  }
  return all ? 0 : 1;
}
