"""One BLAS thread: many small products, on machines that are busy with other tests."""

import pytest
import scipy.linalg  # noqa: F401, so that the BLAS that numba calls is there to be limited
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1, "blas"):
        yield
