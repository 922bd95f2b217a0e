"""Every type that crosses a boundary: REST, the job folder, the command line, the database's columns."""

# fmt: off
from paddock.models.allocations import FOLDER, AllocationBatch, AllocationChange, AllocationState, AllocationStatus
from paddock.models.base import Cause, EnvName, Model, Params, TaskState
from paddock.models.cluster import BackendInfo, Device, ErrorBody, ErrorReply, GpuProcess, Health, Node, Version
from paddock.models.events import Event
from paddock.models.jobs import (
    Check, Facets, FolderNames, Job, JobDetail, JobPage, JobPatch, LeftOut, LimitsRequest, MapPart, NoWord, Packing,
    Preview, Sample, TaskCounts, Waits,
)
from paddock.models.keep import PruneItem, PruneKind, PruneReport, PruneRequest, PruneTotal
from paddock.models.resources import Launcher, Resources, Triple
from paddock.models.script import Convention, FlagStyle, InspectRequest, ScriptParam, ScriptReport
from paddock.models.search import ExtendRequest, Move, RungReport, Savings, SearchReport, TrialReport
from paddock.models.spec import (
    CodeInfo, Environment, Goal, Interpreter, JobSpec, Method, MetricFiles, Objective, Search, StopEarly,
    Submission,
)
from paddock.models.tasks import (
    Allocation, Attempt, Changed, Curve, FreeMemory, RestartRequest, Seat, StopRequest, Task, TaskDetail, TaskPage,
)
