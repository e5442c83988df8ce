"""Drawing in software: triangles, their textures and outlines, for whatever world has something to show.

``solids`` makes meshes, ``rasteriser`` draws them with the edges between instances,
``textures`` has what surfaces look like. No world is known here: rooms and tables bring their meshes.
"""
