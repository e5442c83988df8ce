"""TEACh's layout: games, EDH and TfD instances, and the states and images that go with them."""
