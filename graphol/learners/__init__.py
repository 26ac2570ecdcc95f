"""One learner per file, its compiled kernel beside it."""
