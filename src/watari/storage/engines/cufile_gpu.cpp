// Engine `cufile`: GPUDirect Storage, directly between a file and GPU memory, or in compatibility
// mode through CPU memory; the notes say which. The library is loaded on first use. The
// declarations here are its stable C interface (cufile.h of CUDA 11.4 and later).
#include "watari/storage/cufile_gpu.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/loaded/shared_object.hpp"
#include "watari/storage/engines/modelled_time.hpp"
#include "watari/storage/engines/rows.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace watari::storage {

namespace {

struct cufile_status {
    int error;  ///< CUfileOpError
    int cuda;   ///< CUresult
};

struct description {
    int type = 1;  ///< CU_FILE_HANDLE_TYPE_OPAQUE_FD
    union {
        int descriptor;
        void* windows_handle;
    };
    const void* operations = nullptr;
};

struct library {
    std::string why_not;
    cufile_status (*driver_open)() = nullptr;
    cufile_status (*handle_register)(void**, description*) = nullptr;
    void (*handle_deregister)(void*) = nullptr;
    cufile_status (*buffer_register)(const void*, std::size_t, int) = nullptr;
    cufile_status (*buffer_deregister)(const void*) = nullptr;
    ssize_t (*read)(void*, void*, std::size_t, off_t, off_t) = nullptr;
    ssize_t (*write)(void*, const void*, std::size_t, off_t, off_t) = nullptr;
};

library load() {
    library found;
    const shared_object object = load_part("libcufile.so.0");
    found.why_not = object.why_not;
    if (!object.handle) return found;
    const auto get = [&](const char* name, auto& function) {
        find_function(object, "libcufile.so.0", name, function, found.why_not);
    };
    get("cuFileDriverOpen", found.driver_open);
    get("cuFileHandleRegister", found.handle_register);
    get("cuFileHandleDeregister", found.handle_deregister);
    get("cuFileBufRegister", found.buffer_register);
    get("cuFileBufDeregister", found.buffer_deregister);
    get("cuFileRead", found.read);
    get("cuFileWrite", found.write);
    return found;
}

const library& cufile() {
    static const library loaded = load();
    return loaded;
}

/// Throws unless the call succeeded. Error 5027: libudev does not know the disk.
void check(const cufile_status& result, const std::string& call) {
    if (result.error == 0) return;
    const std::string text = call + " fails with " + std::to_string(result.error);
    if (result.error == 5027)
        throw unsupported(text + ": the file system is not known to it. " + cufile_detail());
    throw gpu_error(text + ", CUDA error " + std::to_string(result.cuda));
}

/// The files and memory that the process has registered. cuFile accepts a file and a range of
/// memory once, however many engines use them.
class registry {
public:
    void* add_file(int descriptor) {
        const std::lock_guard lock(mutex_);
        entry& known = files_[descriptor];
        if (known.users == 0) {
            description file;
            file.descriptor = descriptor;
            check(cufile().handle_register(&known.handle, &file), "cuFileHandleRegister");
        }
        ++known.users;
        return known.handle;
    }
    void remove_file(int descriptor) noexcept {
        const std::lock_guard lock(mutex_);
        if (--files_[descriptor].users == 0) cufile().handle_deregister(files_[descriptor].handle);
    }
    /// Returns a CUfileOpError; 0: the memory is registered.
    int add_memory(std::byte* data, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        entry& known = memory_[data];
        if (known.users == 0)
            if (const int error = cufile().buffer_register(data, bytes, 0).error; error != 0)
                return error;
        ++known.users;
        return 0;
    }
    void remove_memory(std::byte* data) noexcept {
        const std::lock_guard lock(mutex_);
        if (--memory_[data].users == 0) cufile().buffer_deregister(data);
    }

private:
    struct entry {
        void* handle = nullptr;
        int users = 0;
    };
    std::mutex mutex_;
    std::map<int, entry> files_;
    std::map<std::byte*, entry> memory_;
};

registry& registered() {
    static registry all;
    return all;
}

class registered_file {
public:
    explicit registered_file(int descriptor)
        : descriptor_(descriptor), handle_(registered().add_file(descriptor)) {}
    registered_file(registered_file&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), handle_(other.handle_) {}
    registered_file& operator=(registered_file&&) = delete;
    ~registered_file() {
        if (descriptor_ >= 0) registered().remove_file(descriptor_);
    }
    void* handle() const noexcept { return handle_; }

private:
    int descriptor_;
    void* handle_;
};

class cufile_engine final : public engine {
public:
    explicit cufile_engine(const engine_options& options) : engine(options) {
        device::use(options.who.number);
        check(cufile().driver_open(), "cuFileDriverOpen");
        note("cuFile: " + cufile_detail());
        for (std::size_t i = 0; i < options.files->count(); ++i)
            files_.emplace_back(options.files->descriptor_of(i));
        const int error = registered().add_memory(options.memory, options.bytes);
        buffer_registered_ = error == 0;
        if (!buffer_registered_)
            note("cuFile does not register the GPU's memory (error " + std::to_string(error) +
                 "): it stages through memory of its own");
    }
    ~cufile_engine() override {
        if (buffer_registered_) registered().remove_memory(options_.memory);
    }

    void run(const requests& list) override {
        device::use(options_.who.number);
        one_by_one(list, [&](std::size_t i) {
            for (std::size_t part = 0; part < list.parts; ++part)  // cuFile calls do not scatter
                move(list.offsets[i] + part * list.part_step(),
                     static_cast<std::size_t>(list.location(i, part) - options_.memory),
                     list.part_bytes());
        });
    }

private:
    void move(std::uint64_t offset, std::size_t within, std::size_t bytes) {
        const files::striped_files::piece at = options_.files->piece_at(offset, bytes);
        const auto start = static_cast<off_t>(at.offset), behind = static_cast<off_t>(within);
        void* const handle = files_[at.file].handle();
        ssize_t moved = options_.direction == files::direction::read
                            ? cufile().read(handle, options_.memory, bytes, start, behind)
                            : cufile().write(handle, options_.memory, bytes, start, behind);
        if (moved == -1) moved = -errno;  // else a negative CUfileOpError, beyond any errno
        if (moved < -4096)
            throw gpu_error("cuFile fails with " + std::to_string(-moved) + " at " +
                            std::to_string(at.offset) + " of " + options_.files->path(at.file));
        if (moved != static_cast<ssize_t>(options_.files->expected(at)))
            files::transfer_failed(options_.direction, options_.files->path(at.file), at.offset,
                                   bytes, moved);
    }

    std::vector<registered_file> files_;
    bool buffer_registered_ = false;
};

}  // namespace

std::string cufile_unsupported(const engine_options& options) {
    if (options.disks) return no_modelled_time("cufile");
    if (!options.who.is_gpu()) return "cuFile moves data to and from GPU memory; processor=gpu";
    if (options.files->cache() != files::cache_state::none)
        return "cuFile goes past the page cache; cache=none";
    if (!cufile().why_not.empty()) return "cuFile: " + cufile().why_not;
    return "";
}

std::unique_ptr<engine> make_cufile(const engine_options& options) {
    return std::make_unique<cufile_engine>(options);
}

}  // namespace watari::storage
