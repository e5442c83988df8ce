"""CALVIN's tabletop: its four tables, the 34 tasks and their symbolic states, and the chains of tasks.

``scenes`` are the tables A-D, ``states`` the initial states in symbols and in numbers, ``tasks`` what each
task needs and does, ``chains`` the sequences of tasks that can be done one after the other, and ``published``
those of CALVIN's evaluation.
"""
