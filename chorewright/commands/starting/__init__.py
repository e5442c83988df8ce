"""What a newcomer meets: the first screen, a demonstration dataset, completion in the shell, defaults from a file.

``first_screen`` has the bare command's text and the first verbs, ``doctor`` looks after the installation, ``defaults``
reads the file of settings.
"""
