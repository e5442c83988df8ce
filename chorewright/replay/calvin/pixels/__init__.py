"""The visible table: painted triangles, their places in a picture, and what is drawn on."""
