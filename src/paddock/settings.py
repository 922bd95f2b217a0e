"""The settings: `settings.toml` in Paddock's home, overridden by the environment, overridden by flags.

A field `port` is the environment variable `PADDOCK_PORT`; `local.slots` is `PADDOCK_LOCAL__SLOTS`.
"""

import getpass
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from paddock.errors import InvalidInput, in_words
from paddock.models import Cause, Container, EnvName, Model, Resources
from paddock.models.access import ZoneName
from paddock.models.base import Bytes
from paddock.models.choices import Giving, JobOrder
from paddock.models.hosts import HostNames, expand
from paddock.models.keep import KeepPolicy
from paddock.paths import home_folder, refuse_foreign, refuse_foreign_inside

DEFAULT_PORT = 54322
Protect = Literal["off", "reserved", "strict"]
KUBERNETES_NAME = r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$"
_LABEL = r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
_LABEL_VALUE = r"^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$"
_WORD = r"^[A-Za-z0-9_][A-Za-z0-9_.@:/-]*$"  # never an option
_ABSOLUTE = r"^/[^:\x00]*$"
GUARD_FIELDS = ("gpu", "host", "state", "owner", "until", "user", "pid", "command", "link")  # of texts about violations


class LocalSettings(Model):
    """The backend that runs tasks on the server's own node."""

    kind: Literal["local"] = Field("local", description="the kind of this backend, which is always local")
    slots: int | None = Field(None, ge=1, description="tasks without a GPU at a time; as many as cores when not given")
    gpus: list[str] | None = Field(None, description="the GPUs to use, as in CUDA_VISIBLE_DEVICES; all when not given")
    python: str | None = Field(
        None, description="interpreter that the runner is started with (3.8 or newer); the server's own when not given"
    )
    protect: Protect = Field(
        "off",
        description="what is done about processes on GPUs that others have reserved: off: nothing; reserved: they are "
        "violations; strict: so are processes on a GPU that nobody has reserved for their owner",
    )


class SlurmSettings(Model):
    """A Slurm cluster."""

    kind: Literal["slurm"] = Field("slurm", description="the kind of this backend")
    prefix: list[str] = Field(
        default_factory=list,
        description="put before Slurm's commands, such as ['ssh', 'login1'] or ['sudo', '-nu', 'ml']",
    )
    conf: str | None = Field(None, description="slurm.conf, where it is not in its usual place (SLURM_CONF)")
    python: str | None = Field(
        None, description="interpreter on the nodes for the runner (3.8 or newer); the server's own when not given"
    )
    setup: list[str] = Field(default_factory=list, description="shell lines of the batch script before the runner")
    variables: dict[EnvName, str] = Field(default_factory=dict, description="environment variables of the batch script")
    resources: Resources = Field(Resources(), description="defaults for jobs: time_limit, slurm.partition, ...")
    warn_seconds: int = Field(60, ge=5, le=3600, description="SIGUSR1 warns a task this long before its time limit")
    poll_seconds: float = Field(2.0, ge=0.1, le=600, description="how often the queue is read while things change")
    rest_seconds: float = Field(15.0, ge=0.1, le=3600, description="how often when nothing has changed for a while")
    command_seconds: float = Field(20.0, ge=1, le=600, description="how long a command of Slurm may take")
    nice_step: int = Field(
        50,
        ge=0,
        le=1_000_000,
        description="what each place in the order of this server's jobs adds to Slurm's Nice; 0: never change it",
    )
    reservations: Literal["off", "nodes", "gpus"] = Field(
        "off",
        description="keep others away from what is reserved, by reservations of Slurm: of whole nodes, or of single "
        "GPUs (Slurm 24.11 and newer)",
    )
    operator_prefix: list[str] = Field(
        default_factory=list,
        description="put before scontrol where it makes reservations, in place of `prefix`, such as "
        "['sudo', '-nu', 'slurm']; not needed if the server's user is an operator of Slurm",
    )


