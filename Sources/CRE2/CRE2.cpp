#include "CRE2.h"

#include <re2/re2.h>

#include <cstring>
#include <new>
#include <string>

struct cre2_pattern {
    RE2 compiled;
};

namespace {

/// What a kind of mistake is called: RE2's own texts are made for developers and change with its versions.
const char *sentence(RE2::ErrorCode code) {
    switch (code) {
    case RE2::ErrorBadEscape: return "there is no such escape";
    case RE2::ErrorBadCharClass: return "there is no such character class";
    case RE2::ErrorBadCharRange: return "the character range runs backwards";
    case RE2::ErrorMissingBracket: return "a ']' is missing";
    case RE2::ErrorMissingParen: return "a ')' is missing";
    case RE2::ErrorUnexpectedParen: return "there is no '(' for this ')'";
    case RE2::ErrorTrailingBackslash: return "a backslash stands at the end";
    case RE2::ErrorRepeatArgument: return "there is nothing to repeat";
    case RE2::ErrorRepeatSize: return "no such number of repetitions: at most 1000";
    case RE2::ErrorRepeatOp: return "two repetitions in a row";
    case RE2::ErrorBadPerlOp: return "there is no such group; look-around and back-references are not linear in time";
    case RE2::ErrorBadUTF8: return "the pattern is not UTF-8";
    case RE2::ErrorBadNamedCapture: return "no such name of a group";
    case RE2::ErrorPatternTooLarge: return "compiled, the pattern is too large";
    default: return "the pattern cannot be used";
    }
}

void describe(cre2_problem *problem, const char *message, size_t offset) {
    problem->offset = offset;
    std::strncpy(problem->message, message, sizeof problem->message - 1);
    problem->message[sizeof problem->message - 1] = 0;
}

/// Where RE2's excerpt of the wrong part stands in the pattern.
size_t place(const RE2 &compiled, const char *text, size_t length) {
    const std::string &part = compiled.error_arg();
    if (part.empty()) return compiled.error_code() == RE2::ErrorTrailingBackslash ? length - 1 : 0;
    size_t found = std::string(text, length).find(part);
    return found == std::string::npos ? 0 : found;
}

}  // namespace

extern "C" cre2_outcome cre2_compile(
    const char *text, size_t length, int64_t memory_bytes, cre2_pattern **pattern, cre2_problem *problem) {
    *pattern = nullptr;
    try {
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(memory_bytes);
        options.set_never_capture(true);
        auto *made = new cre2_pattern{RE2(re2::StringPiece(text, length), options)};
        if (made->compiled.ok()) {
            // The first search for what stands at the end of a text compiles a second program: here, where it is counted.
            made->compiled.Match("", 0, 0, RE2::UNANCHORED, nullptr, 0);
            *pattern = made;
            return CRE2_DONE;
        }
        RE2::ErrorCode code = made->compiled.error_code();
        bool is_large = code == RE2::ErrorPatternTooLarge;
        describe(problem, sentence(code), is_large ? 0 : place(made->compiled, text, length));
        delete made;
        return is_large ? CRE2_TOO_LARGE : CRE2_MALFORMED;
    } catch (...) {
        // The standard library throws only for want of memory here.
        describe(problem, "there is no memory for the pattern", 0);
        return CRE2_NO_MEMORY;
    }
}

extern "C" int cre2_find(const cre2_pattern *pattern, const char *text, size_t length) {
    try {
        // An empty text has a place too; RE2 tells "no text" from it by the pointer.
        re2::StringPiece piece(text == nullptr ? "" : text, length);
        return pattern->compiled.Match(piece, 0, length, RE2::UNANCHORED, nullptr, 0) ? 1 : 0;
    } catch (...) {
        return -1;
    }
}

extern "C" int32_t cre2_instructions(const cre2_pattern *pattern) {
    return pattern->compiled.ProgramSize();
}

extern "C" void cre2_free(cre2_pattern *pattern) {
    delete pattern;
}
