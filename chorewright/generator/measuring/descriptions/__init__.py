"""Problems described in English at several levels of abstraction, and problems that are read back from it marked.

``describing`` makes the text of each level, ``evaluation`` compares a problem that somebody wrote of a text with the
one that it was made of.
"""

from chorewright.generator.measuring.descriptions.describing import LEVELS, describe

__all__ = ["LEVELS", "describe"]
