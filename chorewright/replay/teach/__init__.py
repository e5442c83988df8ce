"""TEACh's actions over the THOR world: ``world`` runs them, ``lowering`` makes them from a household plan."""
