"""Classical planning domains with generators of problems: inputs of benchmarks that are in no set of reference data.

The domains are variations on well-known ones, written for this purpose. ``generators`` lists them.
"""
