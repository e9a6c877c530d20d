// The test harness of the core: TEST_CASE registers a function, CHECK counts what failed, and main.cpp runs them all.
#pragma once

#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace palmette::check {

struct Case {
    std::string name;
    void (*body)();
};

inline std::vector<Case>& cases() {
    static std::vector<Case> registered;
    return registered;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Register {
    Register(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

/// Thrown by REQUIRE: the rest of the test case makes no sense.
struct Abandoned {};

inline void fail(const char* file, int line, const std::string& what) {
    ++failures();
    std::cerr << file << ':' << line << ": " << what << '\n';
}

template <class Left, class Right>
void equal(const Left& left, const Right& right, const char* text, const char* file, int line) {
    if (left == right) return;
    std::ostringstream message;
    message.precision(17);
    message << text;
    if constexpr (requires { message << left << right; }) message << " (" << left << " against " << right << ')';
    fail(file, line, message.str());
}

}  // namespace palmette::check

#define PALMETTE_CONCAT_(a, b) a##b
#define PALMETTE_CONCAT(a, b) PALMETTE_CONCAT_(a, b)
#define PALMETTE_TEST_CASE_(name, function)                                                          \
    static void function();                                                                          \
    static const ::palmette::check::Register PALMETTE_CONCAT(function, _registered){name, function}; \
    static void function()
#define TEST_CASE(name) PALMETTE_TEST_CASE_(name, PALMETTE_CONCAT(test_case_, __LINE__))

#define CHECK(...) \
    ((__VA_ARGS__) ? void() : ::palmette::check::fail(__FILE__, __LINE__, "CHECK(" #__VA_ARGS__ ") is false"))
#define CHECK_EQ(left, right) \
    ::palmette::check::equal((left), (right), "CHECK_EQ(" #left ", " #right ") differs", __FILE__, __LINE__)
#define REQUIRE(...)                                                                           \
    do {                                                                                       \
        if (!(__VA_ARGS__)) {                                                                  \
            ::palmette::check::fail(__FILE__, __LINE__, "REQUIRE(" #__VA_ARGS__ ") is false"); \
            throw ::palmette::check::Abandoned{};                                              \
        }                                                                                      \
    } while (false)
#define CHECK_THROWS_AS(expression, Exception)                                                               \
    do {                                                                                                     \
        bool thrown_as_wanted = false;                                                                       \
        try {                                                                                                \
            static_cast<void>(expression);                                                                   \
        } catch (const Exception&) {                                                                         \
            thrown_as_wanted = true;                                                                         \
        }                                                                                                    \
        if (!thrown_as_wanted)                                                                               \
            ::palmette::check::fail(__FILE__, __LINE__, "CHECK_THROWS_AS(" #expression "): no " #Exception); \
    } while (false)
