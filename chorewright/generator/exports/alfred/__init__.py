"""ALFRED's layout: ``traj_data.json`` trees with ALFRED's names, plans, masks and images."""
