"""TEACh's view of a scene: AI2-THOR's metadata with the properties of TEACh's simulator.

``metadata`` writes it; TEACh's tasks are checked against it.
"""