class HostsSettings(Model):
    """Machines that are reached by ssh, without a scheduler."""

    kind: Literal["hosts"] = Field("hosts", description="the kind of this backend")
    hosts: list[HostNames] = Field(
        default_factory=list,
        description="names for ssh, such as gpu1 or gpu[3-8]; `paddock hosts add` adds others without this file",
    )
    ssh: list[str] = Field(
        ["ssh"], min_length=1, description="the command that connects, with options of its own; ssh's own files apply"
    )
    as_user: Literal["none", "sudo", "ssh"] = Field(
        "none",
        description="how tasks run as whoever asked for them, if team.run_as is user: by sudo on the host, or by "
        "ssh as that account; none: all as the account that ssh signs in as",
    )
    shared_home: bool = Field(
        False, description="the hosts see the server's home, or people's homes, at the same path as the server does"
    )
    one_user_a_host: bool = Field(False, description="a host that has tasks of one person gets none of another")
    folder: str | None = Field(
        None, description="where jobs lie on the hosts; team.folder when not given; {host} and {user} are replaced"
    )
    python: str = Field("python3", description="interpreter on the hosts for agent and runner (3.8 or newer)")
    slots: int | None = Field(None, ge=1, description="tasks without a GPU at a time per host; as many as cores")
    look_seconds: float = Field(5.0, ge=0.5, le=600, description="how often a host reports how busy it is")
    protect: Protect = Field(
        "off",
        description="what is done about processes on GPUs that others have reserved: off: nothing; reserved: they are "
        "violations; strict: so are processes on a GPU that nobody has reserved for their owner",
    )
    resources: Resources = Field(Resources(), description="defaults for jobs")

    @property
    def names(self) -> list[str]:
        """Return the hosts one by one."""
        return list(dict.fromkeys(name for one in self.hosts for name in expand(one)))


class PodVolume(Model):
    """Storage that pods see."""

    claim: str | None = Field(None, pattern=KUBERNETES_NAME, description="name of a PersistentVolumeClaim")
    host_path: str | None = Field(
        None, pattern=_ABSOLUTE, description="in place of a claim: a folder that all nodes have, such as one of NFS"
    )
    path: str | None = Field(
        None, pattern=_ABSOLUTE, description="where pods see it; Paddock's home when not given, or the folder itself"
    )
    sub_path: str | None = Field(None, pattern=r"^[^/\x00][^\x00]*$", description="only this folder of the claim")
    read_only: bool = Field(False, description="pods cannot write there")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.claim is None) == (self.host_path is None):
            raise ValueError("give either `claim` or `host_path`")
        return self


class PodToleration(Model):
    """A taint of nodes that pods may run in spite of."""

    key: str | None = Field(None, description="the taint; all when not given")
    operator: Literal["Equal", "Exists"] = Field("Equal", description="whether `value` has to be equal")
    value: str | None = Field(None, description="the value of the taint")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = Field(
        None, description="what the taint does; all effects when not given"
    )


