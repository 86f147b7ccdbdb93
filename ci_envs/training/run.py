"""A training run: measurements, learning curve, checkpoints, progress, and resuming after an interruption."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from ci_envs.storage.locks import locked
from ci_envs.training.config import training_options, values_of
from ci_envs.training.events import EventLog
from ci_envs.training.folder import Row, RunFolder, RunRecord, json_value
from ci_envs.training.ladder import Ladder, Measurement
from ci_envs.training.progress import ProgressDisplay, Status
from ci_envs.training.session_clock import SessionClock
from ci_envs.training.trainer import Trainer


class TrainingRun:
    """A run of a trainer, with its folder.

    A run can be killed at any time. It loses at most the work since its last checkpoint. A run writes the checkpoint
    before the other files. The checkpoint contains all data of these files, so a resumed run can write them again.
    """

    def __init__(self, trainer: Trainer, folder: RunFolder) -> None:
        """Prepare a run, without writing any file.

        Args:
            trainer: A new trainer.
            folder: The folder of the run.

        Raises:
            ValueError: An opponent of the ladder cannot be made.
        """
        task, config = trainer.task, trainer.config
        self._trainer, self._folder = trainer, folder
        self._ladder = Ladder(
            task.game,
            config.ladder,
            config.ladder_games,
            random_plies=config.ladder_random_plies,
            max_cycles=task.max_cycles,
            seed=task.seed,
        )
        self._record = RunRecord(logged=-1 if trainer.logs_start else 0)
        self._best_is_stale = trainer.latest_is_best

    def execute(self, *, resume: bool, remark: str | None = None) -> None:
        """Train until the run is over.

        Args:
            resume: Whether to continue the run in the folder. A run without a checkpoint starts from the beginning.
            remark: A line to show before the training starts.

        Raises:
            ValueError: The folder contains a run and ``resume`` is false, ``resume`` is true and the folder contains
                no run or a run with other options, another process trains in it, or the training fails.
            OSError: A file cannot be read or written.
            KeyboardInterrupt: The run was interrupted. It wrote a checkpoint if its state was consistent.
        """
        if not resume:
            self._folder.path.mkdir(parents=True, exist_ok=True)
        with locked(self._folder.path, "trains"):
            self._train(self._begin(resume), remark)

    def _train(self, restarts: bool, remark: str | None) -> None:
        with _Session(self._trainer, self._folder, self._record.seconds) as self._session:
            for line in filter(None, (remark, self._trainer.remark)):
                self._session.display.print_line(line)
            if restarts:
                self._session.display.print_line(
                    f"The run in {str(self._folder.path)!r} has no checkpoint yet: it restarts from the beginning."
                )
            try:
                self._trainer.train(self)
            except KeyboardInterrupt:
                self._save()
                raise
            self._save()

    @property
    def is_over(self) -> bool:
        """Whether the training is complete, with a measurement at its end."""
        return self._record.measured >= self._trainer.total

    @property
    def next_measurement(self) -> float:
        """The value of the trainer's ``done`` at which the agent is measured next."""
        total, parts = self._trainer.total, self._trainer.config.measurements
        interval = max(1, math.floor(total / parts + 0.5)) if isinstance(total, int) else total / parts
        return float(min(total, self._record.measured + interval))

    def update(self) -> None:
        """Show the progress. Measure the agent if a measurement is due. Write a checkpoint if a checkpoint is due."""
        trainer, session = self._trainer, self._session
        is_due = not self.is_over and trainer.done >= self.next_measurement
        if is_due or (trainer.logs_every_step and trainer.count > self._record.logged):
            self._log(self._ladder.measure(trainer.agent()) if is_due else None)
        if session.clock.is_checkpoint_due(trainer.done):
            self._save()
        session.display.show(session.status(self._rating()))

    def log(self, numbers: Mapping[str, float]) -> None:
        """Log further numbers by tag for TensorBoard. The learning curve does not contain these numbers."""
        self._session.events.add(numbers, self._trainer.count)

    def _begin(self, resume: bool) -> bool:
        """Prepare the folder, and return whether a resumed run has no checkpoint and starts from the beginning."""
        folder, trainer, task = self._folder, self._trainer, self._trainer.task
        options = {name: json_value(value) for name, value in values_of(trainer.config).items()}
        config: dict[str, Any] = {"learner": trainer.learner, "environment": task.environment, "seed": task.seed}
        config["options"] = options
        declared = training_options(type(trainer.config))
        changeable = [name for name in options if declared[name].declared.changeable]
        if resume:
            folder.check_config(config, changeable)
        if resume and folder.has_checkpoint:
            self._restore()
        else:
            folder.check_overwrites_nothing()
        folder.write_config(config, changeable)
        return resume and not folder.has_checkpoint

    def _restore(self) -> None:
        folder, trainer = self._folder, self._trainer
        record, state = folder.read_checkpoint()
        with folder.checkpoint_errors():
            trainer.restore(state)
        self._record = record
        folder.write_curve(record.curve)
        if record.has_best or trainer.latest_is_best:
            trainer.write_best(folder.best)

    def _log(self, measurement: Measurement | None) -> None:
        """Add a row to the learning curve."""
        trainer = self._trainer
        numbers = dict(trainer.metrics())
        row: Row = {trainer.unit: trainer.count, **numbers}
        changes: dict[str, Any] = {"logged": trainer.count}
        if measurement is not None:
            row = {**row, **_columns(measurement)}
            numbers |= {"ladder/rating": measurement.rating}
            numbers |= {f"ladder/{spec}": record.score for spec, record in measurement.results.items()}
            changes["measured"] = trainer.done
            if trainer.adopt(measurement, self._ladder):
                changes["has_best"] = self._best_is_stale = True
        self._record = replace(self._record, curve=(*self._record.curve, row), **changes)
        self._session.events.add(numbers, trainer.count)

    def _rating(self) -> float | None:
        return next((row["rating"] for row in reversed(self._record.curve) if "rating" in row), None)

    def _save(self) -> None:
        """Write a checkpoint and then the other files, if the state is consistent."""
        state = self._trainer.state()
        if state is None:
            return
        with self._session.clock.saving(self._trainer.done):
            self._session.events.flush()
            self._record = replace(self._record, seconds=self._session.clock.elapsed)
            self._folder.write_checkpoint(self._record, state)
            self._folder.write_curve(self._record.curve)
            if self._best_is_stale:
                self._trainer.write_best(self._folder.best)
                self._best_is_stale = self._trainer.latest_is_best


