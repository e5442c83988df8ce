"""ALFRED's layout: ``traj_data.json`` trees with ALFRED's names, plans, masks and images.

``exporter`` writes the tree; ``plan`` makes a document's plan, ``images`` what is seen of it.
"""
