"""Machine code: the decorator of compiled functions, and the folder where compiled code is kept.

Read ``kernels`` (the decorator), then ``loading`` (numba: load or compile), then ``cache`` (which folder, and whether
it may be trusted), then ``fingerprint`` (what compiled code depends on). Only numba's documented interfaces are used;
numba is imported when the first kernel is called.
"""
