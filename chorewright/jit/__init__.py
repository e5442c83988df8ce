"""Machine code: numba's decorator with our settings, where compiled code is kept, and warming it."""
