/// Errors that tests expect, and their messages.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace watari {

/// Returns the message of the Error that work() throws, or nothing if it throws none.
template <class Error, class Work>
std::string message_of(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// Expects that work() throws an Error whose message has all of these parts.
template <class Error, class Work>
void expect_error(const Work& work, std::initializer_list<std::string> parts) {
    const std::string text = message_of<Error>(work);
    EXPECT_NE(text, "");
    for (const std::string& part : parts)
        EXPECT_PRED_FORMAT2(testing::IsSubstring, part.c_str(), text.c_str());
}

}  // namespace watari
