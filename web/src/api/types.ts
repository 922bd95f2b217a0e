/** Names for the generated types: nothing is defined here. */

import type { components, operations } from './schema';

type Schemas = components['schemas'];

export type Allocation = Schemas['Allocation'];
export type Attempt = Schemas['Attempt'];
export type BackendInfo = Schemas['BackendInfo'];
export type BulkRequest = Schemas['BulkRequest'];
export type Cause = Schemas['Cause'];
export type Check = Schemas['Check'];
export type CodeInfo = Schemas['CodeInfo'];
export type Convention = Schemas['Convention'];
export type Curve = Schemas['Curve'];
export type Device = Schemas['Device'];
export type ErrorBody = Schemas['ErrorBody'];
export type ExtendRequest = Schemas['ExtendRequest'];
export type FoundEnvironment = Schemas['FoundEnvironment'];
export type Failure = Schemas['Failure'];
export type FileDiff = Schemas['FileDiff'];
export type FileEntry = Schemas['FileEntry'];
export type FilePreview = Schemas['FilePreview'];
export type FreeMemory = Schemas['FreeMemory'];
export type GpusPoint = Schemas['GpusPoint'];
export type GpuProcess = Schemas['GpuProcess'];
export type HostInfo = Schemas['HostInfo'];
export type HostsResources = Schemas['HostsResources'];
export type Hint = Schemas['Hint'];
export type ImageFile = Schemas['ImageFile'];
export type InspectRequest = Schemas['InspectRequest'];
export type Job = Schemas['Job'];
export type JobDiff = Schemas['JobDiff'];
export type JobDetail = Schemas['JobDetail'];
export type MapPart = Schemas['MapPart'];
export type JobLoad = Schemas['JobLoad'];
export type JobPage = Schemas['JobPage'];
export type JobPatch = Schemas['JobPatch'];
export type JobSpec = Schemas['JobSpec'];
export type LimitsRequest = Schemas['LimitsRequest'];
export type LoadReport = Schemas['LoadReport'];
export type LoadSeries = Schemas['LoadSeries'];
export type Method = Schemas['Method'];
export type Move = Schemas['Move'];
export type NoWord = Schemas['NoWord'];
export type Node = Schemas['Node'];
export type Objective = Schemas['Objective'];
export type ObjectiveReport = Schemas['ObjectiveReport'];
export type ObjectiveRequest = Schemas['ObjectiveRequest'];
export type Packing = Schemas['Packing'];
export type PageLayout = Schemas['PageLayout'];
export type ParamSpace = NonNullable<JobSpec['params']>[string];
export type Preflight = Schemas['Preflight'];
export type Preview = Schemas['Preview'];
export type Resources = Schemas['Resources'];
export type SlurmResources = Schemas['SlurmResources'];
export type QueuedJob = Schemas['QueuedJob'];
export type RestartRequest = Schemas['RestartRequest'];
export type RungReport = Schemas['RungReport'];
export type Sample = Schemas['Sample'];
export type SavedView = Schemas['SavedView'];
export type ScriptParam = Schemas['ScriptParam'];
export type ScriptReport = Schemas['ScriptReport'];
export type SearchReport = Schemas['SearchReport'];
export type Seat = Schemas['Seat'];
export type Share = UserLoad | JobLoad;
export type Tile = Schemas['Tile'];
export type SizeChange = Schemas['SizeChange'];
export type StopEarly = Schemas['StopEarly'];
export type StopRequest = Schemas['StopRequest'];
export type Task = Schemas['Task'];
export type TaskColumns = Schemas['TaskColumns'];
/** What is known of every task of a job; of those in sight, all. */
export type Outline = Omit<Task, 'owner' | 'created_at'>;
export type TaskCounts = Schemas['TaskCounts'];
export type TaskDetail = Schemas['TaskDetail'];
export type TaskPage = Schemas['TaskPage'];
export type TaskState = Schemas['TaskState'];
export type TrialReport = Schemas['TrialReport'];
export type UserLoad = Schemas['UserLoad'];
export type Expected = Schemas['Expected'];
export type Waits = Schemas['Waits'];

