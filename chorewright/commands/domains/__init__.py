"""Verbs for authors of domains: ``new-domain`` writes the files to start from, ``check-domain`` tries them.

``starting`` writes a folder with a domain, its wordings and its problem template; ``checking`` draws problems from such
a folder, solves them, and says what was rejected and why.
"""
