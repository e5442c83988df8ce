"""Problems of any domain of PDDL: scenes, from which a goal makes a problem, and templates, from which a seed does.

``scenes`` has the scene, what kinds of things it holds, the error of a seed for which there is none, and a key for
problems that differ in names only. ``rules`` are a template's rules as values, ``rule_forms`` reads them,
``rule_steps`` carries them out, and ``template_files`` reads the file and draws problems.
"""
