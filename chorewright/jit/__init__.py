"""Machine code: the decorator of compiled functions, and the folder where compiled code is kept.

Read ``kernels`` (the decorator), then ``objects`` (compiled code without numba), ``loading`` (numba: load or compile)
and ``cache`` (which folder, whether it may be trusted, what compiled code depends on). numba is imported when a kernel
is called whose code is not on disk, or cannot be linked. Only ``objects`` knows more of numba than it documents; where
numba is other than it expects, numba itself loads the code.
"""