class KubernetesSettings(Model):
    """A Kubernetes cluster."""

    kind: Literal["kubernetes"] = Field("kubernetes", description="the kind of this backend")
    namespace: str | None = Field(None, pattern=KUBERNETES_NAME, description="where pods are; that of the context")
    context: str | None = Field(None, pattern=_WORD, description="a context of the kubeconfig; its current one")
    kubeconfig: Path | None = Field(None, description="kubectl's file, where it is not in its usual place")
    prefix: list[str] = Field(default_factory=list, description="put before kubectl, such as ['ssh', 'login1']")
    kubectl: str = Field("kubectl", min_length=1, description="the program")
    image: str | None = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:/@+\-]*$", description="image of jobs that name none; with Python 3.8"
    )
    image_pull_secrets: list[Annotated[str, Field(pattern=KUBERNETES_NAME)]] = Field(
        default_factory=list, description="names of Secrets for private registries"
    )
    volumes: list[PodVolume] = Field(
        default_factory=list,
        description="storage; one of them must contain Paddock's home at its own path, writable from several nodes",
    )
    shared_memory: Bytes | None = Field(None, ge=1, description="limit of /dev/shm; it counts as memory of the task")
    gpu: str = Field("nvidia.com/gpu", pattern=_LABEL, description="the resource that GPUs are, such as amd.com/gpu")
    gpu_label: str = Field(
        "nvidia.com/gpu.product", pattern=_LABEL, description="the label of nodes that names their kind of GPU"
    )
    queue: str | None = Field(None, pattern=_WORD, description="the queue of Kueue that pods wait in")
    priority_class: str | None = Field(None, pattern=KUBERNETES_NAME, description="priority class of pods")
    scheduler: str | None = Field(None, pattern=KUBERNETES_NAME, description="the scheduler; the cluster's default")
    labels: dict[Annotated[str, Field(pattern=_LABEL)], Annotated[str, Field(pattern=_LABEL_VALUE)]] = Field(
        default_factory=dict, description="further labels of pods"
    )
    node_selector: dict[Annotated[str, Field(pattern=_LABEL)], Annotated[str, Field(pattern=_LABEL_VALUE)]] = Field(
        default_factory=dict, description="labels that nodes must have"
    )
    tolerations: list[PodToleration] = Field(default_factory=list, description="taints that pods tolerate")
    lost_seconds: int = Field(
        300, ge=5, le=86_400, description="a node that does not answer for this long is given up, with what runs there"
    )
    cpus: int | None = Field(
        None, ge=1, description="cores, where nodes may not be listed and the namespace has no quota for them"
    )
    memory: Bytes | None = Field(None, ge=1, description="the same for memory")
    gpus: int | None = Field(None, ge=0, description="the same for GPUs")
    python: str = Field("python3", description="interpreter in the image for the runner (3.8 or newer)")
    variables: dict[EnvName, str] = Field(default_factory=dict, description="environment variables of pods")
    resources: Resources = Field(Resources(), description="defaults for jobs: gpus, memory, time_limit, ...")
    poll_seconds: float = Field(2.0, ge=0.1, le=600, description="how often pods are read while things change")
    rest_seconds: float = Field(15.0, ge=0.1, le=3600, description="how often when nothing has changed for a while")
    command_seconds: float = Field(20.0, ge=1, le=600, description="how long kubectl may take")

    @property
    def job_resources(self) -> Resources:
        """Return the defaults for jobs, with the image."""
        if self.resources.container or self.image is None:
            return self.resources
        return self.resources.model_copy(update={"container": Container(image=self.image, engine="pod")})


def _kind(given: Any) -> str:
    """Return the kind of a backend. Without one it is a Slurm cluster, as in older files."""
    return str(given.get("kind", "slurm") if isinstance(given, Mapping) else getattr(given, "kind", "slurm"))


BackendSettings = Annotated[
    Annotated[LocalSettings, Tag("local")]
    | Annotated[SlurmSettings, Tag("slurm")]
    | Annotated[HostsSettings, Tag("hosts")]
    | Annotated[KubernetesSettings, Tag("kubernetes")],
    Discriminator(
        _kind,
        custom_error_type="kind",
        custom_error_message="there is no such kind of backend; there are: local, slurm, hosts, kubernetes",
    ),
]


class RunnerSettings(Model):
    """How runners watch their tasks."""

    poll_seconds: float = Field(
        0.2, gt=0, le=60, description="how often metric files and orders are read; without news, once per second"
    )
    usage_seconds: float = Field(2.0, gt=0, le=3600, description="how often memory and CPU use are measured")
    silence_seconds: float = Field(
        60.0,
        ge=1,
        le=3600,
        description="a runner that reports nothing for this long is shown as silent; if its node was lost, as gone",
    )
    warn_seconds: float = Field(60.0, ge=1, le=3600, description="SIGUSR1 warns a task this long before its time limit")
    grace_seconds: float = Field(10.0, ge=0, le=3600, description="time from SIGTERM to SIGKILL when a task is stopped")
    stuck_seconds: float = Field(
        15.0,
        gt=0,
        le=3600,
        description="a runner that was told to end, or to stop a task, and reports nothing is killed this long after "
        "the grace period",
    )
    log_bytes: int = Field(1024**3, ge=65_536, description="largest log of a task; more is cut out of its middle")
    mps: bool = Field(True, description="start NVIDIA MPS where tasks share a GPU and it is installed")


class UploadSettings(Model):
    """What a submission may bring along."""

    max_bytes: int = Field(100 * 1024**2, gt=0, description="largest total size of the files of a job")
    max_files: int = Field(5_000, gt=0, description="largest number of files of a job")


