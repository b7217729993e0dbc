// Modules that link libwatari share it: threads, the hook of fork, devices, errors. One of them is
// linked as by a compiler that puts the C++ runtime into each module: it gets that of the system.
#include "one_library/part.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <set>
#include <string>

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

extern "C" int watari_forks_without_threads;

namespace watari {
namespace {

const part& loaded(const std::string& name) {
    const auto file = std::filesystem::path(WATARI_PARTS) / name;
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module) throw error(dlerror());
    return *reinterpret_cast<const part* (*)()>(dlsym(module, "watari_part"))();
}

class OneLibrary : public testing::TestWithParam<const char*> {
protected:
    const part& one_ = loaded("libpart_one.so");
    const part& other_ = loaded(GetParam());
};

std::size_t threads_of_process() {
    const std::filesystem::directory_iterator tasks("/proc/self/task"), end;
    return static_cast<std::size_t>(std::distance(tasks, end));
}

TEST_P(OneLibrary, IsLoadedOnce) {
    ASSERT_NE(&one_, &other_);
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> files;
    for (std::string line; std::getline(maps, line);)
        if (line.find("/libwatari.so") != line.npos || line.find("/libstdc++") != line.npos)
            files.insert(line.substr(line.find('/')));
    EXPECT_EQ(files.size(), 2u) << testing::PrintToString(files);
}

TEST_P(OneLibrary, CatchesAnErrorOfAnotherModuleByItsType) {
    EXPECT_EQ(other_.caught(one_.fail), "beyond-memory 3 2");
    EXPECT_EQ(one_.caught(other_.fail), "beyond-memory 3 2");
    EXPECT_THROW(other_.fail(), beyond_memory);
    EXPECT_EQ(one_.caught([] { throw unsupported("of the program"); }), "another error");
    EXPECT_EQ(one_.caught([] { throw beyond_memory("the program", 3, 2); }), "beyond-memory 3 2");
}

TEST_P(OneLibrary, HasOneForkHookAndOneDeviceState) {
    EXPECT_EQ(one_.fork_hook, other_.fork_hook);
    EXPECT_EQ(one_.fork_hook, &watari_forks_without_threads);
    EXPECT_EQ(one_.device_state, other_.device_state);
    EXPECT_EQ(one_.device_state, reinterpret_cast<const void*>(&device::count));
}

TEST_P(OneLibrary, HasOneTeamOfThreads) {
    const int before = one_.threads();
    one_.set_threads(3);
    EXPECT_EQ(other_.threads(), 3);
    one_.loop();
    const std::size_t threads = threads_of_process();
    other_.loop();
    EXPECT_EQ(threads_of_process(), threads);
    one_.set_threads(before);
}

TEST_P(OneLibrary, ForksWithoutThreads) {
    one_.loop();  // its threads wait for the next loop, and a child has none of them
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        other_.loop();
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_P(OneLibrary, ReadsNumbersByTheRuntimeOfTheSystem) {
    EXPECT_EQ(other_.text(), "1.500000 42");
    EXPECT_EQ(other_.runtime, reinterpret_cast<const void*>(&std::locale::classic));
}

INSTANTIATE_TEST_SUITE_P(Modules, OneLibrary,
                         testing::Values("libpart_two.so", "libpart_static.so"));

}  // namespace
}  // namespace watari
