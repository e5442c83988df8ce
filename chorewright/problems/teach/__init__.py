"""TEACh's view of a scene: AI2-THOR's metadata with the properties of TEACh's simulator."""
