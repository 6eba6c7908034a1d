// Measures how long it takes to read PTX, to analyse it and to add persistent twins to its kernels.
//
//   ptx_rewriting [FILE | FOLDER]...
//
// Each FILE is processed 20 times, or without any file 1 MB of generated kernels. The program prints the median
// processor time of each step.
//
// For a FOLDER it prints numbers over all its .ptx files: how many kernels have persistent twins, why the others have
// none, and the time of reading and analysing per megabyte.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "slice/interface/twins.h"

namespace {

using namespace wattune::slice;

constexpr int kRepeats = 20;
constexpr int kRepeatsInFolder = 5;
constexpr double kLeastMegabytes = 0.1;  // the slowest of smaller files would tell of start-up costs
constexpr std::size_t kGeneratedBytes = 1'000'000;

// Returns PTX with the typical instructions of a tiled loop: addresses, loads, arithmetic, barriers, a branch.
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

double median_ms(const std::function<void()>& work, int repeats = kRepeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
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

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Numbers of kernels. The key is a property of these kernels, or the reason why they have no twin.
using Counts = std::map<std::string, std::size_t>;

std::size_t total(const Counts& counts) {
  std::size_t all = 0;
  for (const auto& [what, count] : counts) all += count;
  return all;
}

void print_each(const Counts& counts) {
  for (const auto& [what, count] : counts) std::printf("%8zu  %s\n", count, what.c_str());
}

// The kernels of a folder.
struct Collection {
  std::size_t files = 0;
  double megabytes = 0.0;
  double ms = 0.0;       // to read and analyse each file once
  double slowest = 0.0;  // milliseconds of the slowest file that is not small, for each of its megabytes
  Counts whole;          // by the reason why no form may cut them
  Counts twins;          // by the blocks that their persistent twins can run
  Counts refused;        // others, by the reason why they have no persistent twin

  void add(const KernelAnalysis& kernel) {
    const Obstacle* const to_all = kernel.obstacle_to(TwinForm::guard);
    const Obstacle* const to_twin = kernel.obstacle_to(TwinForm::persistent);
    if (to_all != nullptr)
      ++whole[to_all->reason];
    else if (to_twin != nullptr)
      ++refused[to_twin->reason];
    else
      ++twins[std::string(to_string(kernel.persistent_blocks))];
  }

  void print(const char* name) const {
    const std::size_t cut = total(twins) + total(refused);
    std::printf("%s: %zu files, %zu kernels, %.2f MB: read and analysed in %.1f ms a MB, the slowest file in %.1f\n",
                name, files, cut + total(whole), megabytes, ms / megabytes, slowest);
    std::printf("%zu run whole only:\n", total(whole));
    print_each(whole);
    std::printf("%zu of the other %zu have persistent twins, for blocks of these shapes:\n", total(twins), cut);
    print_each(twins);
    std::printf("%zu have none:\n", total(refused));
    print_each(refused);
  }
};

bool report_folder(const char* folder) {
  Collection found;
  bool all = true;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  for (const std::filesystem::path& file : files) {
    const std::string text = contents_of(file);
    const auto tree = parse_ptx(text, file.string());
    if (!tree) {
      std::fprintf(stderr, "%s\n", tree.error().to_string().c_str());
      all = false;
      continue;
    }
    const double megabytes = static_cast<double>(text.size()) / 1e6;
    const double ms = median_ms([&] { (void)analyse(*parse_ptx(text, file.string())); }, kRepeatsInFolder);
    ++found.files;
    found.megabytes += megabytes;
    found.ms += ms;
    if (megabytes >= kLeastMegabytes) found.slowest = std::max(found.slowest, ms / megabytes);
    for (const KernelAnalysis& kernel : analyse(*tree)) found.add(kernel);
  }
  if (found.files > 0) found.print(folder);
  return all && found.files > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return report("generated", generated()) ? 0 : 1;
  bool all = true;
  for (int i = 1; i < argc; ++i)
    all &= std::filesystem::is_directory(argv[i]) ? report_folder(argv[i]) : report(argv[i], contents_of(argv[i]));
  return all ? 0 : 1;
}
