"""Every type that crosses a boundary, in one place: `paddock.models` gives them from here."""

# fmt: off
from paddock.models.access import (
    AccessRule, AccessRuleRequest, AccessTrial, AccessWindow, Act, AllowedHours, Quota, QuotaRequest, QuotaUse,
    RuleSubjects, RuleTargets, TimeStretch,
)
from paddock.models.accounts import (
    Account, AccountGroup, AccountPatch, AccountRequest, AuditEntry, AuditPage, BrowserSession, CodeRequest, GroupPatch,
    GroupRequest, Invite, InviteRequest, Me, MePatch, PasswordChange, PersonalToken, Provider, Role, SetupInfo,
    SetupRequest, SignedIn, SignIn, SignInMethods, SignInSource, TeamCheck, TeamRequest, TeamState, TokenRequest,
    TokenScope, Visibility,
)
from paddock.models.allocations import (
    FOLDER, AllocationBatch, AllocationChange, AllocationState, AllocationStatus, Place,
)
from paddock.models.attach import AttachPoint
from paddock.models.base import Cause, EnvName, Model, Params, TaskState
from paddock.models.choices import Convention, Giving, JobOrder, Launcher, Method
from paddock.models.container import Container
from paddock.models.cluster import (
    BackendInfo, Device, ErrorBody, ErrorReply, GpuProcess, Health, Node, SignedInPerson, Traits, Version,
)
from paddock.models.events import Event
from paddock.models.files import (
    FieldDiff, FileDiff, FileEntry, FilePage, FilePreview, ImageFile, ImageList, JobDiff, TaskPatch,
)
from paddock.models.hosts import HostInfo, HostKey, HostRequest
from paddock.models.jobs import (
    BulkRequest, BulkResult, Check, Facets, Failure, FolderNames, Job, JobDetail, JobPage, JobPatch, LeftOut,
    LimitsRequest, MapPart, Marked, MarkRequest, NoWord, Packing,
    Preview, Sample, SavedView, TaskCounts,
)
from paddock.models.keep import PruneItem, PruneKind, PruneReport, PruneRequest, PruneTotal
from paddock.models.preflight import FoundEnvironment, NamedFile, Needed, Preflight
from paddock.models.metric_names import Goal
from paddock.models.notices import (
    AddressRequest, ChoicesRequest, Notice, NoticeAddress, NoticeChoices, NoticeKind, NoticePage, NoticesRead,
    TryRequest, TryResult,
)
from paddock.models.plan import JobsPlan, MadeNodes, PlannedJob, PlannedSubmission, PlanRequest, SlotUse
from paddock.models.queue import QueuedJob, QueuedTask, QueuePage
from paddock.models.reservations import (
    BookingProblem, BookingResult, CancelRequest, FreeSlot, ReservableDevice, Reservation, ReservationPage,
    ReservationPatch, ReservationRequest, WantedSlot,
)
from paddock.models.resources import HostsResources, Resources, SlurmResources, Triple
from paddock.models.script import FlagStyle, InspectRequest, ScriptParam, ScriptReport, ValuePlace
from paddock.models.search import (
    ExtendRequest, Move, ObjectiveReport, ObjectiveRequest, RungReport, Savings, SearchReport, TrialReport,
)
from paddock.models.sizes import GpusPoint, JobGpus, SizeChange
from paddock.models.spec import (
    CodeInfo, Elastic, Environment, Interpreter, JobSpec, MetricFiles, Objective, ObjectiveChoice, Search, StopEarly,
    Submission,
)
from paddock.models.tasks import (
    Allocation, Attempt, Changed, Curve, Expected, FreeMemory, ResizeRequest, RestartRequest, Seat, StopRequest, Task,
    TaskColumns, TaskDetail, TaskPage, Waits,
)
from paddock.models.usage import DeviceHours, Overview, ReservationUse, UsageReport, UsageRow
from paddock.models.violations import (
    Exemption, ExemptionRequest, Violation, ViolationExemption, ViolationPage, ViolationStep,
)
