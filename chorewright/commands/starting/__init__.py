"""What a newcomer meets: the first screen, a demonstration dataset, completion in the shell, defaults from a file.

``first_screen`` is what the bare command prints, ``demo`` the verb that makes a small dataset, ``completion`` writes
scripts for shells, ``project`` starts a folder, ``defaults`` reads the file of settings.
"""
