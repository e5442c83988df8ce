"""HandMeThat as a world in text: a robot that has watched a human, and is asked for help.

``task`` is what one episode needs; ``world`` plays it in commands and sentences; ``environment`` is the same
for Gymnasium. ``demonstrations`` plans what an expert would do, ``agents`` play, ``evaluation`` counts.
"""
