/// Parameters as data: a struct has one table of its members, each with the name of its axis. What
/// reads parameters follows from it (src/python/parameters.hpp): types, unknown names, errors.
///
///     struct parameters {
///         int iterations = 1;
///         himeno::form form = form::fused;
///
///         static constexpr std::tuple members{member{"iterations", &parameters::iterations},
///                                             member{"form", &parameters::form, forms}};
///     };
///
/// A parameter that is not given keeps the value that the struct has.
#pragma once

#include <cstddef>
#include <tuple>

namespace watari {

/// A word of an axis, and the value for which it stands.
template <class Value>
struct word {
    const char* text;
    Value value;
};

/// The words of an axis: a table that lives as long as the program.
template <class Value>
struct words {
    const word<Value>* first;
    std::size_t count;

    constexpr const word<Value>* begin() const { return first; }
    constexpr const word<Value>* end() const { return first + count; }
};

struct by_type {};

/// One row. The member's type says how a value is converted; with `from` a word is looked up in a
/// table, or parsed by a function that throws usage_error.
template <class Struct, class Value, class From = by_type>
struct member {
    constexpr member(const char* axis, Value Struct::*of) : name(axis), where(of) {}
    constexpr member(const char* axis, Value Struct::*of, From by)
        : name(axis), where(of), from(by) {}
    template <std::size_t count>
    constexpr member(const char* axis, Value Struct::*of, const word<Value> (&table)[count])
        : name(axis), where(of), from{table, count} {}

    const char* name;
    Value Struct::*where;
    From from{};
};

template <class Struct, class Value>
member(const char*, Value Struct::*) -> member<Struct, Value>;
template <class Struct, class Value, class From>
member(const char*, Value Struct::*, From) -> member<Struct, Value, From>;
template <class Struct, class Value, std::size_t count>
member(const char*, Value Struct::*, const word<Value> (&)[count])
    -> member<Struct, Value, words<Value>>;

/// A member with a table of its own, whose parameters are given beside the others.
template <class Struct, class Value, class Table>
struct nested {
    Value Struct::*where;
    Table members;
};
template <class Struct, class Value, class Table>
nested(Value Struct::*, Table) -> nested<Struct, Value, Table>;

}  // namespace watari
