#include "wattune/backend/image.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>

#include "backend/compile/image_key.h"
#include "backend/support.h"
#include "wattune/core/identity.h"

namespace wattune::inline v0_1::backend {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("wattune-cache-test-{}", getpid())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(path_)) all.push_back(entry.path());
    return all;
  }

 private:
  fs::path path_;
};

std::string key_of(const std::string& what) { return content_hash(what); }

Image image_of(std::string code) {
  return {std::move(code), "the log", {{"f<1>", "f1"}}, {{"f1", {.spill_bytes = 8}}}};
}

TEST(ImageCache, FindsWhatWasStoredAlsoInALaterRun) {
  const Folder folder;
  const Image image = image_of(std::string("code\0more", 9));
  {
    const auto cache = ImageCache::open(folder.path() / "sub" / "cache").value();
    EXPECT_FALSE(cache->find(key_of("a")));
    cache->store(key_of("a"), image);
    EXPECT_EQ(cache->find(key_of("a")), image);
  }
  const auto later = ImageCache::open(folder.path() / "sub" / "cache").value();
  EXPECT_EQ(later->find(key_of("a")), image);
  EXPECT_FALSE(later->find(key_of("b")));
}

TEST(ImageCache, InMemoryForgetsWhatWasStoredFirst) {
  const auto cache = ImageCache::in_memory(2);
  cache->store(key_of("a"), image_of("first"));
  cache->store(key_of("b"), image_of("second"));
  cache->store(key_of("b"), image_of("second, again"));
  EXPECT_EQ(cache->find(key_of("a")), image_of("first"));
  cache->store(key_of("c"), image_of("third"));
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_EQ(cache->find(key_of("b")), image_of("second, again"));
  EXPECT_EQ(cache->find(key_of("c")), image_of("third"));
}

// A process that may write to the folder could plant links under the names of future files.
TEST(ImageCache, FollowsNoPlantedLink) {
  const Folder folder;
  const fs::path precious = folder.write("precious", "precious");
  const fs::path cache_folder = folder.path() / "cache";
  fs::create_directories(cache_folder);
  for (int i = 0; i < 3; ++i)
    fs::create_symlink(precious, cache_folder / fmt::format("{}.{}.{}.wattune-image-new", key_of("a"), getpid(), i));
  const auto cache = ImageCache::open(cache_folder).value();
  for (int i = 0; i < 4; ++i) cache->store(key_of("a"), image_of("code"));
  EXPECT_EQ(cache->find(key_of("a")), image_of("code"));
  std::ifstream stream(precious);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "precious");
}

// The files are cut, changed in one byte, or emptied.
TEST(ImageCache, WhatIsDamagedIsMissingAndReplaced) {
  const Folder folder;
  const auto cache = ImageCache::open(folder.path()).value();
  const Image image = image_of("code");
  cache->store(key_of("a"), image);
  const fs::path file = folder.files().at(0);
  const auto size = fs::file_size(file);
  fs::resize_file(file, size - 1);
  EXPECT_FALSE(cache->find(key_of("a")));
  cache->store(key_of("a"), image);
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(size) - 2);
    stream.put('!');
  }
  EXPECT_FALSE(cache->find(key_of("a")));
  fs::resize_file(file, 0);
  EXPECT_FALSE(cache->find(key_of("a")));
  cache->store(key_of("a"), image);
  EXPECT_EQ(cache->find(key_of("a")), image);
}

