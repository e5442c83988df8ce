"""The Embodied Agent Interface: planning problems as questions to language models, and marks for their answers.

Four kinds of questions: what a sentence asks for (goal interpretation), what has to hold on the way (subgoal
decomposition), what to do (action sequencing), and what actions need and change (transition modelling).

Read ``tasks`` (a problem with its plan and sentence), ``folders`` (the interface's own files, read and written),
``literals`` (goals as literals), ``questions``, ``answers`` (what a model wrote, as data), then the marks:
``sequences``, ``subgoals``, ``transitions``; ``evaluation`` marks goals and adds all up.
"""
