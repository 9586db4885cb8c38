#ifndef CRE2_H
#define CRE2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One compiled regular expression. Immutable; may be searched with from any number of places.
typedef struct cre2_pattern cre2_pattern;

/// What came of compiling a pattern.
typedef enum {
    /// There is a pattern.
    CRE2_DONE = 0,
    /// The text is no regular expression; the place and the message say why.
    CRE2_MALFORMED = 1,
    /// Compiled, it would be larger than allowed.
    CRE2_TOO_LARGE = 2,
    /// There was no memory for it.
    CRE2_NO_MEMORY = 3
} cre2_outcome;

/// What is wrong with a pattern.
typedef struct {
    /// Byte offset of the part that is wrong, within the pattern; 0 where that is not known.
    size_t offset;
    /// A sentence without a full stop, ended by a zero; cut off if it does not fit.
    char message[160];
} cre2_problem;

/// Compiles `length` bytes of UTF-8 at `text`.
///
/// `memory_bytes` is what the program and the states found while searching may take together. A search that would need
/// more goes on without keeping states: slower by the size of the program, and still linear in the text.
///
/// All that a search needs is compiled when this returns.
///
/// On CRE2_DONE `*pattern` is to be given back with `cre2_free`; else it is NULL and `*problem` says what is wrong.
/// Nothing is written to standard error, no exception leaves.
cre2_outcome cre2_compile(
    const char *text, size_t length, int64_t memory_bytes, cre2_pattern **pattern, cre2_problem *problem);

/// Whether the pattern is found anywhere in `length` bytes of UTF-8 at `text`: 1 or 0; -1 where memory ran out.
int cre2_find(const cre2_pattern *pattern, const char *text, size_t length);

/// Instructions of the program: what one byte of text costs at worst.
int32_t cre2_instructions(const cre2_pattern *pattern);

/// Lets go of a pattern; NULL is nothing.
void cre2_free(cre2_pattern *pattern);

#ifdef __cplusplus
}
#endif

#endif
