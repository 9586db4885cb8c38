#ifndef CBUILD_H
#define CBUILD_H

/// The commit that this was built from, with `-dirty` if files were changed; empty if unknown.
///
/// A function of a C target, so that another commit compiles one small file and links again.
const char *cbuild_commit(void);

#endif