class RetrySettings(Model):
    """How often a task is retried automatically, by cause. It continues from its checkpoint."""

    user_error: int = Field(0, ge=0, le=100, description="the script itself failed")
    gpu_oom: int = Field(0, ge=0, le=100, description="out of GPU memory")
    host_oom: int = Field(0, ge=0, le=100, description="out of host memory")
    time_limit: int = Field(5, ge=0, le=100, description="cut off by the time limit")
    node_failure: int = Field(3, ge=0, le=100, description="the node went down")
    preempted: int = Field(20, ge=0, le=100, description="ended by the scheduler to make room")
    launch_failed: int = Field(0, ge=0, le=100, description="the process could not be started")
    lost: int = Field(2, ge=0, le=100, description="its runner stopped reporting: it was killed, or its node failed")

    def limit(self, cause: Cause) -> int:
        # A resize is no failure: see rules/lifecycle.py.
        value: int = getattr(self, "preempted" if cause is Cause.YIELDED else cause.value, 0)
        return value


class ShareSettings(Model):
    """How the owners of jobs share what there is."""

    weights: dict[str, Annotated[float, Field(gt=0, le=1000)]] = Field(
        default_factory=dict, description="owner -> share; 1 for everybody else"
    )
    half_life_hours: float = Field(
        4.0, gt=0, le=10_000, description="what somebody used this long ago counts half as much as what runs now"
    )


class TeamSettings(Model):
    """Several people on one server. `paddock team on` turns accounts on."""

    run_as: Literal["server", "user"] = Field(
        "server", description="whose processes tasks are: the server's user's, or those of whoever asked for them"
    )
    agent: list[str] = Field(
        ["sudo", "-n", "-u", "{user}", "/usr/local/libexec/paddock/paddock-agent"],
        description="command line that starts the agent of a person; {user} is the name of their Unix account",
    )
    warden: list[str] = Field(
        ["sudo", "-n", "/usr/local/libexec/paddock/paddock-warden"],
        description="command line of the small helper with root's rights, also on hosts: passwords of the machine's "
        "accounts, messages on terminals, ending of processes on reserved GPUs",
    )
    group: str = Field("paddock-users", description="the Unix group of those whom the server may act as")
    folder: str = Field("~/.paddock-jobs", description="where jobs lie in the home of the person that they run as")
    admins: list[str] = Field(default_factory=list, description="who is an admin when they first sign in")
    join: Literal["listed", "open"] = Field(
        "listed",
        description="who may sign in by PAM, LDAP or single sign-on for the first time: those with an account or an "
        "invitation, and members of `join_groups`; or everybody",
    )
    join_groups: list[str] = Field(default_factory=list, description="groups whose members may sign in")
    logs: Literal["team", "own"] = Field(
        "team", description="who reads logs, files and code of jobs that the team sees: everybody, or their owner"
    )
    door: Path | None = Field(
        None,
        description="socket by which people on this machine sign in without a password; none when not given",
    )
    session_days: float = Field(30.0, gt=0, le=365, description="a browser that is not used this long is signed out")
    lasting_tokens: bool = Field(False, description="allow tokens that never expire")
    audit_days: float = Field(400.0, ge=30, description="how long the audit is kept")
    access: Literal["open", "closed"] = Field(
        "open", description="what no rule speaks of is allowed (open), or not (closed)"
    )
    ranking: Literal["everybody", "admins"] = Field("admins", description="who sees the use of all people")
    zone: ZoneName = Field("UTC", description="the time zone of weeks in quotas and reports")


class HookSettings(Model):
    """What is done outside Paddock when something happens: a webhook, or a command on the server."""

    url: str | None = Field(None, pattern=r"^https?://\S+$", description="gets the event as JSON by POST")
    secret_file: Path | None = Field(
        None, description="file with the key of the HMAC-SHA256 in the header X-Paddock-Signature; in the home"
    )
    command: list[str] = Field(default_factory=list, description="gets the event as JSON on its standard input")
    seconds: float = Field(30.0, gt=0, le=600, description="how long it may take")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.url is None) == (not self.command):
            raise ValueError("give either `url` or `command`")
        return self


