// The event log: the memory operations of a process, one JSON object per line, in the file
// FOLDER/PID.K.jsonl (K counts the programs that one process became by exec).
//
//     {"op":"start","t":NS,"pid":1,"parent":1,"style":"as-is","program":"/path/a.out"}
//     {"op":"init","t":NS,"s":0.1,"rc":0}                                    cuInit
//     {"op":"context","t":NS,"s":0.1}                  the first context was made, the primary one
//     {"op":"device","t":NS,"device":0,"memory":BYTES,"managed":1,"pageable":0,"concurrent":1}
//     {"op":"module","id":0,"path":"/path/a.out"}                            before its first use
//     {"op":"site","site":"0a1b2c3d","frames":[[ID,OFFSET,"symbol"], ...]}    before its first use
//     {"op":"alloc","t":NS,"api":"cuMemAlloc","site":"0a1b2c3d","n":0,"ptr":"0x7f..","bytes":8,
//      "kind":"device","as":"managed","device":0,"context":"0x7f..","s":1e-5,"rc":0}
//     {"op":"hint","t":NS,"api":"cuMemAdvise","ptr":"0x7f..","rc":0}
//     {"op":"free","t":NS,"api":"cuMemFree","ptr":"0x7f..","s":1e-5,"rc":0}
//     {"op":"share","t":NS,"api":"cuIpcGetMemHandle","ptr":"0x7f..","rc":0}
//     {"op":"share","t":NS,"api":"cuMemPoolExportToShareableHandle","pool":"0x7f..","rc":0}
//     {"op":"destroy","t":NS,"context":"0x7f.."}     with all that was allocated in it
//     {"op":"left","t":NS,"api":"cuMemCreate","bytes":8,"rc":0}      not replaced, in any style
//     {"op":"copies","t":NS,"site":"0a1b2c3d","to":"gpu","times":9,"bytes":8,"largest":8,"s":1e-5,
//      "large_bytes":8,"large_s":1e-5}               totals of a call site; the last line counts
//     {"op":"changed","t":NS,"change":"pooled","times":9,"bytes":8,"saved_ns":NS}     at the end
//     {"op":"cut","errno":28}                        later events could not be written
//     {"op":"end","t":NS,"events":9}     exit, not _exit or a signal; later releases by the
//                                        program's libraries are not recorded
//
// t: nanoseconds of CLOCK_MONOTONIC when the call began; s: its seconds; rc: the CUresult; n: the
// number of earlier allocations of this call site in this process; kind: the kind that the program
// asked for; as: the kind that it got; frames: innermost first, a return address as offset in its
// module. `pool` of an allocation: the pool's address, if the program named one.
//
// With WATARI_ATTACH_CLOCK a run is only timed: it has no line of an allocation, release or copy.
//
// The file is mapped and grows in blocks whose space on the disk is reserved first. A written event
// survives _exit, a crash and SIGKILL. A full disk stops the log, not the program: the file is
// empty or ends in `cut`. Bytes after the last line are zero, and a block ends in empty lines. An
// incomplete line is the last event of a killed process. `events` of the end: the lines before it,
// so that the reader notices lines that another process destroyed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attach {

// Nanoseconds of CLOCK_MONOTONIC.
std::uint64_t now();

// A line that is being composed. Text that does not fit is cut off, with the rest of the line.
class event {
public:
    event(const char* op, std::uint64_t time);
    explicit event(const char* op);
    event& text(const char* key, const char* value);
    event& number(const char* key, long long value);
    event& pointer(const char* key, unsigned long long value);
    event& hash(const char* key, std::uint32_t value);
    event& seconds(const char* key, std::uint64_t nanoseconds);
    event& raw(const char* characters);
    event& raw(long long value);
    event& escaped(const char* characters);
    // Appends the line to the log of this process. The caller holds the lock (lock.hpp).
    void write();

private:
    void key(const char* name);
    void digits(unsigned long long value, unsigned base, int width);
    void put(char character);
    char line[2048];
    std::size_t size = 0;
};

// Called in the child of a fork: leaves the parent's log; the next event begins another one.
void forget_log();

}  // namespace attach
