"""The supervisor: worker processes that each do one job after the other, replaced when they die or hang."""

from __future__ import annotations

from chorewright.generator.production.agenda import Agenda
from chorewright.generator.production.losses import Loss, Losses, Watch
from chorewright.generator.production.worker import Failed, Made, Told, Worker, end, ready


def supervise(agenda: Agenda, losses: Losses, watch: Watch, workers: int, patience: float) -> None:
    """Do all jobs with so many processes.

    Args:
        agenda: The jobs.
        losses: Decides what is done when a worker is lost.
        watch: Who is told of the progress.
        workers: The number of processes.
        patience: Seconds that a worker may take for one episode. One that takes longer is killed.

    Raises:
        ChorewrightError: a job cannot be done, or lost its worker too often.
    """
    crew: list[Worker] = []
    try:
        while len(crew) < workers and (job := agenda.take()) is not None:
            crew.append(Worker(agenda.target, job))
        while crew:
            for worker in ready(crew, patience):
                answer = worker.hear()
                if isinstance(answer, Told) and answer.accepted is not None:
                    watch.episode(answer.accepted)
                elif isinstance(answer, Failed):
                    raise answer.error
                elif isinstance(answer, Loss):
                    crew.remove(worker)
                    losses.hear(worker.job, answer)
                    if (job := agenda.take()) is not None:
                        crew.append(Worker(agenda.target, job))
                elif isinstance(answer, Made):
                    agenda.done(worker.job, answer.what, answer.seconds)
                    if (job := agenda.take()) is not None:
                        worker.give(agenda.target, job)
                    else:
                        crew.remove(worker)
                        worker.dismiss()
    finally:
        end(crew)