class ElasticSettings(Model):
    """How jobs make room for others who wait, and how many GPUs trainings have that can change in size."""

    give_way: Giving = Field(
        Giving.BETWEEN,
        description="when the allocations of jobs that say nothing leave for others: never, between, now",
    )
    keep: int = Field(
        1, ge=0, le=100_000, description="a job keeps this many allocations when other users of a cluster wait"
    )
    order: JobOrder = Field(
        JobOrder.FAIR,
        description="which job goes first, after priorities: fair (owners share), short (the least work left; what "
        "waits for long comes nearer), first (the oldest)",
    )
    others_seconds: float = Field(
        15.0, ge=0.1, le=3600, description="how often a cluster is asked whether others wait there"
    )
    sizes: bool = Field(
        True,
        description="choose how many GPUs the tasks of a job with a range such as `gpus: 1..4` have while they run; "
        "false: only people change that (`paddock resize`)",
    )
    sizes_seconds: float = Field(
        60.0, ge=0.1, le=86_400, description="how often that is decided, and also when jobs arrive and end"
    )
    most_gpus: int | None = Field(
        None, ge=1, le=1_000_000, description="no training is enlarged while jobs have this many GPUs of a backend"
    )
    turn_seconds: float = Field(
        3600.0,
        gt=0,
        description="where a cluster does not show what others wait for, allocations take no task after this time",
    )


class ReservationSettings(Model):
    """Reservations of GPUs."""

    grid_minutes: int = Field(15, ge=1, le=60, description="times in the calendar are multiples of this")
    min_minutes: int = Field(
        30, ge=1, description="the shortest; `paddock run` and reservations from now on may be shorter"
    )
    max_hours: float = Field(192.0, gt=0, description="the longest")
    ahead_days: float = Field(60.0, gt=0, description="how far in the future one may begin")
    notice_minutes: float = Field(
        15.0, ge=0, description="the time from now that somebody else's running work keeps, when its GPU is reserved"
    )
    yield_minutes: float = Field(
        30.0, ge=0, description="the shortest gap between reservations that work with checkpoints may begin in"
    )
    release_after_minutes: float | None = Field(
        None, gt=0, description="a reservation that was not used since its start is released after this long"
    )
    idle_minutes: float = Field(10.0, gt=0, description="a GPU is idle if its load was low for this long")
    idle_load: float = Field(0.05, ge=0, le=1, description="a load below this is low")
    reclaim_idle_minutes: float | None = Field(
        None, gt=0, description="work that leaves its GPU idle for this long ends, if somebody waits for it"
    )
    on_create: list[HookSettings] = Field(default_factory=list, description="when one is made")
    before_start: list[HookSettings] = Field(default_factory=list, description="ten minutes before it begins")
    on_start: list[HookSettings] = Field(default_factory=list, description="when it begins")
    on_end: list[HookSettings] = Field(default_factory=list, description="when it ends")


class ViolationSettings(Model):
    """What is done about processes on GPUs that others have reserved. A step that is null is left out."""

    settle_seconds: float = Field(30.0, ge=0, description="the first seconds of a reservation do not count")
    terminal_minutes: float | None = Field(0.0, ge=0, description="after this long: a message on their terminals")
    repeat_minutes: float = Field(10.0, ge=1, description="the message is repeated this often")
    page_minutes: float | None = Field(0.0, ge=0, description="after this long: notices in the page")
    mail_minutes: float | None = Field(1.0, ge=0, description="after this long: a mail to them")
    admins_minutes: float | None = Field(1.0, ge=0, description="after this long: a mail to admins")
    admins_repeat_minutes: float = Field(10.0, ge=1, description="admins get one mail with all news this often")
    grace_minutes: float | None = Field(None, ge=0, description="after this long they are ended (SIGTERM); null: never")
    kill_seconds: float = Field(30.0, ge=1, description="from SIGTERM to SIGKILL")
    hooks: list[HookSettings] = Field(
        default_factory=list, description="called for each step, and when a violation is over"
    )
    days: float = Field(90.0, ge=1, description="how long violations that are over are kept")
    exempt_commands: list[str] = Field(
        ["Xorg", "gnome-shell", "nvidia-cuda-mps", "nvidia-persiste", "dcgm", "nv-hostengine"],
        description="programs that are no violation, if they need less than 2 GiB of a GPU: how their name begins",
    )
    text_intruder: str = Field(
        "{gpu} {state}. Please end your process {pid} ({command}).",
        description="what the owner of the process reads; {state} is such as `is reserved by alice until Fri 14:00`; "
        "there are {gpu}, {host}, {state}, {owner}, {until}, {user}, {pid}, {command}, {link}",
    )
    text_owner: str = Field(
        "A process of {user} ({pid}, {command}) is on {gpu}, which {state}.",
        description="what the owner of the reservation reads",
    )
    text_admins: str = Field(
        "{user} uses {gpu} ({pid}, {command}), which {state}.",
        description="what admins read about each violation",
    )

    @field_validator("text_intruder", "text_owner", "text_admins")
    @classmethod
    def _known_fields(cls, text: str) -> str:
        try:
            named = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(text)]
        except ValueError as error:
            raise ValueError(f"{error}: write {{{{ for a brace") from None
        for name, spec, conversion in named:
            if name is not None and (name not in GUARD_FIELDS or spec or conversion):
                known = ", ".join(f"{{{one}}}" for one in GUARD_FIELDS)
                raise ValueError(f"{{{name}}} is not known: there are {known}")
        return text

    @field_validator("exempt_commands")
    @classmethod
    def _no_empty_names(cls, names: list[str]) -> list[str]:
        if not all(names):
            raise ValueError("an empty name would be all programs: leave it out")
        return names