// Each file takes a little more than 10,000 bytes, so four exceed the limit. When the fourth comes, the least recently
// used one is removed.
TEST(ImageCache, WhatWasNotUsedForLongestGoesFirst) {
  const Folder folder;
  const fs::path other = folder.write("notes.txt", std::string(50'000, 'x'));
  const auto cache = ImageCache::open(folder.path(), 35'000).value();
  const auto age = [&](const std::string& key, int hours) {
    for (const fs::path& file : folder.files())
      if (file.filename().string().starts_with(key_of(key)))
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const std::string key : {"a", "b", "c"}) cache->store(key_of(key), image_of(std::string(10'000, 'x')));
  age("a", 3);
  age("b", 2);
  age("c", 1);
  ASSERT_TRUE(cache->find(key_of("a")));  // used now
  cache->store(key_of("d"), image_of(std::string(10'000, 'x')));
  EXPECT_TRUE(cache->find(key_of("a")));
  EXPECT_FALSE(cache->find(key_of("b")));
  EXPECT_TRUE(cache->find(key_of("c")));
  EXPECT_TRUE(cache->find(key_of("d")));
  EXPECT_TRUE(fs::exists(other));
  cache->store(key_of("e"), image_of(std::string(40'000, 'x')));
  EXPECT_FALSE(cache->find(key_of("e")));
  EXPECT_TRUE(cache->find(key_of("d")));
}

TEST(ImageCache, RemovesWhatAKilledProcessLeft) {
  const Folder folder;
  const fs::path old = folder.write(key_of("a") + ".1.0.wattune-image-new", "half");
  const fs::path young = folder.write(key_of("b") + ".1.0.wattune-image-new", "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(ImageCache::open(folder.path()));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

// The files are the user's: however old and large they are, and whatever they end in, they stay.
TEST(ImageCache, RemovesNoFileOfAnotherName) {
  const Folder folder;
  const std::string key = key_of("a");
  std::vector<fs::path> files;
  for (const std::string& name : {std::string("mine.wattune-image"), std::string("mine.1.0.wattune-image-new"),
                                  "my-" + key + ".wattune-image", key + ".wattune-image.bak", key + "0.wattune-image",
                                  key + ".1.0.x.wattune-image-new", key.substr(1) + ".wattune-image"}) {
    files.push_back(folder.write(name, std::string(10'000, 'x')));
    fs::last_write_time(files.back(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  const auto cache = ImageCache::open(folder.path(), 100).value();
  cache->store(key, image_of("code"));
  for (const fs::path& file : files) EXPECT_TRUE(fs::exists(file)) << file;
}

TEST(ImageCache, MakesAFolderOfItsUsersAlone) {
  const Folder folder;
  const mode_t before = umask(0);
  EXPECT_TRUE(ImageCache::open(folder.path() / "above" / "cache"));
  umask(before);
  for (const fs::path& made : {folder.path() / "above", folder.path() / "above" / "cache"})
    EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all) << made;
}

TEST(ImageCache, TrustsNoFolderInWhichOthersMayWrite) {
  const Folder folder;
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write, fs::perms::all}) {
    fs::permissions(folder.path(), fs::perms::owner_all | others);
    const auto cache = ImageCache::open(folder.path());
    ASSERT_FALSE(cache);
    EXPECT_EQ(cache.error().code(), ErrorCode::invalid_argument);
    EXPECT_THAT(cache.error().message(), HasSubstr("can be written by others"));
  }
}

TEST(ImageCache, TrustsNoFolderOfAnotherUser) {
  const Folder folder;
  if (chown(folder.path().c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root may give folders away";
  const auto cache = ImageCache::open(folder.path());
  ASSERT_FALSE(cache);
  EXPECT_EQ(cache.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(cache.error().message(), HasSubstr("belongs to user 12345"));
}

TEST(ImageCache, RefusesWhatIsNoFolder) {
  const Folder folder;
  const fs::path file = folder.write("file", "");
  EXPECT_EQ(ImageCache::open(file).error().code(), ErrorCode::io_error);
  EXPECT_EQ(ImageCache::open(file / "sub").error().code(), ErrorCode::io_error);
}

// Four processes write and read the same eight images, under a limit that only a few of them meet.
TEST(ImageCache, ServesSeveralProcessesAtOnce) {
  const Folder folder;
  const auto work = [&] {
    const auto cache = ImageCache::open(folder.path(), 100'000).value();
    for (int i = 0; i < 400; ++i) {
      const std::string key = key_of(fmt::format("k{}", i % 8));
      const Image image = image_of(std::string(20'000, key[1]));
      if (const auto found = cache->find(key); found && *found != image) return 1;
      cache->store(key, image);
    }
    return 0;
  };
  std::vector<pid_t> workers;
  for (int i = 0; i < 4; ++i) {
    const pid_t pid = fork();
    if (pid == 0) _exit(work());
    workers.push_back(pid);
  }
  for (const pid_t worker : workers) {
    int status = -1;
    waitpid(worker, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const fs::path& file : folder.files()) EXPECT_EQ(file.extension(), ".wattune-image") << file;
}

class Key : public ::testing::Test {
 protected:
  KernelSource source(const std::string& text) const {
    KernelSource result = source_of(text);
    result.language = Language::cuda;
    result.function = "f";
    result.file = folder.path() / "kernel.cu";
    return result;
  }
  static std::optional<std::string> key(const KernelSource& of, const std::vector<Macro>& macros = {}) {
    return image_key({"cuda", "sm_90", 13000, "NVRTC 13.0"}, of, macros);
  }

  const Folder folder;
};

TEST_F(Key, NamesAllThatAnImageIsMadeOf) {
  const KernelSource plain = source("text");
  const auto first = key(plain);
  ASSERT_TRUE(first);
  EXPECT_EQ(key(plain), first);
  EXPECT_NE(key(source("text ")), first);
  EXPECT_NE(key(plain, {{"N", "1"}}), first);
  EXPECT_NE(key(plain, {{"N", "1"}}), key(plain, {{"N", "2"}}));
  KernelSource other = plain;
  other.options = {"-use_fast_math"};
  EXPECT_NE(key(other), first);
  other = plain;
  other.function = "g";
  EXPECT_NE(key(other), first);
  EXPECT_NE(image_key({"cuda", "sm_80", 13000, "NVRTC 13.0"}, plain, {}), first);
  EXPECT_NE(image_key({"cuda", "sm_90", 13000, "NVRTC 13.1"}, plain, {}), first);
}

TEST_F(Key, FollowsHeadersThroughHeaders) {
  const KernelSource includes = source("#include \"a.h\"\n #  include<sub/b.h>\n");
  const auto without = key(includes);
  folder.write("a.h", "one");
  const auto one = key(includes);
  EXPECT_NE(one, without);
  folder.write("a.h", "#include \"c.h\"");
  const auto nothing = key(includes);
  folder.write("c.h", "deep\n#include \"a.h\"\n");  // and in a circle
  const auto deep = key(includes);
  EXPECT_NE(deep, nothing);
  fs::create_directories(folder.path() / "sub");
  folder.write("sub/b.h", "b");
  EXPECT_NE(key(includes), deep);
  const auto before = key(includes);
  folder.write("unrelated.h", "x");
  EXPECT_EQ(key(includes), before);
}

TEST_F(Key, LooksInTheFoldersOfTheOptions) {
  KernelSource includes = source("#include <z.h>\n");
  includes.options = {"-I", "more"};
  const auto without = key(includes);
  fs::create_directories(folder.path() / "more");
  folder.write("more/z.h", "z");
  EXPECT_NE(key(includes), without);
}

TEST_F(Key, KnowsWhatNvccTakesFromTheEnvironment) {
  KernelSource nvcc = source("#include <z.h>\n");
  nvcc.compiler = Compiler::nvcc;
  const KernelSource nvrtc = source("#include <z.h>\n");
  const auto plain = key(nvcc);
  const auto of_nvrtc = key(nvrtc);
  setenv("NVCC_APPEND_FLAGS", "-lineinfo -use_fast_math", 1);
  EXPECT_NE(key(nvcc), plain);
  EXPECT_EQ(key(nvrtc), of_nvrtc);
  setenv("NVCC_APPEND_FLAGS", "-include a.h", 1);
  EXPECT_FALSE(key(nvcc));
  unsetenv("NVCC_APPEND_FLAGS");
  const fs::path more = folder.path() / "more";
  fs::create_directories(more);
  setenv("CPATH", more.c_str(), 1);
  const auto without = key(nvcc);
  folder.write("more/z.h", "z");
  EXPECT_NE(key(nvcc), without);
  unsetenv("CPATH");
  EXPECT_EQ(key(nvcc), plain);
}

// Long lines once went through std::regex, which takes a stack frame for each character.
TEST_F(Key, LinesMayBeAsLongAsTheyLike) {
  constexpr std::size_t kLength = 10'000'000;
  const std::string name(kLength, 'x');
  const std::string blanks(kLength, ' ');
  EXPECT_TRUE(key(source("#include \"" + name + "\"\n")));
  EXPECT_NE(key(source("#include \"" + name + "\"\n")), key(source("#include \"" + name + "y\"\n")));
  EXPECT_FALSE(key(source("#include \"" + name)));
  EXPECT_FALSE(key(source("#" + blanks + "include" + blanks + "MACRO\n")));
}

TEST_F(Key, ThereIsNoneForWhatCannotBeKnown) {
  EXPECT_FALSE(key(source("#include HEADER\n")));
  EXPECT_FALSE(key(source("#include_next <a.h>\n")));
  EXPECT_FALSE(key(source("/* hidden */ #include HEADER\n")));
  EXPECT_TRUE(key(source("// speaks of #include and\n")));
  KernelSource other = source("");
  other.options = {"--pre-include", "a.h"};
  EXPECT_FALSE(key(other));
}

}  // namespace
}  // namespace wattune::backend
