"""The Embodied Agent Interface: planning problems as questions to language models, and marks for their answers.

Four kinds of questions: what a sentence asks for (goal interpretation), what has to hold on the way (subgoal
decomposition), what to do (action sequencing), and what actions need and change (transition modelling).

Read ``tasks`` (a problem with its plan, sentence and literals; the interface's own files), ``questions``, ``answers``
(what a model wrote, as data), then ``marks``; ``evaluation`` marks goals and transitions and adds all up.
"""