class PamSettings(Model):
    """Passwords of the machine's own accounts."""

    service: str = Field(
        "paddock", pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", description="the PAM service, a file in /etc/pam.d"
    )
    warden: bool = Field(
        True, description="ask with root's rights, through the warden; false where PAM needs none (a service as sssd)"
    )


class LdapSettings(Model):
    """A directory."""

    url: str = Field(pattern=r"^ldaps?://[^\s/?]+/?$", description="ldap://host or ldaps://host")
    start_tls: bool = Field(False, description="encrypt the connection after it is made (ldap:// only)")
    ca_certificate: Path | None = Field(
        None,
        description="file (PEM) with the signers of the directory's certificate; this and other files here are in the "
        "home unless their path is absolute",
    )
    bind_dn: str = Field("", description="whom to search as; anonymously when not given")
    bind_password_file: Path | None = Field(None, description="file with that account's password")
    base: str = Field(description="where people are, such as ou=people,dc=example,dc=org")
    filter: str = Field(
        "(uid={name})",
        pattern=r"^\(.*\{name\}.*\)$",
        description="how a person is found; {name} is what was typed, escaped",
    )
    name_attribute: str = Field("uid", description="the attribute that becomes the name of the account")
    full_name_attribute: str = Field("cn", description="the attribute with the full name")
    email_attribute: str = Field("mail", description="the attribute with the e-mail address")
    unix_attribute: str = Field("uid", description="the attribute with the Unix account; empty: none")
    group_base: str = Field("", description="where groups are; only memberOf is read when not given")
    seconds: float = Field(5.0, gt=0, le=60, description="how long the directory may take")

    @model_validator(mode="after")
    def _one_kind_of_tls(self) -> Self:
        if self.start_tls and self.url.startswith("ldaps:"):
            raise ValueError("start_tls is for ldap://; a connection with ldaps:// is encrypted from its beginning")
        return self


class OidcSettings(Model):
    """A single sign-on provider (OpenID Connect)."""

    issuer: str = Field(
        max_length=200,
        pattern=r"^https://[^\s?#]+$|^http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/[^\s?#]*)?$",
        description="its address (https), exactly as the provider writes it; it must serve "
        ".well-known/openid-configuration",
    )
    client_id: str = Field(description="what the provider calls this server")
    client_secret_file: Path | None = Field(
        None, description="file with the secret, if the provider gave one; in the home unless its path is absolute"
    )
    title: str = Field("", description="what the button says; the name of the section when not given")
    scopes: list[str] = Field(["openid", "profile", "email"], description="what to ask for")
    name_claim: str = Field(
        "preferred_username",
        description="the claim that becomes the name of the account; one that people cannot change there themselves",
    )
    domain: str = Field("", description="if that claim is an e-mail address: the domain that names are without")
    unix_claim: str = Field("", description="the claim with the Unix account; empty: none")
    groups_claim: str = Field("", description="the claim with the groups; empty: none")
    ca_certificate: Path | None = Field(None, description="file (PEM) with the signers of its certificate")


class LoginSettings(Model):
    """How people sign in."""

    password: bool = Field(True, description="with a name and a password that Paddock keeps")
    pam: PamSettings | None = Field(None, description="with the accounts of this machine")
    ldap: LdapSettings | None = Field(None, description="with a directory")
    oidc: dict[str, OidcSettings] = Field(default_factory=dict, description="with single sign-on, by name")


