// Measures how loading code and similar operations delay an application's launches (docs/results/dynamic.md).
//
//   loading_stalls [--device 0] [--seconds 2] [--parts abcdefg] [--kernels 0.1,1,9] [--every 7] [--burst-every 50]
//                  [--json]
//
// The application is a thread that launches kernels of 0.1, 1 and 9 ms back to back, at most four in flight, in a
// context of its own. Its launches are measured beside each of these operations of other threads:
//
//   a  nothing
//   b  loads of images, 7 ms apart or as --every says
//   c  the same loads by our Loader with the default budget: the launching thread never rests, rests for 1 ms every
//      50 ms, or calls gap() then
//   d  first launches, by itself, of kernels with nothing, 1, 16 and 128 KiB of private memory to a thread
//   e  unloading of programs, or freeing of memory, as often as the loads
//   f  bursts of kernels of a second process, 50 ms apart or as --burst-every says
//
// Part g loads eight candidates as eight images and as one, into an idle device.
//
// Times are in ms. `call` is the host's time of a launch call, and `kernel` the device's time of a kernel. `rate` is
// the number of kernels per second over that of part a. Without a GPU, stand-ins only show that the program runs
// (lab/perf/CMakeLists.txt).
#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "core/stopwatch.h"
#include "lab/perf/busy_application.h"
#include "lab/perf/rows.h"
#include "wattune/backend/worker.h"

namespace wattune::perf {
namespace {

using backend::Program;

struct Options {
  int device = 0;
  double seconds = 2.0;
  std::string parts = "abcdefg";
  std::vector<double> kernels = {0.1, 1.0, 9.0};
  double every_ms = 7.0;
  double burst_every_ms = 50.0;
  bool json = false;

  Nanoseconds every() const { return nanoseconds_from_ms(every_ms); }
  bool has(char part) const { return parts.find(part) != std::string::npos; }
};

// A thread that performs an action repeatedly until end() is called, and notes how long the action takes each time.
class Meanwhile {
 public:
  Meanwhile(Nanoseconds every, std::function<Result<void>()> act)
      : thread_([this, every, act = std::move(act)](const std::stop_token& stop) {
          while (result_ && !stop.stop_requested()) {
            const Stopwatch watch;
            result_ = act();
            took_.push_back(to_ms(watch.elapsed()));
            std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(every.value()));
          }
        }) {}
  // Ends the thread. Returns how long the action took each time, in ms.
  Result<std::vector<double>> end() {
    thread_.request_stop();
    thread_.join();
    WATTUNE_TRY(result_);
    return took_;
  }

 private:
  std::vector<double> took_;
  Result<void> result_;
  std::jthread thread_;
};

// A variant that the loader makes and that is never launched.
class Loaded : public dynamic::Variant {
 public:
  explicit Loaded(std::unique_ptr<Program> program) : program_(std::move(program)) {}
  const Configuration& configuration() const override { return configuration_; }
  std::size_t private_bytes() const override { return 0; }
  bool was_launched() const override { return false; }
  Result<void> send(const dynamic::CallStream&, std::span<const dynamic::CallArgument>) override { return {}; }
  Result<dynamic::TimedCall> send_timed(const dynamic::CallStream&, std::span<const dynamic::CallArgument>) override {
    return dynamic::TimedCall({});
  }

 private:
  const Configuration configuration_;
  const std::unique_ptr<Program> program_;
};

Nanoseconds now() {
  const std::chrono::duration<double, std::nano> since = std::chrono::steady_clock::now().time_since_epoch();
  return Nanoseconds(since.count());
}

// All parts of the benchmark, for one length of the application's kernels.
class Stalls {
 public:
  Stalls(const Options& options, const Images& images, double kernel_ms, Report& report)
      : options_(options), images_(images), kernel_ms_(kernel_ms), report_(report) {}

  Result<void> measure() {
    WATTUNE_TRY(alone());
    if (options_.has('b')) WATTUNE_TRY(plain_loads());
    if (options_.has('c')) WATTUNE_TRY(our_loads());
    if (options_.has('d')) WATTUNE_TRY(first_launches());
    if (options_.has('e')) WATTUNE_TRY(unloads());
    if (options_.has('f')) WATTUNE_TRY(second_process());
    return {};
  }

