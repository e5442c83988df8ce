"""ALFRED's layout: ``traj_data.json`` trees with ALFRED's names, plans, masks and images, and ALFWorld's.

``exporter`` writes the trees; ``plan`` makes a document's plan, and what is seen of it.
"""
