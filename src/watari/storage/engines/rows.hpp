/// The functions behind the rows of the table of engines.
#pragma once

#include "watari/storage/engines/engine.hpp"

namespace watari::storage {

std::string posix_unsupported(const duty& what);
std::unique_ptr<engine> make_posix(const duty& what);

std::string uring_unsupported(const duty& what);
std::unique_ptr<engine> make_uring(const duty& what);
std::unique_ptr<engine> make_uring_gpu(const duty& what);

std::string mmap_unsupported(const duty& what);
std::unique_ptr<engine> make_mmap(const duty& what);

std::string cufile_unsupported(const duty& what);
std::unique_ptr<engine> make_cufile(const duty& what);

std::string queue_unsupported(const duty& what);
std::string gpu_unsupported(const duty& what);
std::unique_ptr<engine> make_queue(const duty& what);

}  // namespace watari::storage
