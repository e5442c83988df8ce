"""TEACh's actions over the THOR world: ``world`` does them, ``lowering`` makes them of a household plan."""