class NotifySettings(Model):
    """Notices outside the page."""

    urls: list[str] = Field(
        default_factory=list,
        description="where your notices go too, without accounts: addresses as apprise writes them, such as a webhook",
    )
    mail: str | None = Field(
        None,
        description="the mail server, as apprise writes it (mailtos://user:password@smtp.example.org?from=...); "
        "without it nobody gets mail",
    )
    mail_file: Path | None = Field(None, description="file that contains `mail`, in the home unless it is absolute")
    schemes: list[str] = Field(
        ["slack", "msteams", "workflow", "discord", "ntfy", "ntfys", "tgram", "pover", "mmosts", "matrixs", "zulip"],
        description="kinds of addresses that people may give for themselves; others would let them make the server "
        "call anything",
    )
    hosts: list[str] = Field(
        default_factory=list,
        description="hosts inside your network that people's own addresses may name, such as a Mattermost of your own; "
        "without it, addresses inside are refused",
    )
    per_hour: int = Field(
        20, ge=1, description="messages per person and hour; what is more comes together in one message"
    )
    days: float = Field(90.0, gt=0, description="how long notices are kept")


class Settings(BaseSettings):
    """All settings. `paddock settings` shows the values in force."""

    model_config = SettingsConfigDict(env_prefix="PADDOCK_", env_nested_delimiter="__", extra="forbid", frozen=True)

    home: Path = Field(
        Path("~/.paddock"),
        description="folder of the database, the token and the jobs; on a cluster one that all nodes see",
    )
    host: str = Field("127.0.0.1", description="address that the server listens on")
    port: int = Field(DEFAULT_PORT, ge=0, le=65535, description="port that the server listens on; 0 takes a free one")
    tls_certificate: Path | None = Field(
        None,
        description="file (PEM) with the certificate for HTTPS on the port, and those of its signers; "
        "in the home unless its path is absolute; plain HTTP when not given",
    )
    tls_key: Path | None = Field(None, description="file (PEM) with the key of that certificate, private to the owner")
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#\s]+(/[^?#\s]*)?$",
        description="the address that people open, if it is not the one that the server listens on (behind a proxy)",
    )
    insecure: bool = Field(
        False,
        description="let people sign in over plain HTTP from other computers, where passwords can be read on the way",
    )
    owner: str = Field(default_factory=getpass.getuser, description="name that new jobs belong to")
    database: str | None = Field(
        None, description="URL such as postgresql://user@host/name; SQLite in the home when not given"
    )
    python: str | None = Field(
        None, description="interpreter for jobs without an environment; the server's when not given"
    )
    backend: str = Field("local", description="backend for jobs that name none")
    tick_seconds: float = Field(0.25, gt=0, le=60, description="how often the engine looks at the journals")
    max_tasks: int = Field(20_000, ge=1, description="largest number of tasks of one job")
    event_hours: float = Field(1.0, gt=0, description="how long events are kept for clients that reconnect")
    load_hours: float = Field(48.0, gt=0, description="how long samples of the nodes' load are kept")
    check_seconds: float = Field(30.0, gt=0, description="how long the check of a job's environment may take")
    group: str | None = Field(None, description="group that may read jobs' folders; only their owner when not given")
    local: LocalSettings = Field(LocalSettings(), description="the backend on the server's own node")
    backends: dict[str, BackendSettings] = Field(
        default_factory=dict,
        description='further backends by name, each with its `kind`; `backend = "slurm"` alone is one with defaults',
    )
    profiles: dict[str, Resources] = Field(
        default_factory=dict, description="resources with a name, for `--profile`; they may name a backend"
    )
    shares: ShareSettings = Field(ShareSettings(), description="how the owners of jobs share what there is")
    elastic: ElasticSettings = Field(ElasticSettings(), description="how jobs make room for others who wait")
    runner: RunnerSettings = Field(RunnerSettings(), description="how runners watch their tasks")
    upload: UploadSettings = Field(UploadSettings(), description="what a submission may bring along")
    keep: KeepPolicy = Field(KeepPolicy(), description="how long things are kept")
    team: TeamSettings = Field(TeamSettings(), description="several people on one server")
    login: LoginSettings = Field(LoginSettings(), description="how people sign in")
    notify: NotifySettings = Field(NotifySettings(), description="notices outside the page")
    reservations: ReservationSettings = Field(ReservationSettings(), description="reservations of GPUs")
    violations: ViolationSettings = Field(
        ViolationSettings(), description="what is done about processes on reserved GPUs"
    )
    retries: RetrySettings = Field(RetrySettings(), description="default number of automatic retries by cause")

    @model_validator(mode="before")
    @classmethod
    def _one_local(cls, given: Any) -> Any:
        """Read `[backends.local]` of kind local as `[local]`."""
        backends, there = given.get("backends"), given.get("local", {})
        own = backends.get("local") if isinstance(backends, Mapping) else None
        if not isinstance(own, Mapping) or not isinstance(there, Mapping) or _kind(own) != "local":
            return given
        twice = [name for name in own if there.get(name, own[name]) != own[name]]
        if twice:
            raise ValueError(f"[local] and [backends.local] both give {twice[0]}, and differ: leave one of them out")
        others = {name: one for name, one in backends.items() if name != "local"}
        return {**given, "backends": others, "local": {**own, **there}}

    @field_validator("backends")
    @classmethod
    def _names(cls, given: dict[str, BackendSettings]) -> dict[str, BackendSettings]:
        for name, one in given.items():
            if name == "local":
                raise ValueError("`local` is the server's own node: give the cluster another name")
            if isinstance(one, LocalSettings):
                raise ValueError(f"the server's own node is the backend `local`: give {name} another kind")
        return given

    @property
    def every_backend(self) -> dict[str, BackendSettings]:
        """Return all backends by name: the server's own node, those of the file, and `slurm` if it has no settings."""
        implied = {"slurm": SlurmSettings()} if self.backend == "slurm" else {}
        return {"local": self.local, **implied, **self.backends}

    @property
    def clusters(self) -> dict[str, SlurmSettings]:
        """Return all Slurm clusters."""
        return {name: one for name, one in self.every_backend.items() if isinstance(one, SlurmSettings)}

    @property
    def fleets(self) -> dict[str, HostsSettings]:
        """Return all backends of hosts that are reached by ssh."""
        return {name: one for name, one in self.every_backend.items() if isinstance(one, HostsSettings)}

    @property
    def pod_clusters(self) -> dict[str, KubernetesSettings]:
        """Return all Kubernetes clusters."""
        return {name: one for name, one in self.every_backend.items() if isinstance(one, KubernetesSettings)}

    def defaults_of(self, backend: str) -> Resources:
        """Return the resources of jobs for a backend that ask for no others."""
        one = self.every_backend.get(backend)
        if isinstance(one, KubernetesSettings):
            return one.job_resources
        return one.resources if isinstance(one, SlurmSettings | HostsSettings) else Resources()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        given = init_settings.init_kwargs.get("home")  # type: ignore[attr-defined]
        toml = TomlConfigSettingsSource(settings_cls, settings_file(given))
        return init_settings, env_settings, toml