 private:
  Result<std::unique_ptr<BusyApplication>> application() const {
    auto made = std::make_unique<BusyApplication>(options_.device);
    WATTUNE_TRY(made->prepare(images_, kernel_ms_));
    return made;
  }
  Row row_of(std::string part, std::string what, const BusyApplication::Seen& seen, Pauses pauses) {
    Row row{.part = std::move(part), .what = std::move(what), .kernel_ms = kernel_ms_};
    if (pauses != Pauses::never) row.what += pauses == Pauses::rests ? ", rests" : ", gap()";
    row.add_times("call", seen.calls);
    row.add_times("kernel", seen.kernels);
    row.add("rate", seen.per_second / alone_[pauses == Pauses::never ? 0 : 1]);
    return row;
  }
  const backend::Image& next_image() { return images_.work[next_image_++ % images_.work.size()]; }

  Result<void> alone() {
    WATTUNE_ASSIGN(const auto busy, application());
    for (const Pauses pauses : {Pauses::never, Pauses::rests}) {
      WATTUNE_ASSIGN(const auto seen, busy->run(options_.seconds, pauses));
      alone_[pauses == Pauses::never ? 0 : 1] = seen.per_second;
      if (options_.has('a')) report_.add(row_of("a", "nothing", seen, pauses));
    }
    return {};
  }

  // Runs the application while another thread performs `act`, with pauses of `every`. Reports the times of both.
  Result<void> beside(const std::string& part, const std::string& what, BusyApplication& busy, Pauses pauses,
                      Nanoseconds every, std::function<Result<void>()> act) {
    Meanwhile meanwhile(every, std::move(act));
    const auto seen = busy.run(options_.seconds, pauses);
    WATTUNE_ASSIGN(const std::vector<double> took, meanwhile.end());
    WATTUNE_TRY(seen);
    Row row = row_of(part, what, *seen, pauses);
    row.add("times", static_cast<double>(took.size()));
    row.add_times("took", took);
    report_.add(row);
    return {};
  }

  Result<void> plain_loads() {
    for (const Pauses pauses : {Pauses::never, Pauses::rests}) {
      WATTUNE_ASSIGN(const auto busy, application());
      std::vector<std::unique_ptr<Program>> loaded;
      WATTUNE_TRY(beside("b", "loads", *busy, pauses, options_.every(), [&]() -> Result<void> {
        WATTUNE_ASSIGN(loaded.emplace_back(), busy->device().load(next_image(), {}, kLimit));
        return {};
      }));
    }
    return {};
  }

  Result<void> our_loads() {
    for (const Pauses pauses : {Pauses::never, Pauses::rests, Pauses::tells}) WATTUNE_TRY(our_loads(pauses));
    return {};
  }

  Result<void> our_loads(Pauses pauses) {
    WATTUNE_ASSIGN(const auto busy, application());
    dynamic::StallBudget stall_budget{dynamic::Budget{}};
    std::mutex mutex;  // guards the next two
    std::vector<std::shared_ptr<dynamic::Variant>> loaded;
    std::vector<double> waited;
    const auto loader =
        dynamic::make_loader(stall_budget, {.adopt = [&](const dynamic::CallStream& stream) {
                               return backend::adopt_stream(busy->device(), static_cast<CUstream_st*>(stream.handle()));
                             }});
    const auto request = [&]() -> Result<void> {
      loader->request({.load = [&]() -> Result<std::shared_ptr<dynamic::Variant>> {
                         WATTUNE_ASSIGN(auto program, busy->device().load(next_image(), {}, kLimit));
                         return std::shared_ptr<dynamic::Variant>(std::make_shared<Loaded>(std::move(program)));
                       },
                       .loaded =
                           [&, asked = Stopwatch()](auto variant) {
                             const std::lock_guard lock(mutex);
                             waited.push_back(to_ms(asked.elapsed()));
                             if (variant) loaded.push_back(*std::move(variant));
                           },
                       .owner = this});
      return {};
    };
    stall_budget.begin(now());
    Meanwhile meanwhile(options_.every(), request);
    const auto seen = busy->run(options_.seconds, pauses, loader.get());
    WATTUNE_TRY(meanwhile.end());
    loader->drop(this);
    WATTUNE_TRY(seen);
    Row row = row_of("c", "loads by the Loader", *seen, pauses);
    row.add_times("waited", waited);
    row.add("loads", static_cast<double>(loader->loads()));
    row.add("in_gaps", static_cast<double>(loader->loads_in_gaps()));
    row.add("charged", to_ms(stall_budget.stalls().loading));
    row.add("charged_longest", to_ms(stall_budget.longest()));
    report_.add(row);
    return {};
  }

