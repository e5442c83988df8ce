"""Goal templates: parametrised goals with sentences, written as PDDL with slots.

``goal_templates`` is the value, ``parser`` reads it (``words`` its sentences), ``checks`` says what is wrong,
``fillings`` counts and draws what fills the slots, ``sentences`` fills the words.
"""