/** People. */
export type Account = Schemas['Account'];
export type AccountGroup = Schemas['AccountGroup'];
export type AccountPatch = Schemas['AccountPatch'];
export type AccountRequest = Schemas['AccountRequest'];
export type AuditEntry = Schemas['AuditEntry'];
export type BrowserSession = Schemas['BrowserSession'];
export type GroupPatch = Schemas['GroupPatch'];
export type GroupRequest = Schemas['GroupRequest'];
export type Invite = Schemas['Invite'];
export type InviteRequest = Schemas['InviteRequest'];
export type MePatch = Schemas['MePatch'];
export type PasswordChange = Schemas['PasswordChange'];
export type PersonalToken = Schemas['PersonalToken'];
export type ChoicesRequest = Schemas['ChoicesRequest'];
export type Notice = Schemas['Notice'];
export type NoticeChoices = Schemas['NoticeChoices'];
export type NoticeKind = Schemas['NoticeKind'];
export type Role = Schemas['Role'];
export type SignInSource = Schemas['SignInSource'];
export type SetupInfo = Schemas['SetupInfo'];
export type SetupRequest = Schemas['SetupRequest'];
export type SignIn = Schemas['SignIn'];
export type SignInMethods = Schemas['SignInMethods'];
export type SignedIn = Schemas['SignedIn'];
export type TeamCheck = Schemas['TeamCheck'];
export type TeamState = Schemas['TeamState'];
export type TokenRequest = Schemas['TokenRequest'];
export type TokenScope = Schemas['TokenScope'];
export type WhoAmI = Schemas['Me'];

/** Rules and quotas. */
export type AccessRule = Schemas['AccessRule'];
export type AccessRuleRequest = Schemas['AccessRuleRequest'];
export type AccessWindow = Schemas['AccessWindow'];
export type Quota = Schemas['Quota'];
export type QuotaRequest = Schemas['QuotaRequest'];
export type TrialQuery = NonNullable<operations['try_rules_api_v1_rules_try_get']['parameters']['query']>;

/** Reservations. */
export type AllowedHours = Schemas['AllowedHours'];
export type BookingProblem = Schemas['BookingProblem'];
export type BookingResult = Schemas['BookingResult'];
export type DeviceHours = Schemas['DeviceHours'];
export type FreeSlot = Schemas['FreeSlot'];
export type Overview = Schemas['Overview'];
export type QuotaUse = Schemas['QuotaUse'];
export type ReservableDevice = Schemas['ReservableDevice'];
export type Reservation = Schemas['Reservation'];
export type ReservationPatch = Schemas['ReservationPatch'];
export type ReservationRequest = Schemas['ReservationRequest'];
export type ReservationUse = Schemas['ReservationUse'];
export type UsageReport = Schemas['UsageReport'];
export type UsageBy = UsageReport['by'];
export type UsageRow = Schemas['UsageRow'];

/** Violations. */
export type Exemption = Schemas['Exemption'];
export type Violation = Schemas['Violation'];
export type ViolationExemption = Schemas['ViolationExemption'];
export type ViolationStep = Schemas['ViolationStep'];

/** What the event stream sends once it has begun. */
export type ServerEvent = Exclude<
  operations['follow_events_api_v1_events_get']['responses'][200]['content']['text/event-stream'],
  Schemas['StreamPosition']
>;
export type TasksEvent = Schemas['TasksEvent'];
export type TasksUpdate = Schemas['TasksUpdate'];
/** task -> metric -> [step, value] */
export type NewPoints = NonNullable<TasksUpdate['points']>;

export type JobFilters = NonNullable<operations['list_jobs_api_v1_jobs_get']['parameters']['query']>;
