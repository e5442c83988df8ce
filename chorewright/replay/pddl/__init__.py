"""The simulator of worlds that have none of their own: it runs the domain's actions on atoms.

``simulator`` has it, and the call that an action of a plan becomes where a world does not say otherwise.
"""
