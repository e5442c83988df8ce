"""Machine code: the decorator of compiled functions, and the folder where compiled code is kept.

Read ``kernels`` (the decorator), then ``loading`` (numba: load or compile, and what compiled code depends on), then
``cache`` (which folder, and whether it may be trusted). Only numba's documented interfaces are used; numba is imported
when the first kernel is called.
"""
