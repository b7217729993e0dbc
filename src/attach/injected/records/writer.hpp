// The three files of a traced process. Every call writes at once: earlier records survive a crash.
#pragma once

#include "format.hpp"

#include <cstddef>
#include <string_view>

namespace watari::attach::writer {

// Opens the files of this process in a folder. Returns false, with a reason on stderr, on failure.
bool open(const char* folder);

// Whether records are written: not before `open`, not in a child of fork, where CUDA does not work.
bool is_open();

void write(const record* records, std::size_t count);
void write(const record& one);
void write(const call_record* calls, std::size_t count);

// The number of records so far.
std::uint64_t count();

// A line of notes: a word, an identifier, text. Line breaks in the text become spaces.
void note(std::string_view word, std::uint64_t identifier, std::string_view text);

// Returns the identifier of a text, and writes its note once.
std::uint64_t intern(std::string_view word, std::string_view text);

// Writes a note with this identifier, unless there is one already.
void note_once(std::string_view word, std::uint64_t identifier, std::string_view text);

std::uint64_t now();  // nanoseconds of CLOCK_MONOTONIC

}  // namespace watari::attach::writer
