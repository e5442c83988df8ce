"""Questions about the states, actions and plans of any PDDL problem, with answers computed by our engines.

``situation`` is a problem with its plan, states and costs, ``rules`` says a domain's actions in English. ``yes_no``
makes pairs of questions, ``making`` choices and all questions of a problem, ``export`` writes them and marks answers.
"""

from chorewright.generator.measuring.questions.making import KINDS, QuestionStyle, questions_of
from chorewright.generator.measuring.questions.situation import ProblemQuestion

__all__ = ["KINDS", "ProblemQuestion", "QuestionStyle", "questions_of"]