def settings_file(home: str | Path | None = None) -> Path:
    return home_folder(home) / "settings.toml"


def load(home: str | Path | None = None, **overrides: Any) -> Settings:
    """Return the settings in force; flags that are None count as not set.

    Raise NotAuthorised for a home or a file that others own or can write: settings name programs to run.
    """
    refuse_foreign(home_folder(home))
    refuse_foreign_inside(home_folder(home), [settings_file(home)])
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(home=home_folder(home), **given)
    except ValidationError as error:
        fields = {_field(e["loc"]): in_words(e) for e in error.errors()}
        listed = "; ".join(f"{name}: {message}" for name, message in fields.items())
        raise InvalidInput(
            f"The settings in {settings_file(home)} (or PADDOCK_... variables) are wrong: {listed}.", fields=fields
        ) from None
    except OSError as error:
        raise InvalidInput(f"{settings_file(home)} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # TOML syntax
        raise InvalidInput(f"{settings_file(home)} is not valid TOML: {error}") from None


def _field(loc: Sequence[int | str]) -> str:
    """Return the name of a field as in the file: pydantic puts the kind of a backend behind its name."""
    parts = [*loc[:2], *loc[3:]] if loc[:1] == ("backends",) else loc
    return ".".join(map(str, parts)) or "local"
