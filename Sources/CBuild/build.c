#include "CBuild.h"

// Package.swift asks git and defines SLUICE_COMMIT. Without git, in a tarball made with
// `git archive`, the next line has the commit instead (.gitattributes).
static const char archived[] = "$Format:%H$";

const char *cbuild_commit(void) {
#ifdef SLUICE_COMMIT
    return SLUICE_COMMIT;
#else
    return archived[0] == '$' ? "" : archived;
#endif
}