  // Measures the first launch of each kernel. Each launch has a new context, so that no earlier kernel had as much
  // private memory.
  Result<void> first_launches() {
    for (const bool is_busy : {false, true}) {
      for (int repetition = 0; repetition < 3; ++repetition) {
        WATTUNE_ASSIGN(const auto busy, application());
        WATTUNE_TRY(first_launch(*busy, "no private memory", images_.work[1], is_busy));
        for (const auto& [kib, image] : images_.with_private)
          WATTUNE_TRY(first_launch(*busy, fmt::format("{} KiB", kib), image, is_busy));
        WATTUNE_TRY(first_launch(*busy, "16 KiB again", images_.with_private[1].second, is_busy));
        WATTUNE_TRY(first_launch_with_room(is_busy));
      }
    }
    return {};
  }

  // Asks the driver for the private memory while the device is idle, then measures the first launch.
  Result<void> first_launch_with_room(bool is_busy) {
    WATTUNE_ASSIGN(const auto busy, application());
    const auto& [kib, image] = images_.with_private.back();
    Row row{.part = "d", .what = fmt::format("making room for {} KiB, idle", kib), .kernel_ms = kernel_ms_};
    const Stopwatch making;
    WATTUNE_TRY(backend::make_room_for_private_memory(busy->device(), static_cast<std::size_t>(kib) * 1024 + 256));
    row.add("first", to_ms(making.elapsed()));
    report_.add(row);
    return first_launch(*busy, fmt::format("{} KiB, room was made", kib), image, is_busy);
  }

  Result<void> first_launch(BusyApplication& busy, const std::string& what, const backend::Image& image, bool is_busy) {
    Row row{.part = "d", .what = fmt::format("{}, {}", what, is_busy ? "busy" : "idle"), .kernel_ms = kernel_ms_};
    WATTUNE_ASSIGN(const Work work, make_work(busy.device(), busy.stream(), image, 1.0F, 1));
    for (const char* const which : {"first", "second"}) {
      if (is_busy) WATTUNE_TRY(busy.fill());
      const Stopwatch call;
      const Result<void> sent = work.launch->send();
      row.add(which, to_ms(call.elapsed()));
      if (!sent) {
        row.what += ": " + sent.error().message();
        break;
      }
      WATTUNE_TRY(busy.drain());
      WATTUNE_TRY(busy.stream().finish(kLimit));
    }
    report_.add(row);
    return {};
  }

  // Unloads programs and frees buffers while the application runs. They are made before, on an idle device.
  Result<void> unloads() {
    const auto times = static_cast<int>(options_.seconds / to_seconds(options_.every())) + 10;
    WATTUNE_ASSIGN(const auto busy, application());
    std::vector<std::unique_ptr<Program>> programs;
    std::vector<std::unique_ptr<backend::Buffer>> buffers;
    for (int i = 0; i < times; ++i) {
      WATTUNE_ASSIGN(programs.emplace_back(), busy->device().load(next_image(), {}, kLimit));
      WATTUNE_ASSIGN(buffers.emplace_back(), busy->device().create_buffer(4096));
    }
    const auto destroy_one = [](auto& all) {
      return [&all]() -> Result<void> {
        if (!all.empty()) all.pop_back();
        return {};
      };
    };
    WATTUNE_TRY(beside("e", "unloads", *busy, Pauses::never, options_.every(), destroy_one(programs)));
    return beside("e", "frees memory", *busy, Pauses::never, options_.every(), destroy_one(buffers));
  }

