"""Commands that make data files which the package ships, from what others publish: each names its sources.

``rooms`` and ``assets`` make the THOR world's, ``older_fixtures`` the ids of AI2-THOR 2.1.0, ``activities`` BEHAVIOR's.
The same sources give the same bytes.
"""
