/// Reads a dict of parameters into a struct, by the struct's table of members (core/members.hpp).
#pragma once

#include "module.hpp"
#include "watari/case/words.hpp"
#include "watari/core/error.hpp"
#include "watari/core/members.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

/// Texts may contain any bytes that the kernel accepts in a path: converted as by `os.fsencode`.
inline std::string text_of(nb::handle value) {
    PyObject* bytes = nullptr;
    if (!PyUnicode_FSConverter(value.ptr(), &bytes)) throw nb::python_error();
    const auto owned = nb::steal<nb::bytes>(bytes);
    return {owned.c_str(), owned.size()};
}

template <class Value>
Value looked_up(const std::string& given, const watari::words<Value>& words) {
    std::string known;
    for (const watari::word<Value>& one : words) {
        if (given == one.text) return one.value;
        known += (known.empty() ? "" : ", ") + std::string(one.text);
    }
    throw watari::usage_error("'" + given + "' is not known here; known: " + known);
}
template <class Value, std::size_t count>
Value looked_up(const std::string& given, const watari::word<Value> (&words)[count]) {
    return looked_up(given, watari::words<Value>{words, count});
}

namespace reading {

/// Numbers of a triple such as the points of a grid: `in_order` has their members.
template <class Value>
concept is_sequence = requires {
    in_order(static_cast<const Value*>(nullptr));
};

template <class Number>
void convert(nb::handle value, Number& into) {
    if (nb::try_cast(value, into)) return;
    throw watari::usage_error(std::same_as<Number, bool>    ? "give True or False"
                              : std::floating_point<Number> ? "give a number"
                                                            : "give a whole number that fits");
}

inline void convert(nb::handle value, std::string& into) { into = text_of(value); }

inline void convert(nb::handle value, watari::processor& into) {
    into = watari::cases::processor_named(text_of(value));
}

inline void convert(nb::handle value, watari::processor::type& into) {
    into = watari::cases::processor_named(text_of(value)).kind;
}

template <class Value, std::size_t count>
void convert(nb::handle value, std::array<Value, count>& into) {
    if (nb::len(value) != count)
        throw watari::usage_error("give " + std::to_string(count) + " numbers");
    for (std::size_t n = 0; n < count; ++n) convert(value[n], into[n]);
}

template <is_sequence Value>
void convert(nb::handle value, Value& into) {
    constexpr auto members = in_order(static_cast<const Value*>(nullptr));
    std::array<std::remove_cvref_t<decltype(into.*members[0])>, members.size()> numbers;
    convert(value, numbers);
    for (std::size_t n = 0; n < numbers.size(); ++n) into.*members[n] = numbers[n];
}

template <class Value>
void convert(nb::handle value, std::optional<Value>& into) {
    convert(value, into.emplace());
}

/// Texts, such as paths.
inline void convert(nb::handle value, std::vector<std::string>& into) {
    for (const nb::handle each : value) into.push_back(text_of(each));
}

/// Elements of an array of NumPy, in C order.
template <class Element>
void convert(nb::handle value, std::vector<Element>& into) {
    nb::ndarray<const Element, nb::c_contig, nb::device::cpu> from;
    if (!nb::try_cast(value, from)) throw watari::usage_error("give an array of its type");
    into.assign(from.data(), from.data() + from.size());
}

template <class Value, class From>
void convert(nb::handle value, Value& into, const From& from) {
    if constexpr (std::same_as<From, watari::by_type>)
        convert(value, into);
    else if constexpr (std::same_as<From, watari::words<Value>>)
        into = looked_up(text_of(value), from);
    else
        into = from(text_of(value));
}

/// Parameters that have been asked for, and those among them that a table knew.
struct asked {
    const char* of;
    const nb::dict& given;
    std::vector<std::string_view> known{};

    template <class Struct, class Base, class Value, class From>
    void take(Struct& into, const watari::member<Base, Value, From>& row) {
        known.emplace_back(row.name);
        if (!given.contains(row.name)) return;
        const nb::object value = given[row.name];
        try {
            convert(value, into.*row.where, row.from);
        } catch (const watari::usage_error& why) {
            throw watari::usage_error(std::string(of) + ": " + row.name + "=" +
                                      nb::str(value).c_str() + ": " + why.what());
        }
    }

    template <class Struct, class Base, class Value, class Table>
    void take(Struct& into, const watari::nested<Base, Value, Table>& row) {
        take(into.*row.where, row.members);
    }

    template <class Struct, class... Rows>
    void take(Struct& into, const std::tuple<Rows...>& table) {
        std::apply([&](const Rows&... rows) { (take(into, rows), ...); }, table);
    }

    void require_known() const {
        for (const auto& [name, value] : given)
            if (std::find(known.begin(), known.end(), text_of(name)) == known.end())
                throw watari::usage_error(std::string(of) + ": the library knows no parameter '" +
                                          text_of(name) + "'");
    }
};

}  // namespace reading

/// Returns the parameters of `of`, a case or a command. Throws usage_error, which names the axis
/// and its value, for a value that does not fit, and for a name that no table has.
template <class Struct, class Table>
Struct parameters_of(const char* of, const nb::dict& given, const Table& table) {
    Struct result;
    reading::asked asked{of, given};
    asked.take(result, table);
    asked.require_known();
    return result;
}
template <class Struct>
Struct parameters_of(const char* of, const nb::dict& given) {
    return parameters_of<Struct>(of, given, Struct::members);
}
