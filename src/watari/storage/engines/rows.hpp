/// The functions behind the rows of the table of engines.
#pragma once

#include "watari/storage/engines/engine.hpp"

namespace watari::storage {

std::string posix_unsupported(const engine_options& options);
std::unique_ptr<engine> make_posix(const engine_options& options);

std::string uring_unsupported(const engine_options& options);
std::unique_ptr<engine> make_uring(const engine_options& options);
std::unique_ptr<engine> make_uring_gpu(const engine_options& options);

std::string mmap_unsupported(const engine_options& options);
std::unique_ptr<engine> make_mmap(const engine_options& options);

std::string cufile_unsupported(const engine_options& options);
std::unique_ptr<engine> make_cufile(const engine_options& options);

std::string queue_unsupported(const engine_options& options);
std::string gpu_unsupported(const engine_options& options);
std::unique_ptr<engine> make_queue(const engine_options& options);

std::string s3_unsupported(const engine_options& options);
std::unique_ptr<engine> make_s3(const engine_options& options);

}  // namespace watari::storage
