"""What is asked of Slurm, and what of it cannot be."""

import shutil
from concurrent.futures import Executor
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar

import attrs

from graphol import UsageError, param
from graphol_slurm.jobs import JobExecutor

SPARE_GB = 1.0
"""Memory of a job beside that of the task it plays."""


@attrs.frozen
class Slurm:
    """Jobs of a Slurm cluster, each of which plays a group of tasks.

    Of the tasks that are waiting, up to ``group`` go into one job, and as many jobs as there are
    workers are queued or run at a time. A job plays its tasks one after the other, each in a child
    process, so that time and memory can be limited and a task that crashes harms no other.

    Parameters
    ----------
    group
        Most tasks in one job, >= 1.
    partition
        Slurm's partition; empty for the usual one.
    minutes
        Time limit of a job, >= 1.
    memory
        Memory of a job in GB, > 0.
    folder
        Where tasks, answers and logs are kept meanwhile; the compute nodes must see it.
    cluster
        ``slurm``, or ``local`` for processes of this machine.
    """

    name: ClassVar[str] = "slurm"
    group: int = param(10, least=1)
    partition: str = param("")
    minutes: int = param(60, least=1)
    memory: float = param(4.0, above=0)
    folder: str = param("graphol-jobs")
    cluster: str = param("slurm", choices=("slurm", "local"))

    def start(
        self, workers: int, *, timeout: float | None = None, memory: int | None = None
    ) -> Executor:
        """An executor with so many jobs at a time; they are submitted with the first tasks."""
        if timeout is not None and self.group * timeout > 60 * self.minutes:
            raise UsageError(
                f"slurm: {self.group} tasks of up to {timeout:g} s do not fit into a job of "
                f"{self.minutes} minutes; raise minutes, or lower group"
            )
        if memory is not None and memory / 1e9 + SPARE_GB > self.memory:
            raise UsageError(
                f"slurm: a task of up to {memory / 1e9:.3g} GB does not fit into a job of "
                f"{self.memory:g} GB; allow memory={memory / 1e9 + SPARE_GB:.3g}"
            )
        folder = self._folder()
        try:
            submitting = self._submitting(folder)
        except UsageError:
            shutil.rmtree(folder)
            raise
        return JobExecutor(
            submitting, folder, jobs=workers, group=self.group, timeout=timeout, memory=memory
        )

    def _folder(self) -> Path:
        """One of this executor's own, that nobody else may enter."""
        try:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
            return Path(mkdtemp(prefix="jobs-", dir=self.folder)).resolve()
        except OSError as reason:
            raise UsageError(
                f"slurm: no jobs can be kept in {self.folder}: {reason.strerror}; choose another "
                "folder"
            ) from None

    def _submitting(self, folder: Path) -> Any:
        import submitit

        try:
            executor = submitit.AutoExecutor(folder=folder / "logs", cluster=self.cluster)
        except RuntimeError:
            raise UsageError(
                "slurm: there is no srun on this machine; start it on a login node of the "
                "cluster, or try cluster=local"
            ) from None
        executor.update_parameters(
            name="graphol", timeout_min=self.minutes, mem_gb=self.memory, cpus_per_task=1
        )
        if self.partition:
            executor.update_parameters(slurm_partition=self.partition)
        return executor
