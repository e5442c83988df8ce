"""CALVIN's layout: frames, annotations and configuration files as CALVIN's loaders read them."""