  Result<void> second_process() {
    const std::string selector = fmt::format("cuda:{}", options_.device);
    WATTUNE_ASSIGN(const auto device, backend::open_device_in_worker(selector, {.niceness = 19}));
    WATTUNE_ASSIGN(const auto stream, device->create_stream());
    const backend::Image& image = images_.work.back();
    struct Burst {
      double kernel_ms;
      int kernels;
    };
    for (const Burst each : {Burst{0.05, 1}, {0.05, 10}, {1.0, 1}, {1.0, 5}, {1.0, 20}}) {
      WATTUNE_ASSIGN(const float rounds, rounds_for(*device, *stream, image, each.kernel_ms));
      WATTUNE_ASSIGN(const Work work, make_work(*device, *stream, image, rounds, kGroups));
      WATTUNE_ASSIGN(const auto busy, application());
      const auto burst = [&]() -> Result<void> {
        for (int i = 0; i < each.kernels; ++i) WATTUNE_TRY(work.launch->send());
        return stream->finish(kLimit);
      };
      WATTUNE_TRY(beside("f", fmt::format("a second process, {} x {} ms", each.kernels, each.kernel_ms), *busy,
                         Pauses::never, nanoseconds_from_ms(options_.burst_every_ms), burst));
    }
    return {};
  }

  const Options& options_;
  const Images& images_;
  const double kernel_ms_;
  Report& report_;
  std::array<double, 2> alone_{};  // kernels per second: without rests, with
  std::size_t next_image_ = 0;
};

// Measures how long it takes to load eight kernels and find them by name, as eight images and as one image.
Result<void> eight_at_once(const Options& options, const Images& images, Report& report) {
  BusyApplication busy(options.device);
  WATTUNE_TRY(busy.prepare(images, 0.1));
  std::vector<double> apart;
  std::vector<double> together;
  for (int i = 0; i < 50; ++i) {
    std::vector<std::unique_ptr<Program>> programs(9);
    std::vector<std::unique_ptr<backend::Kernel>> kernels;
    const Stopwatch watch;
    for (std::size_t each = 0; each < 8; ++each) {
      WATTUNE_ASSIGN(programs[each], busy.device().load(images.work[each], {}, kLimit));
      WATTUNE_ASSIGN(kernels.emplace_back(), programs[each]->kernel("scale"));
    }
    const Nanoseconds eight = watch.elapsed();
    WATTUNE_ASSIGN(programs[8], busy.device().load(images.eight, {}, kLimit));
    for (int each = 0; each < 8; ++each) {
      WATTUNE_ASSIGN(kernels.emplace_back(), programs[8]->kernel(fmt::format("v{}::scale", each)));
    }
    apart.push_back(to_ms(eight));
    together.push_back(to_ms(watch.elapsed() - eight));
  }
  Row row{.part = "g", .what = "eight candidates, idle device"};
  row.add_times("eight_images", apart);
  row.add_times("one_image", together);
  report.add(row);
  return {};
}

Result<void> measure(const Options& options, Report& report) {
  const auto images = [&]() -> Result<Images> {
    const BusyApplication any(options.device);
    WATTUNE_ASSIGN(const auto device, backend::attach_cuda());
    return compile_all(*device);
  }();
  WATTUNE_TRY(images);
  for (const double kernel_ms : options.kernels) WATTUNE_TRY(Stalls(options, *images, kernel_ms, report).measure());
  if (options.has('g')) WATTUNE_TRY(eight_at_once(options, *images, report));
  return {};
}

void describe(CLI::App& app, Options& options) {
  app.add_option("--device", options.device, "ordinal of the GPU")->capture_default_str();
  app.add_option("--seconds", options.seconds, "of each measurement")
      ->check(CLI::Range(0.01, 1e4))
      ->capture_default_str();
  app.add_option("--parts", options.parts, "a to g, as the head of the source has them")->capture_default_str();
  app.add_option("--kernels", options.kernels, "times of the kernels in ms")->delimiter(',')->capture_default_str();
  app.add_option("--every", options.every_ms, "ms between two loads")
      ->check(CLI::Range(0.01, 1e4))
      ->capture_default_str();
  app.add_option("--burst-every", options.burst_every_ms, "ms between two bursts")
      ->check(CLI::Range(0.01, 1e4))
      ->capture_default_str();
  app.add_flag("--json", options.json, "print JSON");
}

}  // namespace
}  // namespace wattune::perf

int main(int argc, char** argv) {
  wattune::perf::Options options;
  CLI::App app("What loading code makes an application's launches wait");
  wattune::perf::describe(app, options);
  CLI11_PARSE(app, argc, argv);
  wattune::perf::Report report(options.json);
  int status = 0;
  try {
    wattune::perf::measure(options, report).value();
  } catch (const wattune::Exception& failure) {
    fmt::print(stderr, "loading_stalls: {}\n", failure.what());
    status = 1;
  }
  report.end();
  return status;
}