class _Session:
    """The clock, the display and the event log of a session.

    A session lasts from the start, or the resumption, of a run to its end or interruption.
    """

    def __init__(self, trainer: Trainer, folder: RunFolder, seconds_before: float) -> None:
        self.display = ProgressDisplay()
        self.events = EventLog(folder.path, trainer.count + 1)
        self.clock = SessionClock(trainer.done, trainer.config.checkpoint_seconds, seconds_before)
        self._trainer = trainer

    def __enter__(self) -> Self:
        self.display.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.display.__exit__(*error)
        self.events.close()

    def status(self, rating: float | None) -> Status:
        """Return the status of the run."""
        trainer = self._trainer
        done, total = trainer.done, trainer.total
        return Status(
            learner=trainer.learner,
            share=min(1.0, done / total),
            count=trainer.count,
            total=total if isinstance(total, int) else None,
            unit=trainer.unit,
            elapsed=self.clock.elapsed,
            left=self.clock.left(done, total),
            rating=rating,
        )


def _columns(measurement: Measurement) -> dict[str, int | float]:
    """Return the columns of the learning curve for a measurement."""
    columns: dict[str, int | float] = {"rating": round(measurement.rating, 1)}
    for spec, record in measurement.results.items():
        columns |= {f"{spec} won": record.wins, f"{spec} drawn": record.draws, f"{spec} lost": record.losses}
    return columns
