"""HandMeThat as a world in text: a robot that has watched a human, and is asked for help.

``task`` is what one episode needs, and how it is stored; ``world`` plays it on the engine in ``replay.games``, in the
``words`` of the paper and with what the robot sees; ``environment`` is the same for Gymnasium. ``expert`` plans what is
meant and believes what may be meant, ``agents`` play. ``reference`` reads the paper's files.
"""
