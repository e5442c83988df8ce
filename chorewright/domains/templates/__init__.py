"""Goal templates: parametrised goals with sentences, written as PDDL with slots.

``goal_templates`` is the value, ``parser`` reads it, ``checks`` says what is wrong, ``slots`` counts and draws
what fills the slots, ``words`` fills the sentences.
"""
