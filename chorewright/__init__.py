"""chorewright turns household tasks into datasets of expert demonstrations."""

__version__ = "0.1.0"
