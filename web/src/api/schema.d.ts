// Made by `npm run schema` from the OpenAPI document: do not edit.

export interface paths {
    "/api/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Accounts
         * @description Return all accounts by name. Who is no admin sees names, roles and groups only.
         */
        get: operations["list_accounts_api_v1_accounts_get"];
        put?: never;
        /**
         * Add Account
         * @description Make an account. Somebody with the source `password` and no password needs a link from `POST /invites`.
         */
        post: operations["add_account_api_v1_accounts_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change Account
         * @description Change an account; what is not given stays. With another role, or inactive, its sessions end.
         */
        patch: operations["change_account_api_v1_accounts__name__patch"];
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Audit
         * @description Return who did what, newest first. Who is no admin sees their own entries.
         */
        get: operations["list_audit_api_v1_audit_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Backends
         * @description Return where jobs can run, and the state of each backend.
         */
        get: operations["list_backends_api_v1_backends_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calendar.ics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calendar Feed
         * @description Return reservations of the last month and all that are to come, for other calendars: one's own, if not told.
         *
         *     Calendars cannot send headers, so this route takes a token in its address: one that can do nothing but read.
         */
        get: operations["calendar_feed_api_v1_calendar_ics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Devices
         * @description Return the GPUs that can be reserved, and on Slurm the nodes, in the order of their hosts.
         */
        get: operations["list_devices_api_v1_devices_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Environments
         * @description Return the Python environments on the node of the server, and modules that `module load` offers there.
         */
        get: operations["list_environments_api_v1_environments_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Events
         * @description Follow what changes in the jobs that one sees, as server-sent events of the kinds `job`, `tasks`, `removed`
         *     and `notice` (of one's own).
         *
         *     The first event is `hello`, with the position of the stream; or `reset`, if events were missed that are no longer
         *     kept: then fetch everything again.
         */
        get: operations["follow_events_api_v1_events_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exemptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Exemptions
         * @description Return all exemptions, those that end first first.
         */
        get: operations["list_exemptions_api_v1_exemptions_get"];
        put?: never;
        /**
         * Add Exemption
         * @description Exempt processes of an account, of a command or on a device until a date: all that is given must hold.
         */
        post: operations["add_exemption_api_v1_exemptions_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exemptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove Exemption
         * @description Remove an exemption: what it was for is a violation from now on.
         */
        delete: operations["remove_exemption_api_v1_exemptions__id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Groups
         * @description Return all groups by name, with their members.
         */
        get: operations["list_groups_api_v1_groups_get"];
        put?: never;
        /**
         * Add Group
         * @description Make a group.
         */
        post: operations["add_group_api_v1_groups_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove Group
         * @description Remove a group. Its members stay.
         */
        delete: operations["remove_group_api_v1_groups__name__delete"];
        options?: never;
        head?: never;
        /**
         * Change Group
         * @description Change a group; what is not given stays. The members of a directory's group come from there.
         */
        patch: operations["change_group_api_v1_groups__name__patch"];
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description Return how the server is. Answers even while all worker threads are busy or the database is away.
         */
        get: operations["health_api_v1_health_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Hosts
         * @description Return the hosts of all backends of kind hosts, with their state.
         */
        get: operations["list_hosts_api_v1_hosts_get"];
        put?: never;
        /**
         * Add Hosts
         * @description Add a host, or several such as gpu[1-8]. ssh must know its key, or the request must have it.
         */
        post: operations["add_hosts_api_v1_hosts_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scan Keys
         * @description Return the keys with which hosts answer, for a person to compare with those of the machines themselves.
         */
        post: operations["scan_keys_api_v1_hosts_keys_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget Host
         * @description Take a host that was added off the list: it gets nothing new. What runs there goes on to its end.
         */
        delete: operations["forget_host_api_v1_hosts__name__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hosts/{name}/lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lose Host
         * @description Declare a host that does not answer lost: what it had counts as ended, and is started elsewhere.
         *
         *     When it answers again, what is left of it there is killed before it gets anything new.
         */
        post: operations["lose_host_api_v1_hosts__name__lost_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Invites
         * @description Return all invitations, newest first, without their links.
         */
        get: operations["list_invites_api_v1_invites_get"];
        put?: never;
        /**
         * Make Invite
         * @description Make a one-time link: for somebody new, or by which an account that exists gets a new password.
         */
        post: operations["make_invite_api_v1_invites_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw Invite
         * @description Withdraw an invitation that nobody has used.
         */
        delete: operations["withdraw_invite_api_v1_invites__id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Jobs
         * @description Return jobs: pinned ones first, then the newest, unless `sort` asks for another order.
         */
        get: operations["list_jobs_api_v1_jobs_get"];
        put?: never;
        /**
         * Submit Job
         * @description Submit a job. Its tasks are queued at once.
         */
        post: operations["submit_job_api_v1_jobs_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Act On Jobs
         * @description Do the same to several jobs; the answer reports each.
         */
        post: operations["act_on_jobs_api_v1_jobs_bulk_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Job Facets
         * @description Return the owners and tags that jobs can be filtered by.
         */
        get: operations["job_facets_api_v1_jobs_facets_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/preflight": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preflight Job
         * @description Return which modules the environment lacks, and which files the program names and does not bring.
         *
         *     The program is read, not run. The environment's Python is started to look for the modules.
         */
        post: operations["preflight_job_api_v1_jobs_preflight_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview Job
         * @description Return what a submission would do: its tasks, their exact commands, warnings. Nothing is changed.
         */
        post: operations["preview_job_api_v1_jobs_preview_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/preview/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview Files
         * @description Return what a submission of a folder leaves out: what its ignore files name, caches, environments.
         *
         *     The contents of other files are not needed: a client asks before it sends them.
         */
        post: operations["preview_files_api_v1_jobs_preview_files_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Job
         * @description Return a job with its spec, its counts and how it stands.
         *
         *     Who may not read its files gets it without its commands, its environment and where its code comes from.
         */
        get: operations["show_job_api_v1_jobs__job__get"];
        put?: never;
        post?: never;
        /**
         * Remove Job
         * @description Stop what runs, and delete the job with its results, logs and checkpoints.
         */
        delete: operations["remove_job_api_v1_jobs__job__delete"];
        options?: never;
        head?: never;
        /**
         * Edit Job
         * @description Change the name, the description, the tags or the visibility of a job, or pin it.
         */
        patch: operations["edit_job_api_v1_jobs__job__patch"];
        trace?: never;
    };
    "/api/v1/jobs/{job}/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Code
         * @description Return the files of the job's snapshot, of all folders, by path.
         */
        get: operations["list_code_api_v1_jobs__job__code_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/code/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download Code
         * @description Return a file of the snapshot, or a folder of it as a tar.gz file.
         */
        get: operations["download_code_api_v1_jobs__job__code_download_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/code/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview Code
         * @description Return a part of a file of the snapshot, as `GET /tasks/{task}/files/preview` does.
         */
        get: operations["preview_code_api_v1_jobs__job__code_preview_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/diff/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Diff Jobs
         * @description Return what differs from a job to another: files as unified diffs, and fields of the spec.
         */
        get: operations["diff_jobs_api_v1_jobs__job__diff__other__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Job
         * @description Return all tasks of a job with states, best values, and the last and the best value of every metric.
         *
         *     In CSV, parameters are columns `param.NAME`, metrics `last.NAME` and `best.NAME`. `what=curves`: all points of all
         *     metrics, one per line in CSV, one curve per line in JSON. `format=optuna`: a study in an SQLite file, for
         *     optuna-dashboard.
         */
        get: operations["export_job_api_v1_jobs__job__export_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend Job
         * @description Give a search more trials, more time or other values from now on. A search that has ended goes on.
         */
        post: operations["extend_job_api_v1_jobs__job__extend_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Job Files
         * @description Return the text files that the job was submitted with; none of them if they exceed 1 MB in all.
         */
        get: operations["job_files_api_v1_jobs__job__files_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/gpus": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Job Gpus
         * @description Return how many GPUs the tasks of a job have had, why that changed, and what the policy would change next.
         */
        get: operations["job_gpus_api_v1_jobs__job__gpus_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hold Job
         * @description Start no further task until the job is released. Tasks that run go on.
         */
        post: operations["hold_job_api_v1_jobs__job__hold_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Limit Job
         * @description Change the priority of a job, or the time limit and the nice value of its allocations, present and future.
         */
        post: operations["limit_job_api_v1_jobs__job__limits_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/metric-patterns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark Metric
         * @description Make a number in a log a metric of the job: in the logs of its ended, running and later tasks.
         *
         *     With `task` nothing is stored; the answer contains how many lines match.
         */
        post: operations["mark_metric_api_v1_jobs__job__metric_patterns_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Job Curves
         * @description Return the curves of many tasks of a job.
         */
        get: operations["job_curves_api_v1_jobs__job__metrics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/metrics/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Job Metric Names
         * @description Return the names of the metrics that tasks of this job have reported.
         */
        get: operations["job_metric_names_api_v1_jobs__job__metrics_names_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/objective": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Objective
         * @description Return the objective of a job, why it is that, and the metrics that tasks report.
         */
        get: operations["show_objective_api_v1_jobs__job__objective_get"];
        /**
         * Change Objective
         * @description Change the objective of a job at any time: best values, ranks and importance are computed again.
         *
         *     Decisions that a search has made stay; the next ones go by the new objective.
         */
        put: operations["change_objective_api_v1_jobs__job__objective_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Job Parts
         * @description Return the files of each task of a map; of other jobs, an empty list.
         */
        get: operations["job_parts_api_v1_jobs__job__parts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release Job
         * @description Let a held job start tasks again.
         */
        post: operations["release_job_api_v1_jobs__job__release_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/resize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resize Job
         * @description Let all running tasks of a job go on with another number of GPUs: see `POST /tasks/{task}/resize`.
         */
        post: operations["resize_job_api_v1_jobs__job__resize_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart Job
         * @description Run ended tasks again: all of them, those that failed, or those named.
         */
        post: operations["restart_job_api_v1_jobs__job__restart_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Search
         * @description Return how a search stands: trials, best values, importance of parameters, early stopping, lineage.
         */
        get: operations["show_search_api_v1_jobs__job__search_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop Job
         * @description Stop the named tasks; without names, all that have not ended, and the search that would add more.
         *
         *     The answer contains the tasks that will stop.
         */
        post: operations["stop_job_api_v1_jobs__job__stop_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Tasks
         * @description Return tasks of a job: up to `limit` of those that match, from `offset` on, and how many match.
         */
        get: operations["list_tasks_api_v1_jobs__job__tasks_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}/tasks/columns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Task Columns
         * @description Return columns of all tasks of a job that match, in this order: far smaller than their rows.
         */
        get: operations["task_columns_api_v1_jobs__job__tasks_columns_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/load": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load
         * @description Return nodes with their GPUs and processes, what each user and each job uses, and advice for running jobs.
         *
         *     What a job uses that the caller may not see counts for its owner; nothing else of it is shown.
         */
        get: operations["load_api_v1_load_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/load/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load History
         * @description Return how busy each node and each of its GPUs was, as about 300 points each.
         */
        get: operations["load_history_api_v1_load_history_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Me
         * @description Return who is asking, and what they may do.
         */
        get: operations["show_me_api_v1_me_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change Me
         * @description Change one's own profile; what is not given stays.
         */
        patch: operations["change_me_api_v1_me_patch"];
        trace?: never;
    };
    "/api/v1/me/layouts/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Layout
         * @description Return how the caller has arranged a page.
         */
        get: operations["show_layout_api_v1_me_layouts__page__get"];
        /**
         * Save Layout
         * @description Save how the caller has arranged a page; without tiles, the page is again as it begins.
         */
        put: operations["save_layout_api_v1_me_layouts__page__put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Notices
         * @description Return one's own notices, newest first.
         */
        get: operations["list_notices_api_v1_me_notices_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notices/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Choices
         * @description Return what one wants to be told outside the page, and where.
         */
        get: operations["show_choices_api_v1_me_notices_choices_get"];
        /**
         * Choose Notices
         * @description Choose what one wants to be told outside the page, and where. Addresses that are not named are forgotten.
         */
        put: operations["choose_notices_api_v1_me_notices_choices_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notices/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read Notices
         * @description Mark one's own notices as read.
         */
        post: operations["read_notices_api_v1_me_notices_read_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notices/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try Notices
         * @description Send a message to one's own mail or to an address of one's own, and return whether it was accepted.
         */
        post: operations["try_notices_api_v1_me_notices_try_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change Password
         * @description Change one's own password. All other sessions of the account end.
         */
        post: operations["change_password_api_v1_me_password_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * My Quota
         * @description Return what the caller has used of each limit, and what is left; nothing where nothing is limited.
         */
        get: operations["my_quota_api_v1_me_quota_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sessions
         * @description Return the browsers that are signed in as oneself, newest first.
         */
        get: operations["list_sessions_api_v1_me_sessions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End Session
         * @description Sign out one of the browsers that are signed in as oneself.
         */
        delete: operations["end_session_api_v1_me_sessions__id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Tokens
         * @description Return one's own tokens, newest first, without the tokens themselves.
         */
        get: operations["list_tokens_api_v1_me_tokens_get"];
        put?: never;
        /**
         * Make Token
         * @description Make a token for programs. The answer has it; it is not shown again.
         */
        post: operations["make_token_api_v1_me_tokens_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Token
         * @description Revoke one of one's own tokens: it is refused from now on.
         */
        delete: operations["revoke_token_api_v1_me_tokens__id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Scrape
         * @description Return figures of the server, its nodes and its jobs as Prometheus reads them. `/metrics` is the same.
         */
        get: operations["scrape_api_v1_metrics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Nodes
         * @description Return the nodes of all backends as last seen, with the tasks on their devices.
         */
        get: operations["list_nodes_api_v1_nodes_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Overview
         * @description Return who has reserved each device, and how busy it was, hour by hour.
         */
        get: operations["overview_api_v1_overview_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan Jobs
         * @description Return what the cluster would do with these jobs if nothing else ran there. Nothing is submitted or changed.
         *
         *     The real engine runs on pretended nodes, in a process with limits. How long tasks take is known from earlier jobs of
         *     the same program, or given.
         */
        post: operations["plan_jobs_api_v1_plan_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Profiles
         * @description Return the named resource profiles of the server's settings.
         */
        get: operations["list_profiles_api_v1_profiles_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prune
         * @description Delete what is older than the settings `keep` or the request allow; or only report what would be deleted.
         *
         *     Nothing of jobs that have not ended is deleted. The answer comes when all is marked as deleted; files and rows are
         *     deleted after it.
         */
        post: operations["prune_api_v1_prune_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Queue
         * @description Return the jobs that wait, in the order in which they go on, then those that run: when each begins and ends.
         */
        get: operations["show_queue_api_v1_queue_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Quotas
         * @description Return all quotas; for who is no admin, those that are about them.
         */
        get: operations["list_quotas_api_v1_quotas_get"];
        /**
         * Set Quota
         * @description Set the quota of an account, of the members of a group or of everyone, in place of the one there was.
         */
        put: operations["set_quota_api_v1_quotas_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quotas/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove Quota
         * @description Delete a quota.
         */
        delete: operations["remove_quota_api_v1_quotas__id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reservations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Reservations
         * @description Return the reservations of a stretch of time, by their start.
         */
        get: operations["list_reservations_api_v1_reservations_get"];
        put?: never;
        /**
         * Make Reservation
         * @description Reserve devices. If that is refused (409), the error's `booking` says why, and what is free instead.
         *
         *     A series is reserved completely or not at all, unless `skip_conflicts` is given; then `problems` lists the weeks
         *     that were left out.
         */
        post: operations["make_reservation_api_v1_reservations_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reservations/free": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * First Free
         * @description Return the first slots with this many GPUs of one host that the caller may reserve.
         */
        get: operations["first_free_api_v1_reservations_free_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reservations/wanted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Wanted
         * @description Return the slots that the caller wants to be told about when they become free.
         */
        get: operations["list_wanted_api_v1_reservations_wanted_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reservations/wanted/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget Wanted
         * @description Do not wait for a slot any more.
         */
        delete: operations["forget_wanted_api_v1_reservations_wanted__id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reservations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Reservation
         * @description Return a reservation.
         */
        get: operations["show_reservation_api_v1_reservations__id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change Reservation
         * @description Change a reservation. Of one that has begun: its end, title, description and guests. What is over stays.
         */
        patch: operations["change_reservation_api_v1_reservations__id__patch"];
        trace?: never;
    };
    "/api/v1/reservations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel Reservation
         * @description Cancel a reservation that has not begun, or all of its series that have not; return those.
         */
        post: operations["cancel_reservation_api_v1_reservations__id__cancel_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reservations/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release Reservation
         * @description End a reservation that goes on: the rest of its time is free.
         */
        post: operations["release_reservation_api_v1_reservations__id__release_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reservations/{id}/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Use
         * @description Return how the devices of a reservation were used so far: for its owner, and those who may see the use of all.
         */
        get: operations["show_use_api_v1_reservations__id__use_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Rules
         * @description Return all rules by name; for who is no admin, those that are about them.
         */
        get: operations["list_rules_api_v1_rules_get"];
        put?: never;
        /**
         * Add Rule
         * @description Make a rule. It holds at once, also for reservations that have been made: these are flagged.
         */
        post: operations["add_rule_api_v1_rules_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Allowed Hours
         * @description Return when the caller may use devices: what is not in it, no rule allows, or one forbids.
         */
        get: operations["allowed_hours_api_v1_rules_hours_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Try Rules
         * @description Return who may use a device at a moment, and why. Who is no admin asks for themselves.
         */
        get: operations["try_rules_api_v1_rules_try_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change Rule
         * @description Replace a rule as a whole.
         */
        put: operations["change_rule_api_v1_rules__id__put"];
        post?: never;
        /**
         * Remove Rule
         * @description Delete a rule.
         */
        delete: operations["remove_rule_api_v1_rules__id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Samples
         * @description Return sweeps to try out, ready to be submitted.
         */
        get: operations["list_samples_api_v1_samples_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scripts/inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Inspect Script
         * @description Return what a script contains: its parameters, how it takes them, its metrics, warnings. It is never run.
         */
        post: operations["inspect_script_api_v1_scripts_inspect_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign In Browser
         * @description Sign a browser in with name and password, or with the server's token; return the page's key.
         *
         *     The answer sets the cookie of the session. A failure takes at least a second.
         */
        post: operations["sign_in_browser_api_v1_session_post"];
        /**
         * Sign Out Browser
         * @description Sign a browser out: its session ends on the server.
         */
        delete: operations["sign_out_browser_api_v1_session_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign In Methods
         * @description Return how one may sign in here. Needs no token.
         */
        get: operations["sign_in_methods_api_v1_session_methods_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc/{provider}/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin Oidc
         * @description Send a browser to a single sign-on provider.
         */
        get: operations["begin_oidc_api_v1_session_oidc__provider__begin_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finish Oidc
         * @description Sign in a browser that comes back from a provider, and send it to where it wanted to go.
         *
         *     When that fails, it is sent to `/?sign_in_error=CODE`, where the code is the one of the error.
         */
        get: operations["finish_oidc_api_v1_session_oidc__provider__callback_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set Up Account
         * @description Take the account that a one-time link is for, with a password, and sign in. Needs no token.
         */
        post: operations["set_up_account_api_v1_setup_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open Setup
         * @description Return what a one-time link is for. Needs no token; the link stays valid.
         */
        post: operations["open_setup_api_v1_setup_open_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Task
         * @description Return a task with its attempts, its exact command and its allocation.
         *
         *     Who may not read the files of the job gets it without its command, its folder and the script of the allocation.
         */
        get: operations["show_task_api_v1_tasks__task__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit Task
         * @description Change the note of a task.
         */
        patch: operations["edit_task_api_v1_tasks__task__patch"];
        trace?: never;
    };
    "/api/v1/tasks/{task}/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where To Attach
         * @description Return where a running task is: its node, its process, and how the node is reached.
         *
         *     It is for its owner only. Nothing of the task's environment is in it: whoever attaches reads that on the node, with
         *     the rights that they have there.
         */
        get: operations["where_to_attach_api_v1_tasks__task__attach_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Attempts
         * @description Return the attempts of a task, the first one first.
         */
        get: operations["list_attempts_api_v1_tasks__task__attempts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Files
         * @description Return what is in the results folder of a task, or in a folder in it: `work`, `checkpoint`, `attempts/1`.
         */
        get: operations["list_files_api_v1_tasks__task__files_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/files/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download File
         * @description Return a file; or a folder, as a tar.gz file that is made while it is sent, without links.
         */
        get: operations["download_file_api_v1_tasks__task__files_download_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/files/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Image
         * @description Return an image for a browser: PNG, JPEG, GIF or WebP by its content, up to 30 MB and 64 megapixels.
         */
        get: operations["show_image_api_v1_tasks__task__files_image_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/files/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Images
         * @description Return the images that a task has written, by series and step (`sample_0010.png`, `epoch3/plot.png`).
         */
        get: operations["list_images_api_v1_tasks__task__files_images_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/files/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview File
         * @description Return a part of a file as text, as a table (CSV) or as indented JSON, up to 256 kB of it.
         */
        get: operations["preview_file_api_v1_tasks__task__files_preview_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Log
         * @description Return a range of the log. The headers `X-Log-Start` and `X-Log-Size` contain its start and the log's size.
         */
        get: operations["read_log_api_v1_tasks__task__log_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/log/follow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Log
         * @description Follow the log from `offset` on as it grows, until the attempt has ended.
         */
        get: operations["follow_log_api_v1_tasks__task__log_follow_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Task Curves
         * @description Return the curves of a task.
         */
        get: operations["task_curves_api_v1_tasks__task__metrics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/resize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resize Task
         * @description Let a task go on with another number of GPUs: it ends at a checkpoint, and a next attempt continues from there.
         *
         *     It keeps that number then, until somebody lets the policy choose (`auto`). The answer is empty if it has, or will
         *     have, that number already.
         */
        post: operations["resize_task_api_v1_tasks__task__resize_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart Task
         * @description Run a task again that has ended, as a new attempt.
         */
        post: operations["restart_task_api_v1_tasks__task__restart_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop Task
         * @description Stop a task. The answer is empty if it has ended.
         */
        post: operations["stop_task_api_v1_tasks__task__stop_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show Team
         * @description Return whether accounts are in use.
         */
        get: operations["show_team_api_v1_team_get"];
        put?: never;
        /**
         * Switch Team
         * @description Begin or stop using accounts, without a restart.
         *
         *     Beginning copies the database first and makes the account of the owner, an admin. The answer has the one-time link
         *     by which the owner chooses a password, as long as they have none. Stopping keeps all accounts; the link with the
         *     server's token is then the way in again.
         */
        post: operations["switch_team_api_v1_team_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/team/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check Team
         * @description Try what the team needs of this machine: act once as each of its people, and look at sudo, PAM and the door.
         */
        post: operations["check_team_api_v1_team_check_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report Usage
         * @description Return GPU-hours reserved, used, and reserved without being used. People see all only as `team.ranking` says.
         */
        get: operations["report_usage_api_v1_usage_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Usage
         * @description Return the same as a table.
         */
        get: operations["export_usage_api_v1_usage_csv_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/reservations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Use
         * @description Return how the devices of the caller's reservations were used, of those in this stretch of time.
         */
        get: operations["list_use_api_v1_usage_reservations_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Version
         * @description Return the version of the server.
         */
        get: operations["version_api_v1_version_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Views
         * @description Return the caller's saved views of the list of jobs.
         */
        get: operations["list_views_api_v1_views_get"];
        /**
         * Save View
         * @description Save a view, in place of the one of the same name; return all of them.
         */
        put: operations["save_view_api_v1_views_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/views/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete View
         * @description Delete a saved view.
         */
        delete: operations["delete_view_api_v1_views__name__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/violations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Violations
         * @description Return violations: those that go on first, then the newest first. Who is no admin sees `mine`.
         */
        get: operations["list_violations_api_v1_violations_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/violations/{id}/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask Intruder
         * @description Show the message on the terminals of whoever owns the process once more. For the owner of the reservation too.
         */
        post: operations["ask_intruder_api_v1_violations__id__ask_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/violations/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End Intruder
         * @description End the process now: SIGTERM, and SIGKILL if it does not leave.
         */
        post: operations["end_intruder_api_v1_violations__id__end_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/violations/{id}/exempt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exempt Violation
         * @description Let a violation be none until then: what its owner runs on this device, or everywhere.
         */
        post: operations["exempt_violation_api_v1_violations__id__exempt_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AccessRule */
        AccessRule: {
            /**
             * Active
             * @default true
             */
            active?: boolean;
            /**
             * Acts
             * @default [
             *       "reserve",
             *       "run"
             *     ]
             */
            acts?: ("reserve" | "run")[];
            /**
             * By
             * @default
             */
            by?: string;
            /** Changed At */
            changed_at?: string | null;
            /**
             * Effect
             * @enum {string}
             */
            effect: "allow" | "deny";
            /** Id */
            id: string;
            /** Name */
            name: string;
            /**
             * Sentence
             * @description the rule in words
             * @default
             */
            sentence?: string;
            /**
             * Since
             * @description it speaks from then on
             */
            since?: string | null;
            /**
             * Until
             * @description and until then
             */
            until?: string | null;
            /**
             * @default {
             *       "backends": [],
             *       "devices": [],
             *       "hosts": [],
             *       "partitions": []
             *     }
             */
            what?: components["schemas"]["RuleTargets"];
            /**
             * @default {
             *       "accounts": [],
             *       "groups": []
             *     }
             */
            who?: components["schemas"]["RuleSubjects"];
            /**
             * Windows
             * @description none: always
             */
            windows?: components["schemas"]["AccessWindow"][];
            /**
             * Zone
             * @default UTC
             */
            zone?: string;
        };
        /**
         * AccessRuleRequest
         * @description A rule. What is denied by one is not allowed by another.
         */
        AccessRuleRequest: {
            /**
             * Active
             * @default true
             */
            active?: boolean;
            /**
             * Acts
             * @default [
             *       "reserve",
             *       "run"
             *     ]
             */
            acts?: ("reserve" | "run")[];
            /**
             * Effect
             * @enum {string}
             */
            effect: "allow" | "deny";
            /** Name */
            name: string;
            /**
             * Since
             * @description it speaks from then on
             */
            since?: string | null;
            /**
             * Until
             * @description and until then
             */
            until?: string | null;
            /**
             * @default {
             *       "backends": [],
             *       "devices": [],
             *       "hosts": [],
             *       "partitions": []
             *     }
             */
            what?: components["schemas"]["RuleTargets"];
            /**
             * @default {
             *       "accounts": [],
             *       "groups": []
             *     }
             */
            who?: components["schemas"]["RuleSubjects"];
            /**
             * Windows
             * @description none: always
             */
            windows?: components["schemas"]["AccessWindow"][];
            /**
             * Zone
             * @default UTC
             */
            zone?: string;
        };
        /**
         * AccessTrial
         * @description Whether somebody may use a device at a moment.
         */
        AccessTrial: {
            /** Account */
            account: string;
            /**
             * Act
             * @enum {string}
             */
            act: "reserve" | "run";
            /** Allowed */
            allowed: boolean;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Device */
            device: string;
            /**
             * Rule
             * @description id of the rule that decided; null: what holds without rules
             */
            rule?: string | null;
            /** Why */
            why: string;
        };
        /**
         * AccessWindow
         * @description Hours of the week. Until a time that is not later than `since`, it goes on into the next day.
         */
        AccessWindow: {
            /**
             * Days
             * @description on which it begins; 0 is Monday
             */
            days: number[];
            /**
             * Since
             * @default 00:00
             */
            since?: string;
            /**
             * Until
             * @description the same as `since`: a whole day
             * @default 00:00
             */
            until?: string;
        };
        /**
         * Account
         * @description A person to Paddock. The name never changes, and is never given to somebody else.
         */
        Account: {
            /**
             * Active
             * @default true
             */
            active?: boolean;
            /** Created At */
            created_at: number;
            /**
             * Email
             * @default
             */
            email?: string;
            /**
             * Full Name
             * @default
             */
            full_name?: string;
            /**
             * Groups
             * @default []
             */
            groups?: string[];
            /** Name */
            name: string;
            role: components["schemas"]["Role"];
            /** Seen At */
            seen_at?: number | null;
            source: components["schemas"]["SignInSource"];
            /**
             * Unix Name
             * @description the account of the machine that their tasks run as
             */
            unix_name?: string | null;
        };
        /** AccountGroup */
        AccountGroup: {
            /** Created At */
            created_at: number;
            /**
             * Description
             * @default
             */
            description?: string;
            /**
             * Members
             * @default []
             */
            members?: string[];
            /** Name */
            name: string;
            /**
             * Source
             * @description local, or where its members come from: unix, ldap, oidc
             * @default local
             */
            source?: string;
        };
        /**
         * AccountPatch
         * @description Changes to an account by an admin; what is not given stays.
         */
        AccountPatch: {
            /** Active */
            active?: boolean | null;
            /** Email */
            email?: string | null;
            /** Full Name */
            full_name?: string | null;
            /** Groups */
            groups?: string[] | null;
            role?: components["schemas"]["Role"] | null;
            /** Unix Name */
            unix_name?: string | null;
        };
        /**
         * AccountRequest
         * @description A new account. Without a password, the person signs in with a link from `paddock invite`.
         */
        AccountRequest: {
            /**
             * Email
             * @default
             */
            email?: string;
            /**
             * Full Name
             * @default
             */
            full_name?: string;
            /**
             * Groups
             * @default []
             */
            groups?: string[];
            /** Name */
            name: string;
            /** Password */
            password?: string | null;
            /** @default user */
            role?: components["schemas"]["Role"];
            /** @default password */
            source?: components["schemas"]["SignInSource"];
            /** Unix Name */
            unix_name?: string | null;
        };
        /**
         * AddressRequest
         * @description An address of one's own, and what is sent there.
         */
        AddressRequest: {
            /**
             * Id
             * @description of one that is known
             */
            id?: string | null;
            /** Kinds */
            kinds?: components["schemas"]["NoticeKind"][];
            /**
             * Url
             * @description of a new one, as apprise writes it: ntfys://ntfy.sh/TOPIC, slack://...
             */
            url?: string | null;
        };
        /**
         * Allocation
         * @description What was requested from a backend, and what the backend last reported.
         */
        Allocation: {
            /** Backend */
            backend: string;
            /**
             * Backend Id
             * @description the scheduler's own id, such as 123_4
             */
            backend_id?: string | null;
            cause?: components["schemas"]["Cause"] | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Ended At */
            ended_at?: string | null;
            /** Key */
            key: string;
            /**
             * Leaves At
             * @description when it makes way for a reservation: its tasks are warned, end, and go on elsewhere or later
             */
            leaves_at?: string | null;
            /**
             * Never
             * @description it will not start by itself
             * @default false
             */
            never?: boolean;
            /** Node */
            node?: string | null;
            /** Reason */
            reason?: string | null;
            /**
             * Script
             * @description the exact script that was submitted to the scheduler
             */
            script?: string | null;
            /** Seen At */
            seen_at?: string | null;
            /** Starts At */
            starts_at?: string | null;
            state: components["schemas"]["AllocationState"];
        };
        /**
         * AllocationState
         * @enum {string}
         */
        AllocationState: "planned" | "pending" | "running" | "ended";
        /**
         * AllowedHours
         * @description When the caller may use devices: those for which it is the same are together.
         */
        AllowedHours: {
            /** Devices */
            devices: string[];
            /** Hours */
            hours: components["schemas"]["TimeStretch"][];
        };
        /**
         * AttachPoint
         * @description Where an attempt runs. Who attaches does it with their own rights there: the server only says where.
         */
        AttachPoint: {
            /**
             * Account
             * @description the Unix account whose processes the task's are
             */
            account: string;
            /** Attempt */
            attempt: number;
            /** Backend */
            backend: string;
            /**
             * Kind
             * @description the kind of its backend: how the node is reached
             * @enum {string}
             */
            kind: "local" | "slurm" | "hosts" | "kubernetes";
            /** Node */
            node: string;
            /**
             * Pid
             * @description of its first process, on its node
             */
            pid: number;
            /**
             * Pod
             * @description of Kubernetes: the name of its pod
             */
            pod?: string | null;
            /**
             * Python
             * @description an interpreter on the node (3.8 or newer)
             */
            python: string;
            /**
             * Scheduler Id
             * @description of Slurm: the id of its job
             */
            scheduler_id?: string | null;
            /**
             * Sign In
             * @description of hosts: ssh has to sign in as this account
             * @default false
             */
            sign_in?: boolean;
            /** Task */
            task: string;
            /**
             * Terminal
             * @description the task has a terminal of its own, as it was submitted with `terminal`
             */
            terminal: boolean;
        };
        /** Attempt */
        Attempt: {
            /** Allocation */
            allocation?: string | null;
            cause?: components["schemas"]["Cause"] | null;
            /** Cpu Seconds */
            cpu_seconds?: number | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Device */
            device?: string | null;
            /** Ended At */
            ended_at?: string | null;
            /** Exit Code */
            exit_code?: number | null;
            /** Node */
            node?: string | null;
            /** Number */
            number: number;
            /**
             * Params
             * @description the parameters of this attempt, where attempts differ (pbt)
             */
            params?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /**
             * Pause Seconds
             * @description what a resize cost: seconds from the end of the attempt before until this one started
             */
            pause_seconds?: number | null;
            /** Peak Gpu Memory */
            peak_gpu_memory?: number | null;
            /** Peak Memory */
            peak_memory?: number | null;
            /** Pid */
            pid?: number | null;
            /** Reason */
            reason?: string | null;
            /**
             * Resumed
             * @description continues from the checkpoint of the attempt before
             * @default false
             */
            resumed?: boolean;
            /** @description what it had to wait for, after an attempt ran out of memory */
            room?: components["schemas"]["FreeMemory"] | null;
            seat?: components["schemas"]["Seat"] | null;
            /** Signal */
            signal?: number | null;
            /**
             * Size
             * @description its GPUs, if those of its task can change in number
             */
            size?: number | null;
            /**
             * Source
             * @description the task from whose checkpoint it continues (pbt)
             */
            source?: string | null;
            /**
             * Source Step
             * @description the step of that checkpoint
             */
            source_step?: number | null;
            /** Started At */
            started_at?: string | null;
            state: components["schemas"]["TaskState"];
            /** Task */
            task: string;
            /** Warnings */
            warnings?: string[];
        };
        /** AuditEntry */
        AuditEntry: {
            /** Act */
            act: string;
            /**
             * Address
             * @default
             */
            address?: string;
            /** At */
            at: number;
            /**
             * Detail
             * @default {}
             */
            detail?: {
                [key: string]: unknown;
            };
            /** Id */
            id: number;
            /**
             * Kind
             * @description what was acted on: job, task, account, ...
             * @default
             */
            kind?: string;
            /**
             * Object
             * @default
             */
            object?: string;
            /** Via */
            via: string;
            /** Who */
            who: string;
        };
        /** AuditPage */
        AuditPage: {
            /** Entries */
            entries: components["schemas"]["AuditEntry"][];
            /**
             * More
             * @default false
             */
            more?: boolean;
        };
        /**
         * BackendInfo
         * @description A backend: a place where jobs can run.
         */
        BackendInfo: {
            /**
             * Default
             * @description jobs that name no backend run here
             */
            default: boolean;
            /** @description resources of jobs that do not ask for others */
            defaults: components["schemas"]["Resources"];
            /**
             * Kind
             * @enum {string}
             */
            kind: "local" | "slurm" | "hosts" | "kubernetes";
            /** Name */
            name: string;
            /** Partitions */
            partitions?: string[];
            /**
             * Since
             * @description since when the state has not been ok
             */
            since?: string | null;
            /**
             * State
             * @description ok, or what is wrong
             */
            state: string;
        };
        /**
         * Block
         * @description A list of `repeat` layers that all have the same members; a value of it is a list of objects.
         */
        Block: {
            /**
             * Block
             * @description the members of a layer
             */
            block: {
                [key: string]: components["schemas"]["Choices"] | components["schemas"]["Range"] | boolean | number | string | components["schemas"]["JsonValue"][] | null;
            };
            /**
             * Repeat
             * @description how many layers: at least, at most
             */
            repeat: number | string | number[];
            /**
             * Skips
             * @description each layer but the first has a member `skip`: the index of an earlier layer, or null
             * @default false
             */
            skips?: boolean;
            /**
             * When
             * @description applies only where each of these parameters has one of these values
             */
            when?: {
                [key: string]: components["schemas"]["JsonValue"][];
            };
        };
        /**
         * Block
         * @description A list of `repeat` layers that all have the same members; a value of it is a list of objects.
         */
        "Block-Input": {
            /**
             * Block
             * @description the members of a layer
             */
            block: {
                [key: string]: components["schemas"]["Choices"] | components["schemas"]["Range"] | boolean | number | string | components["schemas"]["JsonValue"][] | null;
            };
            /**
             * Repeat
             * @description how many layers: at least, at most
             */
            repeat: number | string | number[];
            /**
             * Skips
             * @description each layer but the first has a member `skip`: the index of an earlier layer, or null
             * @default false
             */
            skips?: boolean;
            /**
             * When
             * @description applies only where each of these parameters has one of these values
             */
            when?: {
                [key: string]: components["schemas"]["JsonValue"][];
            };
        };
        /**
         * Block
         * @description A list of `repeat` layers that all have the same members; a value of it is a list of objects.
         */
        "Block-Output": {
            /**
             * Block
             * @description the members of a layer
             */
            block: {
                [key: string]: components["schemas"]["Choices"] | components["schemas"]["Range"];
            };
            /**
             * Repeat
             * @description how many layers: at least, at most
             */
            repeat: number[];
            /**
             * Skips
             * @description each layer but the first has a member `skip`: the index of an earlier layer, or null
             * @default false
             */
            skips?: boolean;
            /**
             * When
             * @description applies only where each of these parameters has one of these values
             */
            when?: {
                [key: string]: components["schemas"]["JsonValue"][];
            };
        };
        /**
         * BookingProblem
         * @description Why a reservation, or one week of a series, is refused.
         */
        BookingProblem: {
            /** Device */
            device?: string | null;
            /** Ends At */
            ends_at?: string | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "taken" | "rule" | "quota" | "past" | "length" | "ahead" | "notice" | "device";
            /** Message */
            message: string;
            /** Owner */
            owner?: string | null;
            /**
             * Reservation
             * @description taken: by this one
             */
            reservation?: string | null;
            /**
             * Starts At
             * @description the stretch that is refused
             */
            starts_at?: string | null;
        };
        /**
         * BookingResult
         * @description What became of a request. With problems and no reservations, nothing was reserved.
         */
        BookingResult: {
            /**
             * Free
             * @description if it was refused: the first that are free
             */
            free?: components["schemas"]["FreeSlot"][];
            /** Problems */
            problems?: components["schemas"]["BookingProblem"][];
            /**
             * Reservations
             * @description several for a series
             */
            reservations?: components["schemas"]["Reservation"][];
            /**
             * Waits For
             * @description the number of the wish, with `notify_if_free`
             */
            waits_for?: number | null;
        };
        /**
         * BrowserSession
         * @description A browser that is signed in.
         */
        BrowserSession: {
            /**
             * Address
             * @default
             */
            address?: string;
            /**
             * Browser
             * @default
             */
            browser?: string;
            /** Created At */
            created_at: number;
            /**
             * Current
             * @default false
             */
            current?: boolean;
            /** Expires At */
            expires_at: number;
            /** Id */
            id: string;
            /** Seen At */
            seen_at: number | null;
        };
        /**
         * BulkRequest
         * @description The same for several jobs. Each job is done by itself: what fails for one does not keep the others.
         */
        BulkRequest: {
            /**
             * Act
             * @enum {string}
             */
            act: "stop" | "remove" | "hold" | "release" | "pin" | "unpin" | "tag" | "untag";
            /**
             * Jobs
             * @description ids of jobs
             */
            jobs: string[];
            /**
             * Tag
             * @description the tag to add or to take away
             */
            tag?: string | null;
        };
        /** BulkResult */
        BulkResult: {
            /** Done */
            done: boolean;
            /** Job */
            job: string;
            /**
             * Message
             * @description why it is not done
             * @default
             */
            message?: string;
        };
        /**
         * CalendarChanged
         * @description Reservations, devices, rules, quotas or violations have changed: a page fetches them again.
         */
        CalendarChanged: {
            /** What */
            what: ("reservations" | "devices" | "rules" | "quotas" | "violations")[];
        };
        /** CalendarEvent */
        CalendarEvent: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            data: components["schemas"]["CalendarChanged"];
            /**
             * Id
             * @description the position of the event in the stream
             */
            id: number;
            /** Job */
            job?: null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "calendar";
        };
        /** CancelRequest */
        CancelRequest: {
            /**
             * Series
             * @description all of its series that have not begun
             * @default false
             */
            series?: boolean;
            /**
             * Version
             * @description the version that it is about; any when not given
             */
            version?: number | null;
            /**
             * Why
             * @default
             */
            why?: string;
        };
        /**
         * Cause
         * @description Why an attempt did not finish.
         * @enum {string}
         */
        Cause: "user_error" | "gpu_oom" | "host_oom" | "time_limit" | "node_failure" | "preempted" | "yielded" | "resized" | "launch_failed" | "lost";
        /** Changed */
        Changed: {
            /**
             * Tasks
             * @description ids of the tasks that were changed
             */
            tasks: string[];
        };
        /**
         * Check
         * @description The answer of a backend to a request that is not made yet.
         */
        Check: {
            /** Accepted */
            accepted: boolean;
            /**
             * Message
             * @default
             */
            message?: string;
            /** Starts At */
            starts_at?: string | null;
        };
        /**
         * Choices
         * @description A list of values; a list of one is a fixed value.
         */
        Choices: {
            /** Values */
            values: components["schemas"]["JsonValue"][];
            /**
             * When
             * @description applies only where each of these parameters has one of these values
             */
            when?: {
                [key: string]: components["schemas"]["JsonValue"][];
            };
        };
        /**
         * ChoicesRequest
         * @description What a person wants to be told outside the page, and where. The page shows every notice.
         */
        ChoicesRequest: {
            /** Addresses */
            addresses?: components["schemas"]["AddressRequest"][];
            /**
             * Mail
             * @description by mail to one's own address
             */
            mail?: components["schemas"]["NoticeKind"][];
        };
        /**
         * CodeInfo
         * @description Where the files of a snapshot come from.
         */
        CodeInfo: {
            /**
             * Bytes
             * @default 0
             */
            bytes?: number;
            /**
             * Files
             * @default 0
             */
            files?: number;
            /** Git Commit */
            git_commit?: string | null;
            /** Git Dirty */
            git_dirty?: boolean | null;
            /**
             * Job
             * @description take the files of this job, as the server has them; files that are sent come in addition
             */
            job?: string | null;
            /** Source */
            source?: string | null;
        };
        /** CodeRequest */
        CodeRequest: {
            /** Code */
            code: string;
        };
        /**
         * Container
         * @description An image, and how it is run: on any backend, without root. Text form: the image alone.
         */
        Container: {
            /**
             * Engine
             * @description what runs it; auto: the first on the node that can run such an image; on Kubernetes always pod
             * @default auto
             * @enum {string}
             */
            engine?: "auto" | "apptainer" | "charliecloud" | "podman" | "pod";
            /**
             * Image
             * @description path of an image on the nodes (SIF or SquashFS file, or folder), or a name that the engine knows
             */
            image: string;
            /**
             * Mounts
             * @description folders that tasks see under their own paths, such as data; the job folder is always there
             */
            mounts?: string[];
            /**
             * Options
             * @description further options of the engine, each in one word
             */
            options?: string[];
            /**
             * Python
             * @description the interpreter inside the image
             * @default python3
             */
            python?: string;
        };
        /**
         * Convention
         * @description How the parameters reach the script.
         * @enum {string}
         */
        Convention: "auto" | "flags" | "positional" | "stfmanager" | "overrides" | "config" | "constants" | "env";
        /**
         * Curve
         * @description One metric of one task, in the order of its steps. A value that is not a number is null.
         */
        Curve: {
            /** @description which is better, as the name of the metric reveals it; null where it does not */
            goal?: components["schemas"]["Goal"] | null;
            /** Metric */
            metric: string;
            /** Steps */
            steps: number[];
            /** Task */
            task: string;
            /**
             * Times
             * @description seconds since 1970, where they were requested
             */
            times?: number[];
            /**
             * Total
             * @description number of points before decimation
             */
            total: number;
            /** Values */
            values: (number | null)[];
        };
        /** Device */
        Device: {
            /**
             * Busy
             * @description in use by any process
             * @default false
             */
            busy?: boolean;
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "gpu" | "cpu";
            /**
             * Load
             * @description share of the time in which it is busy, as last measured
             */
            load?: number | null;
            /**
             * Memory
             * @description bytes
             */
            memory?: number | null;
            /**
             * Memory Used
             * @description bytes in use by all processes
             */
            memory_used?: number | null;
            /**
             * Name
             * @default
             */
            name?: string;
            /**
             * Power
             * @description watts
             */
            power?: number | null;
            /**
             * Power Limit
             * @description watts
             */
            power_limit?: number | null;
            /**
             * Processes
             * @description the processes on it that the server can see
             */
            processes?: components["schemas"]["GpuProcess"][];
            /**
             * Tasks
             * @description ids of the tasks that run on it
             */
            tasks?: string[];
            /**
             * Temperature
             * @description degrees Celsius
             */
            temperature?: number | null;
            /**
             * Used By
             * @description keys of the allocations on it
             */
            used_by?: string[];
            /** Uuid */
            uuid?: string | null;
        };
        /**
         * DeviceHours
         * @description One device, hour by hour, for the overview. The lists are equally long and begin at the report's `since`.
         */
        DeviceHours: {
            /** Device */
            device: string;
            /** Load */
            load: (number | null)[];
            /**
             * Reserved
             * @description owner of the reservation of most of the hour; empty: maintenance
             */
            reserved: (string | null)[];
        };
        /**
         * Elastic
         * @description How a job makes room for others who wait, and keeps sizes. Text form: `never`, `between`, `now`.
         */
        Elastic: {
            /** @description when its allocations leave for others who wait: never, between two tasks, or now, in the middle of one that has a checkpoint; as in the settings when not given */
            give_way?: components["schemas"]["Giving"] | null;
            /**
             * Keep
             * @description it keeps this many when other users of a cluster wait; as in the settings when not given
             */
            keep?: number | null;
            /**
             * Keep Size
             * @description its tasks keep the number of GPUs that they begin with, or that people give them; otherwise it is chosen within the range, such as `gpus: 1..4`, if the settings let it
             */
            keep_size?: boolean | null;
        };
        /**
         * Environment
         * @description Where the script's Python comes from: at most one of python, venv and conda.
         */
        Environment: {
            /**
             * Conda
             * @description name or folder of a conda environment
             */
            conda?: string | null;
            /**
             * Python
             * @description path or name of an interpreter
             */
            python?: string | null;
            /**
             * Setup
             * @description shell lines before the script: `module load cuda`
             */
            setup?: string[];
            /** Variables */
            variables?: {
                [key: string]: string;
            };
            /**
             * Venv
             * @description folder of a virtual environment
             */
            venv?: string | null;
        };
        /** ErrorBody */
        ErrorBody: {
            /** @description with the code `refused`: why, and what is free */
            booking?: components["schemas"]["BookingResult"] | null;
            /** Code */
            code: string;
            /** Fields */
            fields?: {
                [key: string]: string;
            };
            /** Message */
            message: string;
        };
        /** ErrorReply */
        ErrorReply: {
            error: components["schemas"]["ErrorBody"];
        };
        /** Exemption */
        Exemption: {
            /**
             * Account
             * @description an account, or a Unix name
             */
            account?: string | null;
            /** By */
            by: string;
            /**
             * Command
             * @description how the command begins
             */
            command?: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Device */
            device?: string | null;
            /** Id */
            id: string;
            /**
             * Until
             * Format: date-time
             */
            until: string;
            /**
             * Why
             * @default
             */
            why?: string;
        };
        /**
         * ExemptionRequest
         * @description Processes that are no violation: of an account, of a command, on a device; all that is given must hold.
         */
        ExemptionRequest: {
            /**
             * Account
             * @description an account, or a Unix name
             */
            account?: string | null;
            /**
             * Command
             * @description how the command begins
             */
            command?: string | null;
            /** Device */
            device?: string | null;
            /**
             * Until
             * Format: date-time
             */
            until: string;
            /**
             * Why
             * @default
             */
            why?: string;
        };
        /**
         * Expected
         * @description When something will probably happen: in four of five cases between `early` and `late`.
         */
        Expected: {
            /**
             * Early
             * Format: date-time
             */
            early: string;
            /**
             * Late
             * Format: date-time
             */
            late: string;
            /**
             * Likely
             * Format: date-time
             */
            likely: string;
            /**
             * Unsure
             * @description little is known, or cases differ much: do not rely on it
             * @default false
             */
            unsure?: boolean;
        };
        /**
         * ExtendRequest
         * @description A request to continue a search; fields that are not given stay as they are.
         */
        ExtendRequest: {
            /**
             * Params
             * @description other values of these parameters
             */
            params?: {
                [key: string]: components["schemas"]["Choices"] | components["schemas"]["Range"] | components["schemas"]["Block-Input"] | boolean | number | string | components["schemas"]["JsonValue"][] | null;
            };
            /**
             * Time Budget
             * @description time budget from now on, such as 2h
             */
            time_budget?: (number | string) | null;
            /**
             * Trials
             * @description number of further trials
             */
            trials?: number | null;
        };
        /**
         * Facets
         * @description The values that jobs can be filtered by.
         */
        Facets: {
            /** Owners */
            owners: string[];
            /** Tags */
            tags: string[];
        };
        /**
         * Failure
         * @description The most frequent reason of up to 200 tasks in error.
         */
        Failure: {
            cause?: components["schemas"]["Cause"] | null;
            /**
             * Others
             * @description number of tasks with other reasons
             * @default 0
             */
            others?: number;
            /** Reason */
            reason: string;
            /**
             * Tasks
             * @description number of tasks with this reason, numbers in it apart
             */
            tasks: number;
        };
        /**
         * FieldDiff
         * @description A field of the spec that differs; null: the job does not have it.
         */
        FieldDiff: {
            after: components["schemas"]["JsonValue"];
            before: components["schemas"]["JsonValue"];
            /**
             * Name
             * @description such as environment.python
             */
            name: string;
        };
        /** FileDiff */
        FileDiff: {
            /**
             * Change
             * @enum {string}
             */
            change: "added" | "removed" | "changed";
            /**
             * Diff
             * @description as `diff -u` writes it
             */
            diff?: string | null;
            /** Path */
            path: string;
            /**
             * Why
             * @description why there is no diff: the file is too large, or not text
             */
            why?: string | null;
        };
        /** FileEntry */
        FileEntry: {
            /**
             * Kind
             * @description link: a symbolic link, or a file with several names; other: a pipe, socket or device. Only files and folders can be opened
             * @enum {string}
             */
            kind: "folder" | "file" | "link" | "other";
            /** Modified At */
            modified_at?: string | null;
            /** Name */
            name: string;
            /**
             * Path
             * @description relative to the results folder of the task, or to the snapshot
             */
            path: string;
            /**
             * Size
             * @description bytes of a file
             */
            size?: number | null;
            /**
             * Target
             * @description where a symbolic link leads
             */
            target?: string | null;
        };
        /**
         * FilePage
         * @description Entries of one folder, folders first, then by name; numbers in names are compared as numbers.
         */
        FilePage: {
            /**
             * Items
             * @description without those that vanished meanwhile
             */
            items: components["schemas"]["FileEntry"][];
            /**
             * More
             * @description the folder has more entries than are counted
             * @default false
             */
            more?: boolean;
            /** Offset */
            offset: number;
            /** Path */
            path: string;
            /** Total */
            total: number;
        };
        /**
         * FilePreview
         * @description The beginning of a file, or a part of it, as people read it.
         */
        FilePreview: {
            /**
             * Columns
             * @description of a table: its first row
             */
            columns?: string[];
            /** Height */
            height?: number | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "text" | "table" | "json" | "image" | "binary";
            /** Modified At */
            modified_at?: string | null;
            /**
             * More
             * @description the file goes on after what is shown
             * @default false
             */
            more?: boolean;
            /** Path */
            path: string;
            /**
             * Rows
             * @description of a table: the other rows
             */
            rows?: string[][];
            /**
             * Size
             * @description bytes of the whole file
             */
            size: number;
            /**
             * Start
             * @description the first byte that is shown
             * @default 0
             */
            start?: number;
            /**
             * Text
             * @description of text and json; json is indented
             */
            text?: string | null;
            /**
             * Width
             * @description of an image, in pixels
             */
            width?: number | null;
        };
        /**
         * FlagStyle
         * @description How one flag takes its value.
         * @enum {string}
         */
        FlagStyle: "value" | "equals" | "switch" | "switch_off" | "on_off" | "literal";
        /**
         * FolderNames
         * @description What is in a folder that somebody wants to submit.
         */
        FolderNames: {
            /**
             * Ignore Files
             * @description the text of each .gitignore and .paddockignore, by its path
             */
            ignore_files?: {
                [key: string]: string;
            };
            /**
             * Names
             * @description paths; those of folders end with a slash
             */
            names: string[];
        };
        /**
         * FoundEnvironment
         * @description A Python environment on the node of the server, or a module of the cluster that can be loaded.
         */
        FoundEnvironment: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "venv" | "conda" | "python" | "module";
            /**
             * Name
             * @description its name for people
             */
            name: string;
            /**
             * Packages
             * @description well-known packages in it, such as `torch 2.4.1`
             */
            packages?: string[];
            /**
             * Place
             * @description its folder or interpreter; of a module, what `module load` takes
             */
            place: string;
            /**
             * Python
             * @description the version of its Python, where that is known
             */
            python?: string | null;
        };
        /**
         * FreeMemory
         * @description The free memory that an attempt waits for, after an attempt that ran out of memory.
         */
        FreeMemory: {
            /**
             * Alone
             * @description no other task may run on the same GPU
             * @default false
             */
            alone?: boolean;
            /**
             * Gpu
             * @description bytes that must be free on its GPU
             */
            gpu?: number | null;
            /**
             * Host
             * @description bytes that must be free on its node
             */
            host?: number | null;
        };
        /**
         * FreeSlot
         * @description Devices of one host that are free together.
         */
        FreeSlot: {
            /** Backend */
            backend: string;
            /** Devices */
            devices: string[];
            /**
             * Ends At
             * Format: date-time
             */
            ends_at: string;
            /** Host */
            host: string;
            /**
             * Starts At
             * Format: date-time
             */
            starts_at: string;
        };
        /**
         * Giving
         * @description When the allocations of a job make room for others who wait.
         * @enum {string}
         */
        Giving: "never" | "between" | "now";
        /**
         * Goal
         * @enum {string}
         */
        Goal: "min" | "max";
        /**
         * GpuProcess
         * @description A process on a GPU, of any user.
         */
        GpuProcess: {
            /** Command */
            command?: string | null;
            /**
             * Memory
             * @description bytes on the GPU
             */
            memory?: number | null;
            /** Owner */
            owner?: string | null;
            /** Pid */
            pid: number;
            /**
             * Session
             * @description the pid of the process that began its session
             */
            session?: number | null;
            /**
             * Start
             * @description clock ticks since boot: another process may get the same pid later
             */
            start?: number | null;
            /**
             * Task
             * @description the task that it belongs to
             */
            task?: string | null;
        };
        /**
         * GpusPoint
         * @description From this moment on a job has so many GPUs.
         */
        GpusPoint: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Gpus */
            gpus: number;
            /**
             * Why
             * @description what began or ended, or who resized a task and why
             * @default
             */
            why?: string;
        };
        /** GroupPatch */
        GroupPatch: {
            /** Description */
            description?: string | null;
            /** Members */
            members?: string[] | null;
        };
        /** GroupRequest */
        GroupRequest: {
            /**
             * Description
             * @default
             */
            description?: string;
            /**
             * Members
             * @default []
             */
            members?: string[];
            /** Name */
            name: string;
        };
        /** Health */
        Health: {
            /**
             * Backends
             * @description name -> ok, or what is wrong
             */
            backends: {
                [key: string]: string;
            };
            /** Database */
            database: string;
            /**
             * Engine Beat
             * @description when the engine's last round ended
             */
            engine_beat?: string | null;
            /** Ok */
            ok: boolean;
            /** Problems */
            problems?: string[];
            /**
             * Set Aside
             * @description number of jobs that the engine cannot process now; see their warnings
             * @default 0
             */
            set_aside?: number;
        };
        /**
         * Hint
         * @description Something that the owner of a job could change.
         */
        Hint: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "share_gpu" | "near_gpu_memory" | "near_memory" | "idle_cores" | "idle_gpu";
            /**
             * Per Gpu
             * @description share_gpu: this many tasks could share a GPU
             */
            per_gpu?: number | null;
            /** Text */
            text: string;
        };
        /**
         * HostInfo
         * @description A host of a backend of kind hosts.
         */
        HostInfo: {
            /**
             * Added By
             * @description who added it; null: it is in the settings
             */
            added_by?: string | null;
            /**
             * Allocations
             * @description allocations that it has, also those that are not known to have ended
             * @default 0
             */
            allocations?: number;
            /**
             * Answers
             * @description it was heard from a moment ago
             * @default false
             */
            answers?: boolean;
            /** Backend */
            backend: string;
            /** Name */
            name: string;
            /**
             * Reason
             * @description why it takes no work
             */
            reason?: string | null;
            /**
             * Since
             * @description since when it is in this state
             */
            since?: string | null;
            /**
             * State
             * @description up, new (not yet heard from), silent, lost or leaving
             */
            state: string;
        };
        /**
         * HostKey
         * @description A key with which a host answers, for a person to compare.
         */
        HostKey: {
            /**
             * Fingerprint
             * @description such as SHA256:...
             */
            fingerprint: string;
            /** Host */
            host: string;
            /**
             * Kind
             * @description such as ssh-ed25519
             */
            kind: string;
            /**
             * Known
             * @description whether ssh knows this key already; other: it knows another key of this host, of the same kind
             * @enum {string}
             */
            known: "no" | "yes" | "other";
            /**
             * Line
             * @description the line of known_hosts
             */
            line: string;
        };
        /**
         * HostRequest
         * @description A host to be added.
         */
        HostRequest: {
            /**
             * Backend
             * @description the backend of kind hosts; needed if there are several
             */
            backend?: string | null;
            /**
             * Keys
             * @description lines of known_hosts that a person has confirmed; none: ssh knows the host already
             */
            keys?: string[];
            /** Name */
            name: string;
        };
        /**
         * HostsResources
         * @description What only backends of kind hosts know. Others ignore it.
         */
        HostsResources: {
            /**
             * Only
             * @description only on these hosts, such as gpu1 or gpu[3-8]
             */
            only?: string[];
        };
        /** ImageFile */
        ImageFile: {
            /** Modified At */
            modified_at?: string | null;
            /** Path */
            path: string;
            /**
             * Series
             * @description the path with an asterisk for the step: images of one series belong together
             */
            series: string;
            /** Size */
            size: number;
            /**
             * Step
             * @description the number in the name, such as 10 in sample_0010.png
             */
            step?: number | null;
        };
        /**
         * ImageList
         * @description Images that a task has written, by series and step.
         */
        ImageList: {
            /**
             * Items
             * @description all of them, or some of each series, spread evenly over its steps
             */
            items: components["schemas"]["ImageFile"][];
            /**
             * More
             * @description the folder has too many files to look at all of them
             * @default false
             */
            more?: boolean;
            /**
             * Total
             * @description number of images found
             */
            total: number;
        };
        /** InspectRequest */
        InspectRequest: {
            /**
             * Filename
             * @default train.py
             */
            filename?: string;
            /**
             * Files
             * @description other files by path: modules and configurations
             */
            files?: {
                [key: string]: string;
            };
            /**
             * Params
             * @description names of the parameters that are given, to check them
             */
            params?: string[];
            /** Source */
            source: string;
        };
        /** Invite */
        Invite: {
            /** By */
            by: string;
            /** Created At */
            created_at: number;
            /**
             * Email
             * @default
             */
            email?: string;
            /** Expires At */
            expires_at: number;
            /**
             * Groups
             * @default []
             */
            groups?: string[];
            /** Id */
            id: string;
            /**
             * Link
             * @description given once, when it is made
             */
            link?: string | null;
            /**
             * Name
             * @description the account that the link is for, if that exists already
             */
            name?: string | null;
            role: components["schemas"]["Role"];
            /** Used By */
            used_by?: string | null;
        };
        /**
         * InviteRequest
         * @description A one-time link. With the name of an account that exists, it gives that account a new password.
         */
        InviteRequest: {
            /**
             * Days
             * @default 7
             */
            days?: number;
            /**
             * Email
             * @default
             */
            email?: string;
            /**
             * Groups
             * @default []
             */
            groups?: string[];
            /** Name */
            name?: string | null;
            /** @default user */
            role?: components["schemas"]["Role"];
        };
        /** Job */
        Job: {
            /**
             * Best Spread
             * @description standard deviation over the tasks of the best configuration
             */
            best_spread?: number | null;
            /**
             * Best Task
             * @description where configurations run several times, the best task of the best
             */
            best_task?: string | null;
            /**
             * Best Trial
             * @description number of the best configuration, where each runs several times
             */
            best_trial?: number | null;
            /**
             * Best Value
             * @description of the best task; where configurations run several times, the mean of the best configuration
             */
            best_value?: number | null;
            /**
             * Configurations
             * @description number of configurations, where each runs several times (`repeat`)
             */
            configurations?: number | null;
            counts: components["schemas"]["TaskCounts"];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            /**
             * Ended
             * @description no task waits or runs, and none will be added, neither by a search nor to reduce
             */
            ended: boolean;
            /** Ended At */
            ended_at?: string | null;
            /** @description when all of its tasks will have ended; null: not known */
            expected_end?: components["schemas"]["Expected"] | null;
            /** @description why its tasks failed */
            failure?: components["schemas"]["Failure"] | null;
            /**
             * Held
             * @description no further task starts until the job is released
             * @default false
             */
            held?: boolean;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** @description set while runners of running tasks are silent */
            no_word?: components["schemas"]["NoWord"] | null;
            /** @description the metric that counts now; an empty name: none is chosen yet, or there is none */
            objective: components["schemas"]["Objective"];
            /**
             * @default {
             *       "by": "spec",
             *       "final": true,
             *       "held": false,
             *       "why": "as submitted"
             *     }
             */
            objective_choice?: components["schemas"]["ObjectiveChoice"];
            /** Owner */
            owner: string;
            /**
             * Pinned
             * @description listed before all jobs that are not
             * @default false
             */
            pinned?: boolean;
            /**
             * Priority
             * @description among the jobs of the same owner, the highest goes first
             * @default 0
             */
            priority?: number;
            /**
             * Quiet After
             * @description after this time, and without a further report, show that no running task reports anything
             */
            quiet_after?: string | null;
            /**
             * Reported At
             * @description when one of its running tasks last reported a metric; the last start if none has
             */
            reported_at?: string | null;
            /**
             * Searching
             * @description the search is not over: further tasks will come
             * @default false
             */
            searching?: boolean;
            /**
             * Seconds Left
             * @description until the likely time of `expected_end`; null where that is not known
             */
            seconds_left?: number | null;
            /**
             * Sparkline
             * @description the objective of the best task or configuration, about 30 points
             */
            sparkline?: number[];
            /** Tags */
            tags: string[];
            /**
             * To Come
             * @description number of further tasks, where it is known
             */
            to_come?: number | null;
            /**
             * @description private: only its owner and admins see it
             * @default team
             */
            visibility?: components["schemas"]["Visibility"];
            /** @description why tasks that have not started wait, as the backend reports it */
            waits?: components["schemas"]["Waits"] | null;
            /** Warnings */
            warnings?: string[];
        };
        /**
         * JobChange
         * @description What changed in a job.
         */
        JobChange: {
            /**
             * Change
             * @enum {string}
             */
            change: "submitted" | "edited" | "held" | "released" | "limits" | "objective" | "search" | "waits" | "warned" | "packing" | "set aside" | "taken up";
            /**
             * Tasks
             * @description how many tasks the job begins with; only with `submitted`
             */
            tasks?: number | null;
        };
        /** JobDetail */
        JobDetail: {
            /**
             * Best Spread
             * @description standard deviation over the tasks of the best configuration
             */
            best_spread?: number | null;
            /**
             * Best Task
             * @description where configurations run several times, the best task of the best
             */
            best_task?: string | null;
            /**
             * Best Trial
             * @description number of the best configuration, where each runs several times
             */
            best_trial?: number | null;
            /**
             * Best Value
             * @description of the best task; where configurations run several times, the mean of the best configuration
             */
            best_value?: number | null;
            /**
             * @default {
             *       "bytes": 0,
             *       "files": 0
             *     }
             */
            code?: components["schemas"]["CodeInfo"];
            /**
             * Configurations
             * @description number of configurations, where each runs several times (`repeat`)
             */
            configurations?: number | null;
            counts: components["schemas"]["TaskCounts"];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            /**
             * Ended
             * @description no task waits or runs, and none will be added, neither by a search nor to reduce
             */
            ended: boolean;
            /** Ended At */
            ended_at?: string | null;
            /** @description when all of its tasks will have ended; null: not known */
            expected_end?: components["schemas"]["Expected"] | null;
            /** @description why its tasks failed */
            failure?: components["schemas"]["Failure"] | null;
            /** Folder */
            folder: string;
            /**
             * Giving Way
             * @description for whom its allocations leave: `bob's job 38: 4 of 8 allocations leave after their tasks`
             */
            giving_way?: string | null;
            /**
             * Held
             * @description no further task starts until the job is released
             * @default false
             */
            held?: boolean;
            /** Id */
            id: string;
            /**
             * Mapped
             * @description the job is a map; `GET /jobs/{job}/parts` lists its files
             * @default false
             */
            mapped?: boolean;
            /** Name */
            name: string;
            /** @description set while runners of running tasks are silent */
            no_word?: components["schemas"]["NoWord"] | null;
            /** @description the metric that counts now; an empty name: none is chosen yet, or there is none */
            objective: components["schemas"]["Objective"];
            /**
             * @default {
             *       "by": "spec",
             *       "final": true,
             *       "held": false,
             *       "why": "as submitted"
             *     }
             */
            objective_choice?: components["schemas"]["ObjectiveChoice"];
            /** Owner */
            owner: string;
            /**
             * Packing
             * @description how its tasks share GPUs, by kind of GPU
             */
            packing?: components["schemas"]["Packing"][];
            /**
             * Pinned
             * @description listed before all jobs that are not
             * @default false
             */
            pinned?: boolean;
            /**
             * Priority
             * @description among the jobs of the same owner, the highest goes first
             * @default 0
             */
            priority?: number;
            /**
             * Quiet After
             * @description after this time, and without a further report, show that no running task reports anything
             */
            quiet_after?: string | null;
            /**
             * Reported At
             * @description when one of its running tasks last reported a metric; the last start if none has
             */
            reported_at?: string | null;
            script?: components["schemas"]["ScriptReport"] | null;
            /**
             * Searching
             * @description the search is not over: further tasks will come
             * @default false
             */
            searching?: boolean;
            /**
             * Seconds Left
             * @description until the likely time of `expected_end`; null where that is not known
             */
            seconds_left?: number | null;
            /**
             * Sparkline
             * @description the objective of the best task or configuration, about 30 points
             */
            sparkline?: number[];
            spec: components["schemas"]["JobSpec"];
            /** Tags */
            tags: string[];
            /**
             * To Come
             * @description number of further tasks, where it is known
             */
            to_come?: number | null;
            /**
             * @description private: only its owner and admins see it
             * @default team
             */
            visibility?: components["schemas"]["Visibility"];
            /** @description why tasks that have not started wait, as the backend reports it */
            waits?: components["schemas"]["Waits"] | null;
            /** Warnings */
            warnings?: string[];
        };
        /**
         * JobDiff
         * @description What differs from one job to another: code and spec.
         */
        JobDiff: {
            /** After */
            after: string;
            /** Before */
            before: string;
            /** Fields */
            fields: components["schemas"]["FieldDiff"][];
            /** Files */
            files: components["schemas"]["FileDiff"][];
            /**
             * More
             * @description there are too many files to compare all of them
             * @default false
             */
            more?: boolean;
            /**
             * Same
             * @description number of files that are equal in both
             */
            same: number;
        };
        /** JobEvent */
        JobEvent: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            data: components["schemas"]["JobChange"];
            /**
             * Id
             * @description the position of the event in the stream
             */
            id: number;
            /** Job */
            job: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "job";
        };
        /** JobGpus */
        JobGpus: {
            /**
             * Next
             * @description what the policy would change next
             */
            next?: components["schemas"]["SizeChange"][];
            /**
             * Points
             * @description the GPUs in use by its tasks, the oldest first, up to 1,000
             */
            points: components["schemas"]["GpusPoint"][];
        };
        /** JobLoad */
        JobLoad: {
            /** Advice */
            advice?: components["schemas"]["Hint"][];
            /**
             * Cores
             * @description busy cores, as measured
             * @default 0
             */
            cores?: number;
            /**
             * Gpu Load
             * @description mean over the GPUs that its tasks are on, 0 to 1
             */
            gpu_load?: number | null;
            /**
             * Gpu Memory
             * @description bytes
             * @default 0
             */
            gpu_memory?: number;
            /**
             * Gpus
             * @description number of GPUs that the tasks are on
             * @default 0
             */
            gpus?: number;
            /** Job */
            job: string;
            /**
             * Memory
             * @description bytes
             * @default 0
             */
            memory?: number;
            /** Name */
            name: string;
            /**
             * Tasks
             * @default 0
             */
            tasks?: number;
            /** User */
            user: string;
        };
        /** JobPage */
        JobPage: {
            /** Items */
            items: components["schemas"]["Job"][];
            /** Offset */
            offset: number;
            /**
             * Team
             * @description people have accounts here: show whose each job is
             * @default false
             */
            team?: boolean;
            /** Total */
            total: number;
        };
        /** JobPatch */
        JobPatch: {
            /** Description */
            description?: string | null;
            /** Name */
            name?: string | null;
            /**
             * Notify
             * @description of what its owner is told outside the page
             */
            notify?: components["schemas"]["NoticeKind"][] | null;
            /** Pinned */
            pinned?: boolean | null;
            /** Tags */
            tags?: string[] | null;
            visibility?: components["schemas"]["Visibility"] | null;
        };
        /**
         * JobRemoved
         * @description The job was deleted.
         */
        JobRemoved: Record<string, never>;
        /**
         * JobSpec
         * @description A whole job, as it is written in a file, a form or flags.
         */
        JobSpec: {
            /**
             * Command
             * @description a shell command with {parameter} fields, in place of a script
             */
            command?: string | null;
            /** @default auto */
            convention?: components["schemas"]["Convention"];
            /**
             * Description
             * @default
             */
            description?: string;
            /** @default {} */
            elastic?: components["schemas"]["Elastic"];
            /**
             * @default {
             *       "setup": [],
             *       "variables": {}
             *     }
             */
            environment?: components["schemas"]["Environment"];
            /**
             * Grace Seconds
             * @description seconds from SIGTERM to SIGKILL when stopped
             */
            grace_seconds?: number | null;
            /**
             * @default {
             *       "files": [],
             *       "patterns": [],
             *       "stdout": true
             *     }
             */
            metrics?: components["schemas"]["MetricFiles"];
            /**
             * Module
             * @description run the script as this module of its package: `pkg.train`, as `python -m` does
             */
            module?: string | null;
            /**
             * Name
             * @default
             */
            name?: string;
            /**
             * Notify
             * @description of what its owner is told outside the page, by mail and at their addresses; as they have chosen for all jobs when not given
             */
            notify?: components["schemas"]["NoticeKind"][] | null;
            /**
             * @default {
             *       "goal": "min",
             *       "metric": "auto"
             *     }
             */
            objective?: components["schemas"]["Objective"];
            /**
             * Other Objectives
             * @description further objectives: then there is no single best task, but a Pareto front
             */
            other_objectives?: components["schemas"]["Objective"][];
            /**
             * Parallel
             * @description run up to this many tasks at a time
             */
            parallel?: number | null;
            /** Params */
            params?: {
                [key: string]: components["schemas"]["Choices"] | components["schemas"]["Range"] | components["schemas"]["Block-Output"];
            };
            /**
             * Priority
             * @description among the jobs of the same owner, the highest goes first
             * @default 0
             */
            priority?: number;
            /**
             * Reduce
             * @description a shell command that runs as one more task when all others finished
             */
            reduce?: string | null;
            /**
             * @default {
             *       "hosts": {
             *         "only": []
             *       },
             *       "slurm": {
             *         "options": []
             *       }
             *     }
             */
            resources?: components["schemas"]["Resources"];
            /**
             * Retries
             * @description how often a task is tried again, by cause; the settings contain the defaults
             */
            retries?: {
                [key: string]: number;
            };
            /**
             * Script
             * @description path of the script, relative to the submitted folder
             */
            script?: string | null;
            /**
             * @default {
             *       "method": "auto",
             *       "repeat": 1,
             *       "seed": 0,
             *       "warm_start": []
             *     }
             */
            search?: components["schemas"]["Search"];
            /**
             * @default {
             *       "eta": 3,
             *       "method": "none",
             *       "min_trials": 5
             *     }
             */
            stop_early?: components["schemas"]["StopEarly"];
            /** Tags */
            tags?: string[];
            /**
             * Terminal
             * @description each task runs on a terminal, to which its owner can attach: for breakpoint() and input()
             * @default false
             */
            terminal?: boolean;
            /**
             * @description who sees the job where people have accounts: the team, or only its owner
             * @default team
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * Workdir
             * @description absolute path of the folder in which tasks run; each has a folder of its own when not given
             */
            workdir?: string | null;
            /**
             * Yields
             * @description tasks go on from where they were when they have to make way for a reservation; when not given: if the script uses PADDOCK_CHECKPOINT_DIR
             */
            yields?: boolean | null;
        };
        /**
         * JobsPlan
         * @description What a cluster would do with some jobs, if nothing else ran there.
         */
        JobsPlan: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Complete
             * @description all jobs have ended in the time that was simulated
             */
            complete: boolean;
            /**
             * Ends At
             * Format: date-time
             * @description until when was simulated
             */
            ends_at: string;
            /**
             * Full
             * @description share of them that is in use on average, from the beginning to the end
             */
            full: number;
            /** Jobs */
            jobs: components["schemas"]["PlannedJob"][];
            /**
             * Kind
             * @description what is counted: GPUs, or CPU slots where no node has a GPU
             * @enum {string}
             */
            kind: "gpu" | "cpu";
            /** Nodes */
            nodes: number;
            /**
             * Slot Hours
             * @description of the allocations of all jobs
             */
            slot_hours: number;
            /** Slots */
            slots: number;
            /**
             * Use
             * @description at most 200 steps
             */
            use: components["schemas"]["SlotUse"][];
            /** Warnings */
            warnings?: string[];
        };
        JsonValue: unknown;
        /**
         * Launcher
         * @description How the processes of a task find each other, where a task has several.
         * @enum {string}
         */
        Launcher: "torchrun" | "tensorflow" | "srun";
        /** LeftOut */
        LeftOut: {
            /**
             * Names
             * @description the paths that a submission does not take along
             */
            names: string[];
        };
        /**
         * LimitsRequest
         * @description Limits of a job that can be changed while it waits or runs.
         */
        LimitsRequest: {
            /** Nice */
            nice?: number | null;
            /**
             * Priority
             * @description among the jobs of the same owner, the highest goes first
             */
            priority?: number | null;
            /**
             * Time Limit
             * @description time limit of allocations, such as 4h
             */
            time_limit?: (number | string) | null;
        };
        /**
         * LiveFields
         * @description The fields of a task that change while it runs. Those that are absent have not changed.
         */
        LiveFields: {
            /** Best Epoch */
            best_epoch?: number | null;
            /** Best Value */
            best_value?: number | null;
            /** Epoch */
            epoch?: number | null;
            /** Epochs */
            epochs?: number | null;
            /** Epochs Done */
            epochs_done?: number | null;
            /** Last Value */
            last_value?: number | null;
            /** No Word Since */
            no_word_since?: string | null;
            /** Progress */
            progress?: number | null;
            /** Quiet After */
            quiet_after?: string | null;
            /** Reported At */
            reported_at?: string | null;
            /** Seconds Left */
            seconds_left?: number | null;
        };
        /**
         * LoadReport
         * @description How busy nodes are at one moment, and who uses them.
         */
        LoadReport: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Jobs */
            jobs: components["schemas"]["JobLoad"][];
            /** Nodes */
            nodes: components["schemas"]["Node"][];
            /** Users */
            users: components["schemas"]["UserLoad"][];
        };
        /**
         * LoadSeries
         * @description How busy a node, or one GPU of it, was over time. What was not measured is null.
         */
        LoadSeries: {
            /** Backend */
            backend: string;
            /**
             * Device
             * @description id of a GPU; null: the node itself
             */
            device?: string | null;
            /**
             * Load
             * @description share of the cores, or of the GPU, that was busy, 0 to 1
             */
            load: (number | null)[];
            /**
             * Memory
             * @description bytes in use
             */
            memory: (number | null)[];
            /** Node */
            node: string;
            /**
             * Power
             * @description of a GPU, watts; empty if it was never measured
             */
            power: (number | null)[];
            /**
             * Processes
             * @description number of processes on the node, or on the GPU; empty if they were never counted
             */
            processes: (number | null)[];
            /**
             * Temperature
             * @description of a GPU, degrees Celsius; empty if it was never measured
             */
            temperature: (number | null)[];
            /**
             * Times
             * @description seconds since 1970
             */
            times: number[];
        };
        /**
         * MadeNodes
         * @description Equal nodes that are made up.
         */
        MadeNodes: {
            /** Count */
            count: number;
            /**
             * Gpus
             * @description per node
             */
            gpus: number;
        };
        /**
         * MapPart
         * @description What a task of a map does.
         */
        MapPart: {
            /** Files */
            files: number;
            /**
             * Input
             * @description the first file, relative to the folder in which the map was started
             */
            input: string;
            /**
             * Output
             * @description the output file for it; null where the command chooses it
             */
            output?: string | null;
            /**
             * Part
             * @description the parameter `part` of the task
             */
            part: number;
        };
        /**
         * MarkRequest
         * @description A number in a log that is to be a metric: the line and where the number is in it, or a pattern.
         */
        MarkRequest: {
            /**
             * End
             * @default 0
             */
            end?: number;
            /**
             * Line
             * @default
             */
            line?: string;
            /** Name */
            name?: string | null;
            /** Pattern */
            pattern?: string | null;
            /**
             * Start
             * @default 0
             */
            start?: number;
            /**
             * Task
             * @description only count the lines of this task's log that match
             */
            task?: string | null;
        };
        /**
         * Marked
         * @description The pattern of a marked number, and how many lines of the end of a log match it.
         */
        Marked: {
            /** Matches */
            matches?: number | null;
            /** Pattern */
            pattern: string;
        };
        /**
         * Me
         * @description The caller: who it is, and what the page may offer.
         */
        Me: {
            /**
             * Email
             * @default
             */
            email?: string;
            /**
             * Full Name
             * @default
             */
            full_name?: string;
            /**
             * Groups
             * @default []
             */
            groups?: string[];
            /** Name */
            name: string;
            role: components["schemas"]["Role"];
            /** @default all */
            scope?: components["schemas"]["TokenScope"];
            source?: components["schemas"]["SignInSource"] | null;
            /**
             * Team
             * @description accounts are in use
             */
            team: boolean;
            /** Unix Name */
            unix_name?: string | null;
            /**
             * Via
             * @description session, token, door or server
             */
            via: string;
            /**
             * Zone
             * @default
             */
            zone?: string;
        };
        /** MePatch */
        MePatch: {
            /** Email */
            email?: string | null;
            /** Full Name */
            full_name?: string | null;
            /** Zone */
            zone?: string | null;
        };
        /**
         * Method
         * @description The methods by which configurations are chosen.
         * @enum {string}
         */
        Method: "auto" | "grid" | "random" | "sobol" | "tpe" | "gp" | "cmaes" | "evolution" | "nsga2" | "pbt";
        /**
         * MetricFiles
         * @description Where Paddock looks for metrics, beyond what it finds by itself.
         */
        MetricFiles: {
            /**
             * Files
             * @description patterns of file names in the task's folder
             */
            files?: string[];
            /**
             * Patterns
             * @description regular expressions for lines that the script prints; each named group is a metric, `epoch` and `step` place it, and `name` with `value` give a metric that the line names
             */
            patterns?: string[];
            /**
             * Stdout
             * @description read metrics that the script prints when no file has metrics
             * @default true
             */
            stdout?: boolean;
        };
        /**
         * Move
         * @description Population-based training: a task that continued from the checkpoint of another task.
         */
        Move: {
            /** After */
            after: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Attempt */
            attempt: number;
            /** Before */
            before: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** Source */
            source: string;
            /** Step */
            step: number;
            /** Task */
            task: string;
        };
        /**
         * NamedFile
         * @description A file or folder that a program names, and that is not among those that were submitted.
         */
        NamedFile: {
            /**
             * Path
             * @description as the program names it
             */
            path: string;
            /**
             * Read
             * @description the program reads it there; false: that is not clear
             */
            read: boolean;
            /**
             * Where
             * @description the first place that names it, such as `train.py, line 3`
             */
            where: string;
        };
        /**
         * Needed
         * @description A module that a program imports.
         */
        Needed: {
            /**
             * Certain
             * @description false: it is imported in a function or under a condition only
             */
            certain: boolean;
            /** Name */
            name: string;
            /**
             * Where
             * @description the first place that imports it, such as `train.py, line 3`
             */
            where: string;
        };
        /**
         * NoWord
         * @description Running tasks whose runners have reported nothing for a while.
         */
        NoWord: {
            /**
             * Since
             * Format: date-time
             * @description when the runner that has been silent longest last reported something
             */
            since: string;
            /** Tasks */
            tasks: number;
        };
        /** Node */
        Node: {
            /** Backend */
            backend: string;
            /**
             * Cpu Slots
             * @description number of tasks that run at a time when each needs one core and no GPU
             */
            cpu_slots: number;
            /** Cpus */
            cpus: number;
            /**
             * Cpus Busy
             * @description busy cores, where they were measured on the node
             */
            cpus_busy?: number | null;
            /**
             * Cpus Used
             * @description busy cores; on Slurm: allocated cores
             */
            cpus_used?: number | null;
            /** Devices */
            devices?: components["schemas"]["Device"][];
            /** Features */
            features?: string[];
            /**
             * Load
             * @description processes that run or wait for a core, over the last minute
             */
            load?: number | null;
            /**
             * Memory
             * @description bytes
             */
            memory?: number | null;
            /**
             * Memory Free
             * @description bytes that are available
             */
            memory_free?: number | null;
            /**
             * Memory Used
             * @description bytes in use, where they were measured on the node
             */
            memory_used?: number | null;
            /** Name */
            name: string;
            /** Partitions */
            partitions?: string[];
            /**
             * People
             * @description who is logged in on the node
             */
            people?: components["schemas"]["SignedInPerson"][];
            /**
             * Processes
             * @description number of processes, where they were counted on the node
             */
            processes?: number | null;
            /**
             * Reason
             * @description why it takes no new work
             */
            reason?: string | null;
            /**
             * Slots
             * @description number of tasks that run at a time when each needs one device
             */
            slots: number;
            /**
             * Slots Used
             * @default 0
             */
            slots_used?: number;
            /**
             * State
             * @default up
             */
            state?: string;
            /**
             * Tasks
             * @description ids of the tasks that run on it
             */
            tasks?: string[];
            /**
             * Usable
             * @description takes new work
             * @default true
             */
            usable?: boolean;
        };
        /** Notice */
        Notice: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: number;
            /** Job */
            job?: string | null;
            kind: components["schemas"]["NoticeKind"];
            /**
             * Link
             * @description a path of the page
             */
            link: string;
            /** Read At */
            read_at?: string | null;
            /**
             * Text
             * @default
             */
            text?: string;
            /** Title */
            title: string;
        };
        /**
         * NoticeAddress
         * @description An address as it is shown: without its secrets.
         */
        NoticeAddress: {
            /** Id */
            id: string;
            /** Kinds */
            kinds: components["schemas"]["NoticeKind"][];
            /**
             * Problem
             * @description why the last notice could not be sent there
             */
            problem?: string | null;
            /** Shown */
            shown: string;
        };
        /** NoticeChoices */
        NoticeChoices: {
            /** Addresses */
            addresses?: components["schemas"]["NoticeAddress"][];
            /** Mail */
            mail?: components["schemas"]["NoticeKind"][];
            /**
             * Mail Problem
             * @description why the last mail could not be sent
             */
            mail_problem?: string | null;
            /**
             * Mail To
             * @description one's own address; null: mail cannot be sent, see `mail_why`
             */
            mail_to?: string | null;
            /**
             * Mail Why
             * @description why mail cannot be sent
             */
            mail_why?: string | null;
            /**
             * Others
             * @description addresses in the settings of the server that get the notices too
             * @default 0
             */
            others?: number;
            /**
             * Schemes
             * @description how addresses may begin; null: as apprise knows them
             */
            schemes?: string[] | null;
        };
        /** NoticeEvent */
        NoticeEvent: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            data: components["schemas"]["NoticesChanged"];
            /**
             * Id
             * @description the position of the event in the stream
             */
            id: number;
            /** Job */
            job?: null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "notice";
        };
        /**
         * NoticeKind
         * @description What a notice is about. Whoever adds a kind adds its words in `notify/texts.py` and in `lib/notices.ts`.
         * @enum {string}
         */
        NoticeKind: "ended" | "failed" | "attention" | "reservation" | "slot" | "violation";
        /** NoticePage */
        NoticePage: {
            /**
             * Items
             * @description newest first
             */
            items: components["schemas"]["Notice"][];
            /**
             * More
             * @default false
             */
            more?: boolean;
            /**
             * Unread
             * @description number of all that are not read
             */
            unread: number;
        };
        /**
         * NoticesChanged
         * @description A person has a new notice, or has read some.
         */
        NoticesChanged: {
            /** Unread */
            unread: number;
            /**
             * User
             * @description whose notices
             */
            user: string;
        };
        /**
         * NoticesRead
         * @description Which notices were read.
         */
        NoticesRead: {
            /**
             * Ids
             * @description these; all when not given
             */
            ids?: number[] | null;
            /**
             * Up To
             * @description with all: only up to this one, the newest that the person has seen
             */
            up_to?: number | null;
        };
        /**
         * Objective
         * @description What makes one configuration better than another. Text form: `auto`, `val_loss`, `val_acc`, `reward:min`.
         */
        Objective: {
            /** @description when not given, by the name of the metric: `val_acc` is to be large, `val_loss` small */
            goal?: components["schemas"]["Goal"];
            /**
             * Metric
             * @description name of the metric; `auto`: chosen from what the tasks report; empty: there is none, and no task is better than another
             * @default auto
             */
            metric?: string;
        };
        /**
         * ObjectiveChoice
         * @description How the objective of a job was chosen.
         */
        ObjectiveChoice: {
            /**
             * By
             * @description spec: as submitted; auto: from what the tasks report; person: changed later
             * @default spec
             * @enum {string}
             */
            by?: "spec" | "auto" | "person";
            /**
             * Final
             * @description false: it may change when tasks report further metrics
             * @default true
             */
            final?: boolean;
            /**
             * Held
             * @description the job was held, as no task reports the objective
             * @default false
             */
            held?: boolean;
            /**
             * Notice
             * @description why the job was held; also among the warnings of the job
             */
            notice?: string | null;
            /**
             * Why
             * @description why this metric; while there is none, why none was chosen yet
             * @default as submitted
             */
            why?: string;
        };
        /**
         * ObjectiveReport
         * @description The objective of a job, and the metrics that it can be.
         */
        ObjectiveReport: {
            choice: components["schemas"]["ObjectiveChoice"];
            /**
             * Metrics
             * @description the metrics that tasks report, each with its goal by its name
             */
            metrics: components["schemas"]["Objective"][];
            /**
             * Objectives
             * @description the first one has an empty name while none is chosen
             */
            objectives: components["schemas"]["Objective"][];
        };
        /**
         * ObjectiveRequest
         * @description Another objective of a job. Text form of each: `val_loss`, `val_acc:max`, `auto`.
         */
        ObjectiveRequest: {
            /**
             * Insist
             * @description accept a metric that no task has reported so far
             * @default false
             */
            insist?: boolean;
            /**
             * Objective
             * @description one, or several for a Pareto front
             */
            objective: (components["schemas"]["Objective"] | string)[];
        };
        /** Overview */
        Overview: {
            /** Devices */
            devices: components["schemas"]["DeviceHours"][];
            /** Hours */
            hours: number;
            /**
             * Since
             * Format: date-time
             */
            since: string;
        };
        /**
         * Packing
         * @description How many tasks of a job share a GPU, and why not more.
         */
        Packing: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Auto
             * @description true: Paddock chooses the number; false: it is as requested, or less where memory is short
             */
            auto: boolean;
            /**
             * Gpu
             * @description the kind of GPU
             */
            gpu: string;
            /**
             * Known
             * @description the number began with what an earlier job of the same script had found out
             * @default false
             */
            known?: boolean;
            /**
             * Limit
             * @description what limits the number; null: it is still growing
             */
            limit?: ("asked" | "tasks" | "memory" | "host_memory" | "cores" | "gain") | null;
            /**
             * Load
             * @description share of the time in which the GPU was busy
             */
            load?: number | null;
            /**
             * Need
             * @description bytes of GPU memory that a task is expected to need
             */
            need?: number | null;
            /**
             * Processor
             * @description share of the allocation's cores that its tasks kept busy
             */
            processor?: number | null;
            /**
             * Speedup
             * @description throughput compared with one task at a time
             */
            speedup?: number | null;
            /**
             * Startup
             * @description share of the tasks' time before their first step or epoch
             */
            startup?: number | null;
            /**
             * Target
             * @description tasks per GPU that the controller aims at, if memory suffices
             */
            target?: number | null;
            /**
             * Tasks
             * @description tasks at a time per GPU, as last chosen
             */
            tasks: number;
            /**
             * Total
             * @description bytes of memory of the GPU
             */
            total?: number | null;
        };
        /**
         * PageLayout
         * @description How a person has arranged a page.
         */
        PageLayout: {
            /**
             * Tiles
             * @description null: as the page begins
             */
            tiles?: components["schemas"]["Tile"][] | null;
        };
        /** PasswordChange */
        PasswordChange: {
            /** New */
            new: string;
            /** Old */
            old: string;
        };
        /** PersonalToken */
        PersonalToken: {
            /** Created At */
            created_at: number;
            /** Expires At */
            expires_at: number | null;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Revoked At */
            revoked_at?: number | null;
            scope: components["schemas"]["TokenScope"];
            /**
             * Token
             * @description the token itself, given once, when it is made
             */
            token?: string | null;
            /** Used At */
            used_at?: number | null;
        };
        /**
         * PlanRequest
         * @description The jobs to plan, in the order in which they are submitted.
         */
        PlanRequest: {
            /**
             * Backend
             * @description where jobs run that name none; the server's default when not given
             * @default null
             */
            backend?: string | null;
            /** Jobs */
            jobs: components["schemas"]["PlannedSubmission"][];
            /**
             * @description in place of the server's nodes
             * @default null
             */
            nodes?: components["schemas"]["MadeNodes"] | null;
        };
        /**
         * PlannedJob
         * @description What would become of a job.
         */
        PlannedJob: {
            /**
             * Ended
             * @description tasks that have ended in the time that was simulated
             */
            ended: number;
            /**
             * Ends At
             * @description when its last task ends; none: not in the simulated time
             */
            ends_at?: string | null;
            /**
             * Known
             * @description earlier tasks of its program from which that is known; 0: as given
             */
            known: number;
            /**
             * Most Slots
             * @description GPUs, or CPU slots, that it has at most at a time
             */
            most_slots: number;
            /** Name */
            name: string;
            /** Slot Hours */
            slot_hours: number;
            /**
             * Starts At
             * @description when its first task begins
             */
            starts_at?: string | null;
            /**
             * Task Seconds
             * @description mean of its tasks, as supposed
             */
            task_seconds: number;
            /** Tasks */
            tasks: number;
            /**
             * Waits
             * @description why tasks of it still wait at the end
             */
            waits?: string | null;
        };
        /**
         * PlannedSubmission
         * @description A job as it would be submitted, and how long its tasks take where the server does not know it.
         */
        PlannedSubmission: {
            /**
             * After
             * @description submitted this many seconds from now
             * @default 0
             */
            after?: number;
            /**
             * @default {
             *       "bytes": 0,
             *       "files": 0,
             *       "git_commit": null,
             *       "git_dirty": null,
             *       "job": null,
             *       "source": null
             *     }
             */
            code?: components["schemas"]["CodeInfo"];
            /** Files */
            files?: {
                [key: string]: string;
            };
            spec: components["schemas"]["JobSpec"];
            /**
             * Task Seconds
             * @description of a task, where no earlier job of its program shows it
             * @default null
             */
            task_seconds?: number | null;
        };
        /**
         * Preflight
         * @description What can be said about a submission before it is queued.
         */
        Preflight: {
            /**
             * Better
             * @description environments that have all modules that are missing
             */
            better?: components["schemas"]["FoundEnvironment"][];
            /**
             * Files
             * @description files that are named and not submitted
             */
            files?: components["schemas"]["NamedFile"][];
            /**
             * Held
             * @description why the job is only accepted with `force`
             */
            held?: string | null;
            /**
             * Interpreter
             * @description the Python that was asked for the modules; null: none was
             */
            interpreter?: string | null;
            /**
             * Missing
             * @description modules that this Python does not find
             */
            missing?: components["schemas"]["Needed"][];
            /**
             * Python
             * @description its version
             */
            python?: string | null;
            /**
             * Unchecked
             * @description why the modules were not looked for
             */
            unchecked?: string | null;
        };
        /**
         * Preview
         * @description What a submission would do.
         */
        Preview: {
            /**
             * Adaptive
             * @description configurations are chosen while results come in: these are the first
             * @default false
             */
            adaptive?: boolean;
            /**
             * Allocations
             * @description number of allocations that would be requested at first
             * @default 0
             */
            allocations?: number;
            /** Backend */
            backend: string;
            /**
             * Batch Script
             * @description the exact script that would be submitted to the scheduler
             */
            batch_script?: string | null;
            /** @description the answer of the scheduler, where it was asked */
            check?: components["schemas"]["Check"] | null;
            /**
             * Columns
             * @description the parameters that differ between tasks
             */
            columns: string[];
            /**
             * Commands
             * @description the exact command of each of these tasks
             */
            commands: string[][];
            /**
             * Count
             * @description number of tasks; null: as many as the time budget allows
             */
            count: number | null;
            /** @description modules and files that are missing, where that was asked */
            preflight?: components["schemas"]["Preflight"] | null;
            script?: components["schemas"]["ScriptReport"] | null;
            /**
             * Slots
             * @description up to this many tasks run at a time per allocation
             * @default 1
             */
            slots?: number;
            spec: components["schemas"]["JobSpec"];
            /**
             * Tasks
             * @description the first tasks, up to 1,000
             */
            tasks: {
                [key: string]: components["schemas"]["JsonValue"];
            }[];
            /** Warnings */
            warnings?: string[];
        };
        /**
         * Provider
         * @description A single sign-on provider, as the sign-in page shows it.
         */
        Provider: {
            /** Name */
            name: string;
            /** Title */
            title: string;
        };
        /** PruneItem */
        PruneItem: {
            /**
             * Bytes
             * @description bytes on the disk, without those in the database
             */
            bytes: number;
            /**
             * Count
             * @description number of attempts; 1 for all other kinds
             * @default 1
             */
            count?: number;
            kind: components["schemas"]["PruneKind"];
            /**
             * Name
             * @description name of the job
             */
            name?: string | null;
            /**
             * Since
             * Format: date-time
             * @description when the job or its attempts ended, or the file was last used
             */
            since: string;
            /**
             * What
             * @description id of the job, or the name of the file
             */
            what: string;
        };
        /**
         * PruneKind
         * @enum {string}
         */
        PruneKind: "job" | "attempts" | "journals" | "runner" | "leftover";
        /**
         * PruneReport
         * @description What was deleted, or would be.
         */
        PruneReport: {
            /**
             * Bytes
             * @description sum over all items
             */
            bytes: number;
            /** Dry Run */
            dry_run: boolean;
            /**
             * Items
             * @description the largest items, largest first
             */
            items: components["schemas"]["PruneItem"][];
            /**
             * Measured
             * @description false: there was no time to measure everything, and the true sums are higher
             */
            measured: boolean;
            /**
             * Problems
             * @description what could not be deleted; the server tries it again the next day
             */
            problems: string[];
            /**
             * Totals
             * @description sums over all items, by kind
             */
            totals: components["schemas"]["PruneTotal"][];
        };
        /**
         * PruneRequest
         * @description Ages in days beyond which things are deleted; the settings `keep` apply where no age is given.
         */
        PruneRequest: {
            /**
             * Attempts Days
             * @description earlier attempts of tasks of ended jobs
             */
            attempts_days?: number | null;
            /**
             * Dry Run
             * @description only report what would be deleted
             * @default false
             */
            dry_run?: boolean;
            /**
             * Jobs Days
             * @description ended jobs
             */
            jobs_days?: number | null;
            /**
             * Journals Days
             * @description journals of ended jobs
             */
            journals_days?: number | null;
            /**
             * Runners Days
             * @description runners that nothing has used since
             */
            runners_days?: number | null;
        };
        /** PruneTotal */
        PruneTotal: {
            /** Bytes */
            bytes: number;
            /** Count */
            count: number;
            kind: components["schemas"]["PruneKind"];
        };
        /** QueuePage */
        QueuePage: {
            /**
             * Items
             * @description first the jobs that wait, by backend and in the order in which they go on; up to 500
             */
            items: components["schemas"]["QueuedJob"][];
            /**
             * Next
             * @description which trainings the policy would give other numbers of GPUs next
             */
            next?: components["schemas"]["SizeChange"][];
            /**
             * Team
             * @description people have accounts here: show whose each job is
             * @default false
             */
            team?: boolean;
        };
        /**
         * QueuedJob
         * @description A job with tasks that run or wait.
         */
        QueuedJob: {
            /** Backend */
            backend: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** @description when all of its tasks will have ended; null: not known */
            expected_end?: components["schemas"]["Expected"] | null;
            /** @description when the next of its tasks starts; null: not known */
            expected_start?: components["schemas"]["Expected"] | null;
            /**
             * Held
             * @default false
             */
            held?: boolean;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Owner */
            owner: string;
            /**
             * Place
             * @description which turn its next task has among the jobs that wait for devices of the backend, from 1 on; null: it waits for something else, or a scheduler decides
             */
            place?: number | null;
            /**
             * Priority
             * @default 0
             */
            priority?: number;
            /**
             * Running
             * @description number of its tasks that run
             */
            running: number;
            /**
             * Tasks
             * @description the next of its tasks that wait, if asked for
             */
            tasks?: components["schemas"]["QueuedTask"][];
            /**
             * Waiting
             * @description number of its tasks that wait
             */
            waiting: number;
            /** @description why its tasks wait */
            waits?: components["schemas"]["Waits"] | null;
        };
        /**
         * QueuedTask
         * @description A task that waits.
         */
        QueuedTask: {
            expected_end?: components["schemas"]["Expected"] | null;
            expected_start?: components["schemas"]["Expected"] | null;
            /** Id */
            id: string;
        };
        /** Quota */
        Quota: {
            /**
             * Ahead Days
             * @description how far in the future one may begin
             */
            ahead_days?: number | null;
            /**
             * By
             * @default
             */
            by?: string;
            /** Changed At */
            changed_at?: string | null;
            /** Devices At Once */
            devices_at_once?: number | null;
            /**
             * Gpu Hours Week
             * @description in a week, from Monday on
             */
            gpu_hours_week?: number | null;
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "account" | "group" | "everyone";
            /** Longest Hours */
            longest_hours?: number | null;
            /**
             * Near Hours
             * @description what begins within so many hours does not count for `devices_at_once`
             */
            near_hours?: number | null;
            /**
             * Open Reservations
             * @description that have not ended
             */
            open_reservations?: number | null;
            /**
             * Subject
             * @description the account or group
             * @default
             */
            subject?: string;
        };
        /**
         * QuotaRequest
         * @description How much somebody may reserve. What is not given is not limited; of several that apply the strictest counts.
         */
        QuotaRequest: {
            /**
             * Ahead Days
             * @description how far in the future one may begin
             */
            ahead_days?: number | null;
            /** Devices At Once */
            devices_at_once?: number | null;
            /**
             * Gpu Hours Week
             * @description in a week, from Monday on
             */
            gpu_hours_week?: number | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "account" | "group" | "everyone";
            /** Longest Hours */
            longest_hours?: number | null;
            /**
             * Near Hours
             * @description what begins within so many hours does not count for `devices_at_once`
             */
            near_hours?: number | null;
            /**
             * Open Reservations
             * @description that have not ended
             */
            open_reservations?: number | null;
            /**
             * Subject
             * @description the account or group
             * @default
             */
            subject?: string;
        };
        /**
         * QuotaUse
         * @description What an account has used of a limit that applies to it.
         */
        QuotaUse: {
            /**
             * Field
             * @enum {string}
             */
            field: "gpu_hours_week" | "devices_at_once" | "open_reservations" | "longest_hours" | "ahead_days";
            /** Left */
            left: number;
            /** Limit */
            limit: number;
            /**
             * Quota
             * @description id of the quota that is the strictest
             */
            quota: string;
            /**
             * Used
             * @description null for limits of a single reservation
             */
            used?: number | null;
        };
        /**
         * Range
         * @description All numbers from `low` to `high`, both included; in steps when `step` is given.
         */
        Range: {
            /** High */
            high: number;
            /**
             * Log
             * @default false
             */
            log?: boolean;
            /** Low */
            low: number;
            /** Step */
            step?: number | null;
            /**
             * Type
             * @default float
             * @enum {string}
             */
            type?: "int" | "float";
            /**
             * When
             * @description applies only where each of these parameters has one of these values
             */
            when?: {
                [key: string]: components["schemas"]["JsonValue"][];
            };
        };
        /** RemovedEvent */
        RemovedEvent: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            data: components["schemas"]["JobRemoved"];
            /**
             * Id
             * @description the position of the event in the stream
             */
            id: number;
            /** Job */
            job: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "removed";
        };
        /**
         * ReservableDevice
         * @description A GPU that can be reserved; on Slurm, a whole node.
         */
        ReservableDevice: {
            /** Backend */
            backend: string;
            /**
             * Gpus
             * @description number of GPUs that it stands for
             * @default 1
             */
            gpus?: number;
            /**
             * Host
             * @description the name of the node
             */
            host: string;
            /** Id */
            id: string;
            /**
             * Load
             * @description share of the time in which it is busy, as last measured
             */
            load?: number | null;
            /**
             * Memory
             * @description bytes; of a whole node with GPUs: of all its GPUs
             */
            memory?: number | null;
            /** Memory Used */
            memory_used?: number | null;
            /**
             * Model
             * @default
             */
            model?: string;
            /**
             * Name
             * @description what people call it: gpu1:0, or node7
             */
            name: string;
            /**
             * Number
             * @description of the GPU on its node, from 0; null: the whole node
             */
            number: number | null;
            /**
             * Online
             * @description its node reports, and takes work
             */
            online: boolean;
            /** Partitions */
            partitions?: string[];
            /**
             * Retired At
             * @description since when there is no such device any more
             */
            retired_at?: string | null;
            /**
             * Uuid
             * @description as the driver calls it; CUDA_VISIBLE_DEVICES takes it
             */
            uuid?: string | null;
        };
        /** Reservation */
        Reservation: {
            /**
             * By
             * @description who made it
             */
            by: string;
            /** Cancelled At */
            cancelled_at?: string | null;
            /** Cancelled By */
            cancelled_by?: string | null;
            /** Cancelled Why */
            cancelled_why?: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Description
             * @default
             */
            description?: string;
            /**
             * Devices
             * @description ids of devices
             */
            devices: string[];
            /**
             * End Intruders Minutes
             * @description processes of others on it are ended after this long; as the settings say when not given
             */
            end_intruders_minutes?: number | null;
            /**
             * Ends At
             * Format: date-time
             * @description when it ends, or has ended
             */
            ends_at: string;
            /**
             * Enforced
             * @description whether its scheduler keeps others away
             * @default yes
             * @enum {string}
             */
            enforced?: "yes" | "no" | "pending";
            /**
             * Enforced Why
             * @description why not, in the scheduler's own words
             */
            enforced_why?: string | null;
            /** Guest Groups */
            guest_groups?: string[];
            /**
             * Guests
             * @description accounts who may use it, too
             */
            guests?: string[];
            /** Id */
            id: string;
            /**
             * Kind
             * @default reservation
             * @enum {string}
             */
            kind?: "reservation" | "maintenance";
            /**
             * Outside Since
             * @description since when a rule no longer allows it; it is cancelled a day later unless that changes
             */
            outside_since?: string | null;
            /**
             * Owner
             * @description an account; null: maintenance
             */
            owner: string | null;
            /**
             * Planned End
             * Format: date-time
             * @description when it was to end; later than `ends_at` if it was released early
             */
            planned_end: string;
            /** Released At */
            released_at?: string | null;
            /**
             * Series
             * @description common to those that were made together, one a week
             */
            series?: string | null;
            /**
             * Starts At
             * Format: date-time
             */
            starts_at: string;
            /**
             * Title
             * @default
             */
            title?: string;
            /**
             * Version
             * @description grows with every change; a change names the version that it is about
             */
            version: number;
        };
        /**
         * ReservationPage
         * @description The reservations of a stretch of time.
         */
        ReservationPage: {
            /** Items */
            items: components["schemas"]["Reservation"][];
            /**
             * More
             * @default false
             */
            more?: boolean;
        };
        /**
         * ReservationPatch
         * @description Changes to a reservation; what is not given stays.
         */
        ReservationPatch: {
            /** Description */
            description?: string | null;
            /** Devices */
            devices?: string[] | null;
            /** Ends At */
            ends_at?: string | null;
            /** Guest Groups */
            guest_groups?: string[] | null;
            /** Guests */
            guests?: string[] | null;
            /** Starts At */
            starts_at?: string | null;
            /** Title */
            title?: string | null;
            /** Version */
            version: number;
        };
        /**
         * ReservationRequest
         * @description Devices to reserve: these ones, or any that fit.
         */
        ReservationRequest: {
            /**
             * Backend
             * @description with `gpus`: of this backend
             */
            backend?: string | null;
            /**
             * Description
             * @default
             */
            description?: string;
            /** Devices */
            devices?: string[];
            /** End Intruders Minutes */
            end_intruders_minutes?: number | null;
            /** Ends At */
            ends_at?: string | null;
            /**
             * Gpus
             * @description instead of `devices`: any that are free
             */
            gpus?: number | null;
            /** Guest Groups */
            guest_groups?: string[];
            /** Guests */
            guests?: string[];
            /**
             * Host
             * @description with `gpus`: on this host
             */
            host?: string | null;
            /**
             * Kind
             * @description maintenance: for admins
             * @default reservation
             * @enum {string}
             */
            kind?: "reservation" | "maintenance";
            /**
             * Model
             * @description with `gpus`: of this model (a part of its name)
             */
            model?: string | null;
            /**
             * Notify If Free
             * @description if it is refused for other reservations: a notice when it is free
             * @default false
             */
            notify_if_free?: boolean;
            /**
             * Owner
             * @description for another person (admins); judged by that person's rules
             */
            owner?: string | null;
            /**
             * Repeat Until
             * @description again every week, as long as it begins before this
             */
            repeat_until?: string | null;
            /**
             * Seconds
             * @description how long, instead of `ends_at`: 4h, or seconds
             */
            seconds?: (number | string) | null;
            /**
             * Skip Conflicts
             * @description with `repeat_until`: leave out those weeks that are refused
             * @default false
             */
            skip_conflicts?: boolean;
            /**
             * Starts At
             * @description now when not given
             */
            starts_at?: string | null;
            /**
             * Title
             * @default
             */
            title?: string;
        };
        /**
         * ReservationUse
         * @description How a device of a reservation was used, so far.
         */
        ReservationUse: {
            /**
             * Busy
             * @description seconds
             */
            busy: number;
            /** Device */
            device: string;
            /** First Used At */
            first_used_at?: string | null;
            /**
             * Foreign
             * @description seconds in which processes of others were on it
             * @default 0
             */
            foreign?: number;
            /**
             * Idle
             * @description seconds
             */
            idle: number;
            /**
             * Idle Since
             * @description it is idle now, since then
             */
            idle_since?: string | null;
            /** Last Used At */
            last_used_at?: string | null;
            /**
             * Load Mean
             * @description 0 to 1; null: it was never measured
             */
            load_mean?: number | null;
            /** Load Peak */
            load_peak?: number | null;
            /**
             * Memory Mean
             * @description bytes
             */
            memory_mean?: number | null;
            /** Memory Peak */
            memory_peak?: number | null;
            /**
             * Release
             * @description it seems that it could be released
             * @default false
             */
            release?: boolean;
            /** Reservation */
            reservation: string;
            /**
             * Seen
             * @description seconds in which it was looked at
             */
            seen: number;
        };
        /** ResizeRequest */
        ResizeRequest: {
            /**
             * Gpus
             * @description GPUs of the next attempt, within the range of the job, which it keeps then; auto: the policy chooses from now on
             */
            gpus: number | "auto";
        };
        /**
         * Resources
         * @description What one task needs. Fields that are not given come from the profile, then from the settings of the backend.
         */
        Resources: {
            /**
             * Backend
             * @description name of the backend; the server's default when not given
             */
            backend?: string | null;
            /** @description the image that tasks run in; none: they run on the node itself */
            container?: components["schemas"]["Container"] | null;
            /**
             * Cpus
             * @description cores per node; one when not given
             */
            cpus?: number | null;
            /**
             * Gpu Type
             * @description the kind of GPU, by its name in the cluster
             */
            gpu_type?: string | null;
            /**
             * Gpus
             * @description GPUs per node; when not given: one if nodes have GPUs
             */
            gpus?: number | null;
            /**
             * @description what only backends of kind hosts know
             * @default {
             *       "only": []
             *     }
             */
            hosts?: components["schemas"]["HostsResources"];
            /** @description how the processes of one task are started */
            launcher?: components["schemas"]["Launcher"] | null;
            /**
             * Memory
             * @description memory per node, such as 16G
             */
            memory?: number | null;
            /**
             * Most Gpus
             * @description up to how many GPUs a running task can be resized; `gpus: 1..4` sets both
             */
            most_gpus?: number | null;
            /**
             * Nodes
             * @description nodes per task; one when not given
             */
            nodes?: number | null;
            /**
             * Per Gpu
             * @description tasks that share a GPU, as far as its memory suffices; auto: as many as increase the throughput
             */
            per_gpu?: number | "auto" | null;
            /**
             * Profile
             * @description name of a profile (resources with a name) in the settings
             */
            profile?: string | null;
            /**
             * Slots
             * @description tasks at a time per allocation; one when not given
             */
            slots?: number | null;
            /**
             * @description what only Slurm knows; its names are also accepted without `slurm`
             * @default {
             *       "options": []
             *     }
             */
            slurm?: components["schemas"]["SlurmResources"];
            /**
             * Time Limit
             * @description time limit of an allocation, such as 4h; tasks that it interrupts go on in the next one
             */
            time_limit?: number | null;
            /** @description nodes, tasks at a time per node, threads per task: in place of slots, cpus and gpus */
            triple?: components["schemas"]["Triple"] | null;
        };
        /** RestartRequest */
        RestartRequest: {
            /**
             * Failed
             * @description only tasks in error
             * @default false
             */
            failed?: boolean;
            /**
             * Resume
             * @description keep the checkpoint and continue from it
             * @default false
             */
            resume?: boolean;
            /**
             * Tasks
             * @description ids or numbers of tasks; when not given, all that have ended
             */
            tasks?: string[] | null;
        };
        /**
         * Role
         * @description What an account may do: guests only read, users run jobs, admins manage the team.
         * @enum {string}
         */
        Role: "guest" | "user" | "admin";
        /**
         * RuleSubjects
         * @description Whom a rule is about: everyone, if nobody is named.
         */
        RuleSubjects: {
            /** Accounts */
            accounts?: string[];
            /** Groups */
            groups?: string[];
        };
        /**
         * RuleTargets
         * @description What a rule is about: everything, if nothing is named.
         */
        RuleTargets: {
            /**
             * Backends
             * @description only of these; everything of them, if nothing else is named
             */
            backends?: string[];
            /** Devices */
            devices?: string[];
            /** Hosts */
            hosts?: string[];
            /** Partitions */
            partitions?: string[];
        };
        /**
         * RungReport
         * @description What happened at one rung of early stopping.
         */
        RungReport: {
            /**
             * Bracket
             * @default 0
             */
            bracket?: number;
            /**
             * Cutoff
             * @description a trial with a value as good as this goes on
             */
            cutoff?: number | null;
            /** Reached */
            reached: number;
            /** Step */
            step: number;
            /** Went On */
            went_on: number;
        };
        /**
         * Sample
         * @description A sweep to try out, ready to be submitted.
         */
        Sample: {
            /** Description */
            description: string;
            /** Name */
            name: string;
            submission: components["schemas"]["Submission"];
        };
        /**
         * SavedView
         * @description A named filter of the list of jobs.
         */
        SavedView: {
            /** Name */
            name: string;
            /**
             * Owner
             * @default
             */
            owner?: string;
            /**
             * Q
             * @default
             */
            q?: string;
            /**
             * Sort
             * @default -created
             */
            sort?: string;
            state?: components["schemas"]["TaskState"] | null;
            /**
             * Tag
             * @default
             */
            tag?: string;
        };
        /**
         * Savings
         * @description The steps and the time that early stopping saved.
         */
        Savings: {
            /**
             * Seconds
             * @default 0
             */
            seconds?: number;
            /**
             * Share
             * @description share of all steps that would have been done without early stopping
             * @default 0
             */
            share?: number;
            /**
             * Steps
             * @default 0
             */
            steps?: number;
        };
        /** ScriptParam */
        ScriptParam: {
            /** Choices */
            choices?: components["schemas"]["JsonValue"][] | null;
            default?: components["schemas"]["JsonValue"];
            /**
             * Flag
             * @description the option string, such as --learning-rate
             */
            flag?: string | null;
            /**
             * Group
             * @description the heading under which the script lists it
             */
            group?: string | null;
            /** Help */
            help?: string | null;
            /** Name */
            name: string;
            /**
             * Off Flag
             * @description the option that switches it off, such as --no-augment
             */
            off_flag?: string | null;
            /** @description set if its value is changed in a copy of a file */
            place?: components["schemas"]["ValuePlace"] | null;
            /**
             * Position
             * @description index in sys.argv, for positional arguments
             */
            position?: number | null;
            /**
             * Required
             * @default false
             */
            required?: boolean;
            /** @default value */
            style?: components["schemas"]["FlagStyle"];
            /** Type */
            type?: ("int" | "float" | "bool" | "str" | "list") | null;
        };
        /**
         * ScriptReport
         * @description What Paddock found by reading a script. The script is never run for that.
         */
        ScriptReport: {
            /**
             * Abbreviations
             * @description the first letters of an option are enough, as in argparse
             * @default false
             */
            abbreviations?: boolean;
            /**
             * Checkpoints
             * @description it, or a module of it, uses PADDOCK_CHECKPOINT_DIR
             * @default false
             */
            checkpoints?: boolean;
            /**
             * Config
             * @description configuration files, each with the parameter that names it
             */
            config?: {
                [key: string]: string;
            };
            convention: components["schemas"]["Convention"];
            /**
             * Copies
             * @description files of which a task gets a copy if it changes a value, and their sizes
             */
            copies?: {
                [key: string]: number;
            };
            /**
             * Metrics
             * @description metric sources that were found: csv, stdout, ...
             */
            metrics?: string[];
            /**
             * Module
             * @description its name for `python -m`, if it imports relative to its package
             */
            module?: string | null;
            /**
             * Open Ended
             * @description the script may take parameters that reading it does not show
             * @default false
             */
            open_ended?: boolean;
            /** Params */
            params?: components["schemas"]["ScriptParam"][];
            /**
             * Python Path
             * @description folders of the submission, beside its own, from which it imports modules
             */
            python_path?: string[];
            /**
             * Rest
             * @description how it takes what is no option of its own: NAME=VALUE after `rest_flag` (mmengine's --cfg-options), or NAME VALUE after everything else (yacs, detectron2)
             */
            rest?: ("assignments" | "pairs") | null;
            /** Rest Flag */
            rest_flag?: string | null;
            /**
             * Shebang
             * @description the program and the options of its #! line
             */
            shebang?: string[];
            /**
             * Syntax
             * @description of the values of overrides
             */
            syntax?: ("hydra" | "yaml" | "python") | null;
            /** Warnings */
            warnings?: string[];
            /**
             * Words
             * @description words before all parameters: sacred's `with`
             */
            words?: string[];
        };
        /** Search */
        Search: {
            /**
             * Interval
             * @description pbt: steps between two changes of parameters
             */
            interval?: number | null;
            /** @default auto */
            method?: components["schemas"]["Method"];
            /**
             * Repeat
             * @description tasks per configuration, each with another seed; the mean counts
             * @default 1
             */
            repeat?: number;
            /**
             * Seed
             * @default 0
             */
            seed?: number;
            /**
             * Time Budget
             * @description no further task starts after this time since the submission, such as 2h
             */
            time_budget?: number | null;
            /**
             * Trials
             * @description number of configurations, for methods that draw them; with pbt: size of the population
             */
            trials?: number | null;
            /**
             * Warm Start
             * @description past jobs to learn from
             */
            warm_start?: string[];
        };
        /**
         * SearchReport
         * @description The state of the search of a job.
         */
        SearchReport: {
            /**
             * Ended Why
             * @description why no further trials come
             */
            ended_why?: string | null;
            /**
             * Ends At
             * @description when the time budget is over
             */
            ends_at?: string | null;
            /** History */
            history: components["schemas"]["TrialReport"][];
            /**
             * Importance
             * @description share of each parameter in how good trials are, largest first
             */
            importance: {
                [key: string]: number;
            };
            /**
             * Importance From
             * @description trials that the importance comes from: those that finished or were pruned, with a value
             * @default 0
             */
            importance_from?: number;
            method: components["schemas"]["Method"];
            /** Moves */
            moves?: components["schemas"]["Move"][];
            /** Objectives */
            objectives: components["schemas"]["Objective"][];
            /** Rungs */
            rungs?: components["schemas"]["RungReport"][];
            /**
             * @default {
             *       "seconds": 0,
             *       "share": 0,
             *       "steps": 0
             *     }
             */
            saved?: components["schemas"]["Savings"];
            /** Searching */
            searching: boolean;
            stop_early: components["schemas"]["StopEarly"];
            /**
             * Trials
             * @description number of planned trials; null: until the time budget is over
             */
            trials?: number | null;
            /**
             * Unjudged
             * @description tasks that ended, or trained for long, without the objective: early stopping ignores them
             */
            unjudged?: string[];
        };
        /**
         * Seat
         * @description The share of an allocation that a task has.
         */
        Seat: {
            /**
             * Cores
             * @description the cores that it may use; empty: all that there are
             */
            cores?: number[];
            /** Gpu Name */
            gpu_name?: string | null;
            /**
             * Gpus
             * @description ids of its GPUs, as in CUDA_VISIBLE_DEVICES
             */
            gpus?: string[];
            /**
             * Sharing
             * @description how the task shares its GPU with others: through NVIDIA MPS, or by taking turns
             */
            sharing?: ("mps" | "turns") | null;
            /**
             * Threads
             * @description number of threads that numerical libraries are set to
             */
            threads?: number | null;
            /**
             * Why
             * @description why the GPU is not shared through MPS
             */
            why?: string | null;
        };
        /**
         * SetupInfo
         * @description Whom a one-time link makes an account for.
         */
        SetupInfo: {
            /**
             * Email
             * @default
             */
            email?: string;
            /** Expires At */
            expires_at: number;
            /**
             * First
             * @description this is the first account: the team is yet to be set up
             * @default false
             */
            first?: boolean;
            /**
             * Groups
             * @default []
             */
            groups?: string[];
            /**
             * Name
             * @description the name, if it is settled already
             */
            name?: string | null;
            role: components["schemas"]["Role"];
        };
        /**
         * SetupRequest
         * @description The first admin, or somebody invited, takes their account.
         */
        SetupRequest: {
            /** Code */
            code: string;
            /**
             * Full Name
             * @default
             */
            full_name?: string;
            /** Name */
            name?: string | null;
            /** Password */
            password?: string | null;
        };
        /**
         * SignIn
         * @description Either the name and the password of an account, or the server's token.
         */
        SignIn: {
            /**
             * Code
             * @description of an invitation, for whoever a directory knows and this team not yet
             */
            code?: string | null;
            /** Name */
            name?: string | null;
            /** Password */
            password?: string | null;
            /** Token */
            token?: string | null;
        };
        /**
         * SignInMethods
         * @description How one may sign in here. Everybody may ask for this.
         */
        SignInMethods: {
            /**
             * Directories
             * @description passwords of this machine or of a directory are accepted, too
             * @default false
             */
            directories?: boolean;
            /**
             * Passwords
             * @description a name and a password are asked for, whoever checks them
             */
            passwords: boolean;
            /**
             * Providers
             * @default []
             */
            providers?: components["schemas"]["Provider"][];
            /**
             * Team
             * @description accounts exist; otherwise the link with the token is the way in
             */
            team: boolean;
        };
        /**
         * SignInSource
         * @description Where an account signs in.
         * @enum {string}
         */
        SignInSource: "password" | "pam" | "ldap" | "oidc";
        /**
         * SignedIn
         * @description The key of the page, which it sends with every call beside the cookie.
         */
        SignedIn: {
            /** Page */
            page: string;
        };
        /**
         * SignedInPerson
         * @description A person who is logged in on a node.
         */
        SignedInPerson: {
            /**
             * Since
             * @description seconds since 1970
             */
            since?: number | null;
            /**
             * Terminal
             * @default
             */
            terminal?: string;
            /** User */
            user: string;
        };
        /**
         * SizeChange
         * @description A task that the policy wants to go on with another number of GPUs.
         */
        SizeChange: {
            /**
             * Begun
             * @description it is under way; otherwise it follows in a later round, if nothing changes
             * @default false
             */
            begun?: boolean;
            /**
             * Now
             * @description GPUs that it has
             */
            now: number;
            /** Task */
            task: string;
            /**
             * To
             * @description GPUs that it is to have
             */
            to: number;
            /** Why */
            why: string;
        };
        /**
         * SlotUse
         * @description How many GPUs, or CPU slots, are in use from some time on.
         */
        SlotUse: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Slots */
            slots: number;
        };
        /**
         * SlurmResources
         * @description What only Slurm knows. Other backends ignore it.
         */
        SlurmResources: {
            /** Account */
            account?: string | null;
            /**
             * Constraint
             * @description features that the nodes must have
             */
            constraint?: string | null;
            /**
             * Exclude
             * @description not on these nodes
             */
            exclude?: string | null;
            /**
             * Nice
             * @description how much to lower the priority of the job
             */
            nice?: number | null;
            /**
             * Nodelist
             * @description only on these nodes
             */
            nodelist?: string | null;
            /**
             * Options
             * @description other options of sbatch
             */
            options?: string[];
            /**
             * Partition
             * @description a partition, or several separated by commas
             */
            partition?: string | null;
            /** Qos */
            qos?: string | null;
            /** Reservation */
            reservation?: string | null;
        };
        /**
         * StopEarly
         * @description How tasks that are not promising are stopped early. Text form: `asha`, `median`.
         */
        StopEarly: {
            /**
             * Eta
             * @description asha, hyperband: one of this many tasks goes on after a rung
             * @default 3
             */
            eta?: number;
            /**
             * Interval
             * @description median: steps between two comparisons
             */
            interval?: number | null;
            /**
             * Max Steps
             * @description steps of a task that is not stopped; the epochs of the script when not given
             */
            max_steps?: number | null;
            /**
             * Method
             * @default none
             * @enum {string}
             */
            method?: "none" | "median" | "asha" | "hyperband";
            /**
             * Min Steps
             * @description no task is stopped before this step (epoch)
             */
            min_steps?: number | null;
            /**
             * Min Trials
             * @description median: this many other tasks must have reached the step
             * @default 5
             */
            min_trials?: number;
        };
        /** StopRequest */
        StopRequest: {
            /**
             * Tasks
             * @description ids or numbers of tasks; all that have not ended when not given
             */
            tasks?: string[] | null;
        };
        /**
         * StreamPosition
         * @description The data of `hello` and `reset`, which begin a stream.
         */
        StreamPosition: {
            /**
             * Position
             * @description the id of the newest event that the client has, or need not have
             */
            position: number;
        };
        /**
         * Submission
         * @description Body of a JSON submission: the spec and the text of its files by relative path.
         */
        Submission: {
            /**
             * @default {
             *       "bytes": 0,
             *       "files": 0
             *     }
             */
            code?: components["schemas"]["CodeInfo"];
            /** Files */
            files?: {
                [key: string]: string;
            };
            spec: components["schemas"]["JobSpec"];
        };
        /** Task */
        Task: {
            /** Attempt */
            attempt: number;
            /** Best At */
            best_at?: string | null;
            /** Best Epoch */
            best_epoch?: number | null;
            /** Best Value */
            best_value?: number | null;
            cause?: components["schemas"]["Cause"] | null;
            /** Cpu Seconds */
            cpu_seconds?: number | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Device */
            device?: string | null;
            /** Ended At */
            ended_at?: string | null;
            /**
             * Epoch
             * @description the last reported epoch (or step), as the script counts
             */
            epoch?: number | null;
            /**
             * Epochs
             * @description number of epochs that it trains, where that is known
             */
            epochs?: number | null;
            /**
             * Epochs Done
             * @description how many of `epochs` are done, whether the script counts from 0 or from 1
             */
            epochs_done?: number | null;
            /** Exit Code */
            exit_code?: number | null;
            /** @description of a task that waits or runs; null where it is not known; events do not contain it */
            expected_end?: components["schemas"]["Expected"] | null;
            /** @description of a task that waits; null where it is not known */
            expected_start?: components["schemas"]["Expected"] | null;
            /** Id */
            id: string;
            /** Job */
            job: string;
            /** Last Value */
            last_value?: number | null;
            /**
             * Measured
             * @description values of metrics that were requested, such as `last.val_loss`
             */
            measured?: {
                [key: string]: number | null;
            };
            /**
             * No Word Since
             * @description the task runs, but its runner has reported nothing since then: its node may be down
             */
            no_word_since?: string | null;
            /** Node */
            node?: string | null;
            /**
             * Noted
             * @description people have written a note about it
             * @default false
             */
            noted?: boolean;
            /** Number */
            number: number;
            /** Owner */
            owner: string;
            /** Params */
            params: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * Peak Gpu Memory
             * @description bytes on all GPUs of the task
             */
            peak_gpu_memory?: number | null;
            /**
             * Peak Memory
             * @description bytes
             */
            peak_memory?: number | null;
            /** Progress */
            progress?: number | null;
            /**
             * Quiet After
             * @description after this time, and without a further report, show that nothing is reported
             */
            quiet_after?: string | null;
            /** Reason */
            reason?: string | null;
            /**
             * Reduces
             * @description the task runs the job's `reduce` after all others, and has no parameters
             * @default false
             */
            reduces?: boolean;
            /**
             * Reported At
             * @description of a running task: when it last reported a metric, or its start if it has reported none
             */
            reported_at?: string | null;
            /** @description its share of the allocation, if several tasks run in one allocation */
            seat?: components["schemas"]["Seat"] | null;
            /**
             * Seconds Left
             * @description null where it is not known, and of a task that is overdue
             */
            seconds_left?: number | null;
            /** Started At */
            started_at?: string | null;
            state: components["schemas"]["TaskState"];
            /**
             * Stopping
             * @description a stop was requested and is not done yet
             * @default false
             */
            stopping?: boolean;
            /**
             * Trial
             * @description number of the configuration, from 1 on; several tasks may have the same
             */
            trial: number;
            /**
             * Values
             * @description the best value of each of several objectives
             */
            values?: (number | null)[];
            /** @description why it waits, as its job does; events do not contain it */
            waits?: components["schemas"]["Waits"] | null;
            /** Warnings */
            warnings?: string[];
        };
        /**
         * TaskColumns
         * @description Columns of many tasks of one job, in the same order. A column of one value has it for all of them.
         */
        TaskColumns: {
            /**
             * Columns
             * @description a parameter that a task does not have is null
             */
            columns: {
                [key: string]: components["schemas"]["JsonValue"][];
            };
            /** Job */
            job: string;
            /**
             * Total
             * @description number of tasks, and of values in each other column
             */
            total: number;
        };
        /** TaskCounts */
        TaskCounts: {
            /**
             * Error
             * @default 0
             */
            error?: number;
            /**
             * Finished
             * @default 0
             */
            finished?: number;
            /**
             * Pruned
             * @default 0
             */
            pruned?: number;
            /**
             * Running
             * @default 0
             */
            running?: number;
            /**
             * Stopped
             * @default 0
             */
            stopped?: number;
            /**
             * Submitted
             * @default 0
             */
            submitted?: number;
        };
        /** TaskDetail */
        TaskDetail: {
            /** @description where the task runs or ran; while it waits, the next allocation of its job */
            allocation?: components["schemas"]["Allocation"] | null;
            /** Attempt */
            attempt: number;
            /** Attempts */
            attempts: components["schemas"]["Attempt"][];
            /** Best At */
            best_at?: string | null;
            /** Best Epoch */
            best_epoch?: number | null;
            /** Best Value */
            best_value?: number | null;
            cause?: components["schemas"]["Cause"] | null;
            /** Command */
            command: string[];
            /** Cpu Seconds */
            cpu_seconds?: number | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Device */
            device?: string | null;
            /** Ended At */
            ended_at?: string | null;
            /**
             * Epoch
             * @description the last reported epoch (or step), as the script counts
             */
            epoch?: number | null;
            /**
             * Epochs
             * @description number of epochs that it trains, where that is known
             */
            epochs?: number | null;
            /**
             * Epochs Done
             * @description how many of `epochs` are done, whether the script counts from 0 or from 1
             */
            epochs_done?: number | null;
            /** Exit Code */
            exit_code?: number | null;
            /** @description of a task that waits or runs; null where it is not known; events do not contain it */
            expected_end?: components["schemas"]["Expected"] | null;
            /** @description of a task that waits; null where it is not known */
            expected_start?: components["schemas"]["Expected"] | null;
            /** Folder */
            folder: string;
            /** Id */
            id: string;
            /** Job */
            job: string;
            /** Last Value */
            last_value?: number | null;
            /** Log Bytes */
            log_bytes: number;
            /**
             * Measured
             * @description values of metrics that were requested, such as `last.val_loss`
             */
            measured?: {
                [key: string]: number | null;
            };
            /** Metrics */
            metrics: string[];
            /**
             * No Word Since
             * @description the task runs, but its runner has reported nothing since then: its node may be down
             */
            no_word_since?: string | null;
            /** Node */
            node?: string | null;
            /**
             * Note
             * @description what people write about it, in Markdown
             * @default
             */
            note?: string;
            /**
             * Noted
             * @description people have written a note about it
             * @default false
             */
            noted?: boolean;
            /** Number */
            number: number;
            /** Owner */
            owner: string;
            /** Params */
            params: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * Peak Gpu Memory
             * @description bytes on all GPUs of the task
             */
            peak_gpu_memory?: number | null;
            /**
             * Peak Memory
             * @description bytes
             */
            peak_memory?: number | null;
            /** Progress */
            progress?: number | null;
            /**
             * Quiet After
             * @description after this time, and without a further report, show that nothing is reported
             */
            quiet_after?: string | null;
            /** Reason */
            reason?: string | null;
            /**
             * Reduces
             * @description the task runs the job's `reduce` after all others, and has no parameters
             * @default false
             */
            reduces?: boolean;
            /**
             * Reported At
             * @description of a running task: when it last reported a metric, or its start if it has reported none
             */
            reported_at?: string | null;
            /**
             * Resize By
             * @description who asked for that; `the policy`: the server itself
             */
            resize_by?: string | null;
            /**
             * Resize Why
             * @description why the policy did
             */
            resize_why?: string | null;
            /** @description its share of the allocation, if several tasks run in one allocation */
            seat?: components["schemas"]["Seat"] | null;
            /**
             * Seconds Left
             * @description null where it is not known, and of a task that is overdue
             */
            seconds_left?: number | null;
            /**
             * Size Wanted
             * @description GPUs that it is being resized to; null: no resize is under way
             */
            size_wanted?: number | null;
            /**
             * Size Why
             * @description why it has the number of GPUs that it has, where that can change
             */
            size_why?: string | null;
            /**
             * Sized By
             * @description the person who chose its number of GPUs, which the policy leaves alone then
             */
            sized_by?: string | null;
            /** Started At */
            started_at?: string | null;
            state: components["schemas"]["TaskState"];
            /**
             * Stopping
             * @description a stop was requested and is not done yet
             * @default false
             */
            stopping?: boolean;
            /**
             * Trial
             * @description number of the configuration, from 1 on; several tasks may have the same
             */
            trial: number;
            /**
             * Values
             * @description the best value of each of several objectives
             */
            values?: (number | null)[];
            /** @description why it waits, as its job does; events do not contain it */
            waits?: components["schemas"]["Waits"] | null;
            /** Warnings */
            warnings?: string[];
        };
        /** TaskPage */
        TaskPage: {
            /** Items */
            items: components["schemas"]["Task"][];
            /** Offset */
            offset: number;
            /** Total */
            total: number;
        };
        /** TaskPatch */
        TaskPatch: {
            /**
             * Note
             * @description Markdown; empty: no note
             */
            note?: string | null;
        };
        /**
         * TaskState
         * @description The state of a task, which is that of its current attempt.
         * @enum {string}
         */
        TaskState: "submitted" | "running" | "finished" | "error" | "stopped" | "pruned";
        /** TasksEvent */
        TasksEvent: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Data */
            data: components["schemas"]["TasksRequested"] | components["schemas"]["TasksUpdate"];
            /**
             * Id
             * @description the position of the event in the stream
             */
            id: number;
            /** Job */
            job: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "tasks";
        };
        /**
         * TasksRequested
         * @description A person stopped, restarted or resized tasks, or wrote a note.
         */
        TasksRequested: {
            /**
             * Change
             * @enum {string}
             */
            change: "stopping" | "restarted" | "noted" | "resizing";
            /**
             * Ids
             * @description the tasks concerned
             */
            ids: string[];
        };
        /**
         * TasksUpdate
         * @description What runners reported about the tasks of one job.
         */
        TasksUpdate: {
            /**
             * Live
             * @description task -> what changed in it, its state apart
             */
            live: {
                [key: string]: components["schemas"]["LiveFields"];
            };
            /**
             * More
             * @description too many new points to send: fetch the job's curves again
             */
            more?: true | null;
            /**
             * Points
             * @description task -> metric -> new points, as step and value; a value that is not a number is null
             */
            points?: {
                [key: string]: {
                    [key: string]: [
                        number,
                        number | null
                    ][];
                };
            } | null;
            /**
             * Reset
             * @description task -> metrics whose curves must be fetched again
             */
            reset?: {
                [key: string]: string[];
            } | null;
            /**
             * Tasks
             * @description tasks whose state changed
             */
            tasks: components["schemas"]["Task"][];
        };
        /**
         * TeamCheck
         * @description One thing that team mode needs.
         */
        TeamCheck: {
            /**
             * Detail
             * @default
             */
            detail?: string;
            /** Name */
            name: string;
            /** Ok */
            ok: boolean;
            /**
             * Run
             * @description the command line that mends it
             */
            run?: string | null;
        };
        /** TeamRequest */
        TeamRequest: {
            /** On */
            on: boolean;
        };
        /**
         * TeamState
         * @description Whether accounts are in use, and how to begin.
         */
        TeamState: {
            /**
             * Accounts
             * @default 0
             */
            accounts?: number;
            /**
             * Backup
             * @description where the database was copied to before the team was turned on
             */
            backup?: string | null;
            /**
             * Checks
             * @description what the team needs of the machine: answered by POST team/check
             * @default []
             */
            checks?: components["schemas"]["TeamCheck"][];
            /**
             * Join
             * @description who may join: listed (only who is invited or in `join_groups`) or open
             * @default listed
             */
            join?: string;
            /**
             * Join Groups
             * @description members of these groups of a directory may join
             * @default []
             */
            join_groups?: string[];
            /** On */
            on: boolean;
            /**
             * Run As
             * @description server: all tasks run as the server's user; user: as who asked for them
             * @default server
             */
            run_as?: string;
            /**
             * Setup
             * @description the one-time link of the first admin, given when the team begins
             */
            setup?: string | null;
        };
        /**
         * Tile
         * @description A part of a page that a person has put there.
         */
        Tile: {
            /** Backend */
            backend?: string | null;
            /**
             * Device
             * @description id of a GPU; null: the node, or all its GPUs
             */
            device?: string | null;
            /**
             * H
             * @description height in rows
             */
            h: number;
            /**
             * Kind
             * @description what it shows
             */
            kind: string;
            /**
             * Node
             * @description null: all nodes
             */
            node?: string | null;
            /**
             * W
             * @description width in columns
             */
            w: number;
            /**
             * X
             * @description columns from the left
             */
            x: number;
            /**
             * Y
             * @description rows from the top
             */
            y: number;
        };
        /** TimeStretch */
        TimeStretch: {
            /**
             * Ends At
             * Format: date-time
             */
            ends_at: string;
            /**
             * Starts At
             * Format: date-time
             */
            starts_at: string;
        };
        /** TokenRequest */
        TokenRequest: {
            /**
             * Days
             * @description null: for ever, where that is allowed
             * @default 90
             */
            days?: number | null;
            /** Name */
            name: string;
            /** @default all */
            scope?: components["schemas"]["TokenScope"];
        };
        /**
         * TokenScope
         * @description What a token is good for: everything its account may do, reading only, or only the calendar's address.
         * @enum {string}
         */
        TokenScope: "all" | "read" | "feed";
        /**
         * TrialReport
         * @description A configuration and its results.
         */
        TrialReport: {
            /**
             * Best
             * @description the best value of the first objective up to this trial
             */
            best?: number | null;
            /**
             * Count
             * @description number of tasks that the values come from
             * @default 0
             */
            count?: number;
            /** Ended At */
            ended_at?: string | null;
            /**
             * Front
             * @description no other trial is better in all objectives
             * @default false
             */
            front?: boolean;
            /** Params */
            params: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /**
             * Spread
             * @description standard deviation over its tasks
             */
            spread?: (number | null)[];
            /** @description running or submitted until all its tasks have ended; then their best state */
            state: components["schemas"]["TaskState"];
            /** Tasks */
            tasks: string[];
            /** Trial */
            trial: number;
            /**
             * Values
             * @description one value per objective; the mean over its tasks
             */
            values: (number | null)[];
        };
        /**
         * Triple
         * @description Nodes, tasks at a time per node, threads per task. Text form: `2,8,4`.
         */
        Triple: {
            /** Nodes */
            nodes: number;
            /** Tasks */
            tasks: number;
            /** Threads */
            threads: number;
        };
        /** TryRequest */
        TryRequest: {
            /**
             * To
             * @description `mail`, or the id of an address
             */
            to: string;
        };
        /** TryResult */
        TryResult: {
            /** Problem */
            problem?: string | null;
            /** Sent */
            sent: boolean;
        };
        /** UsageReport */
        UsageReport: {
            /**
             * By
             * @enum {string}
             */
            by: "account" | "group" | "device" | "week";
            /**
             * Mine Only
             * @description the caller sees only their own
             * @default false
             */
            mine_only?: boolean;
            /** Rows */
            rows: components["schemas"]["UsageRow"][];
            /**
             * Since
             * Format: date-time
             */
            since: string;
            /**
             * Until
             * Format: date-time
             */
            until: string;
        };
        /**
         * UsageRow
         * @description GPU-hours of one account, group, device or week.
         */
        UsageRow: {
            /**
             * Efficiency
             * @description share of the reserved time that was measured in which it was used; null: none was
             */
            efficiency?: number | null;
            /**
             * Idle
             * @description GPU-hours reserved in which nothing ran
             */
            idle: number;
            /** Key */
            key: string;
            /** Name */
            name: string;
            /**
             * Reserved
             * @description GPU-hours that were reserved
             */
            reserved: number;
            /**
             * Used
             * @description GPU-hours in which something ran there, reserved or not
             */
            used: number;
        };
        /** UserLoad */
        UserLoad: {
            /**
             * Cores
             * @description busy cores, as measured
             * @default 0
             */
            cores?: number;
            /**
             * Gpu Memory
             * @description bytes
             * @default 0
             */
            gpu_memory?: number;
            /**
             * Gpus
             * @description number of GPUs that the tasks are on
             * @default 0
             */
            gpus?: number;
            /**
             * Memory
             * @description bytes
             * @default 0
             */
            memory?: number;
            /**
             * Tasks
             * @default 0
             */
            tasks?: number;
            /** User */
            user: string;
        };
        /**
         * ValuePlace
         * @description Where a value stands in a file of the snapshot: a task gets a copy of that file with its own value.
         */
        ValuePlace: {
            /**
             * End
             * @description first byte after it
             */
            end: number;
            /** File */
            file: string;
            /**
             * Lines
             * @description line ends inside it, which stay so that later lines keep their numbers
             * @default 0
             */
            lines?: number;
            /**
             * Start
             * @description first byte
             */
            start: number;
        };
        /** Version */
        Version: {
            /**
             * Api
             * @default v1
             */
            api?: string;
            /** Version */
            version: string;
        };
        /** Violation */
        Violation: {
            /**
             * Account
             * @description whose Unix account that is
             */
            account?: string | null;
            /** Command */
            command?: string | null;
            /** Device */
            device: string;
            /**
             * Device Name
             * @description what people call it: gpu1:0
             * @default
             */
            device_name?: string;
            /**
             * End By
             * @description who wants it to be ended now
             */
            end_by?: string | null;
            /** Ended At */
            ended_at?: string | null;
            /**
             * First Seen
             * Format: date-time
             */
            first_seen: string;
            /** Host */
            host: string;
            /** Id */
            id: number;
            /**
             * Kind
             * @description reserved by somebody else; reserved by nobody (strict); against a rule
             * @enum {string}
             */
            kind: "reserved" | "unreserved" | "rule";
            /**
             * Last Seen
             * Format: date-time
             */
            last_seen: string;
            /**
             * Outcome
             * @description it left by itself, was ended, was exempted, or the reservation is over; null: it goes on
             */
            outcome?: ("left" | "ended" | "exempt" | "over") | null;
            /**
             * Owner
             * @description of the reservation
             */
            owner?: string | null;
            /** Pid */
            pid: number;
            /** Reservation */
            reservation?: string | null;
            /** Steps */
            steps?: components["schemas"]["ViolationStep"][];
            /**
             * Unix Name
             * @description the owner of the process; null: unknown, and never ended
             */
            unix_name?: string | null;
        };
        /**
         * ViolationExemption
         * @description From now until then, this is no violation.
         */
        ViolationExemption: {
            /**
             * Everywhere
             * @description everything of the same person, not only on this device
             * @default false
             */
            everywhere?: boolean;
            /**
             * Until
             * Format: date-time
             */
            until: string;
            /**
             * Why
             * @default
             */
            why?: string;
        };
        /** ViolationPage */
        ViolationPage: {
            /** Items */
            items: components["schemas"]["Violation"][];
            /**
             * More
             * @default false
             */
            more?: boolean;
            /**
             * Open
             * @description number of all that go on
             */
            open: number;
        };
        /**
         * ViolationStep
         * @description One thing that was done about a violation, or was tried.
         */
        ViolationStep: {
            /**
             * Act
             * @enum {string}
             */
            act: "terminal" | "page" | "mail" | "admins" | "hook" | "term" | "kill";
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Detail
             * @default
             */
            detail?: string;
            /** Ok */
            ok: boolean;
        };
        /**
         * Visibility
         * @description Who sees a job: everybody in the team, or only its owner (and admins).
         * @enum {string}
         */
        Visibility: "team" | "private";
        /**
         * Waits
         * @description Why the allocations of a job wait, and when the first should start.
         */
        Waits: {
            /**
             * Never
             * @description it will not start by itself
             * @default false
             */
            never?: boolean;
            /** Reason */
            reason: string;
            /**
             * Seen At
             * @description when the backend last reported this
             */
            seen_at?: string | null;
            /**
             * Starts At
             * @description when the backend expects the first of them to start
             */
            starts_at?: string | null;
        };
        /**
         * WantedSlot
         * @description A notice is sent when these devices become free.
         */
        WantedSlot: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Devices */
            devices: string[];
            /**
             * Ends At
             * Format: date-time
             */
            ends_at: string;
            /**
             * Gpus
             * @description that many of these devices on one host; null: all of them
             */
            gpus?: number | null;
            /** Id */
            id: number;
            /** Owner */
            owner: string;
            /**
             * Starts At
             * Format: date-time
             */
            starts_at: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_accounts_api_v1_accounts_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    add_account_api_v1_accounts_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    change_account_api_v1_accounts__name__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_audit_api_v1_audit_get: {
        parameters: {
            query?: {
                /** @description only what this account did */
                who?: string | null;
                /** @description only this, such as session.failed or session */
                act?: string | null;
                /** @description only what was done to this */
                object?: string | null;
                /** @description only entries with smaller ids */
                before?: number | null;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_backends_api_v1_backends_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackendInfo"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    calendar_feed_api_v1_calendar_ics_get: {
        parameters: {
            query?: {
                /** @description those of the members of a group */
                group?: string | null;
                /** @description those of the devices of a host */
                host?: string | null;
                /** @description one with the scope `feed` or `read` */
                token?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_devices_api_v1_devices_get: {
        parameters: {
            query?: {
                /** @description also those that are gone */
                retired?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservableDevice"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_environments_api_v1_environments_get: {
        parameters: {
            query?: {
                /** @description a folder: those in it and above it come first */
                near?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundEnvironment"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    follow_events_api_v1_events_get: {
        parameters: {
            query?: {
                /** @description only events of this job */
                job?: string | null;
                /** @description the id of the last event that the client has, if it cannot send the header */
                last?: number | null;
            };
            header?: {
                /** @description the id of the last event that the client has */
                "last-event-id"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": (components["schemas"]["JobEvent"] | components["schemas"]["TasksEvent"] | components["schemas"]["RemovedEvent"] | components["schemas"]["NoticeEvent"] | components["schemas"]["CalendarEvent"]) | components["schemas"]["StreamPosition"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_exemptions_api_v1_exemptions_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exemption"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    add_exemption_api_v1_exemptions_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExemptionRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exemption"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    remove_exemption_api_v1_exemptions__id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_groups_api_v1_groups_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountGroup"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    add_group_api_v1_groups_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountGroup"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    remove_group_api_v1_groups__name__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    change_group_api_v1_groups__name__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountGroup"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    health_api_v1_health_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_hosts_api_v1_hosts_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostInfo"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    add_hosts_api_v1_hosts_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HostRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostInfo"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    scan_keys_api_v1_hosts_keys_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HostRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostKey"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    forget_host_api_v1_hosts__name__delete: {
        parameters: {
            query?: {
                /** @description the backend; needed if several have this host */
                backend?: string | null;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    lose_host_api_v1_hosts__name__lost_post: {
        parameters: {
            query?: {
                /** @description the backend; needed if several have this host */
                backend?: string | null;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostInfo"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_invites_api_v1_invites_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    make_invite_api_v1_invites_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    withdraw_invite_api_v1_invites__id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_jobs_api_v1_jobs_get: {
        parameters: {
            query?: {
                /** @description a part of the name, the description or the id */
                q?: string | null;
                /** @description only jobs that have a task in this state */
                state?: components["schemas"]["TaskState"] | null;
                tag?: string | null;
                owner?: string | null;
                /** @description only the caller's own jobs */
                mine?: boolean;
                sort?: "created" | "-created" | "name" | "-name" | "owner" | "-owner";
                offset?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    submit_job_api_v1_jobs_post: {
        parameters: {
            query?: {
                /** @description accept the job even if its environment lacks modules that its program imports */
                force?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Submission"];
                "multipart/form-data": {
                    /** @description a CodeInfo as JSON */
                    code?: string;
                    /** @description the file names are paths relative to the job's folder */
                    files?: string[];
                    /** @description a JobSpec as JSON */
                    spec: string;
                };
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    act_on_jobs_api_v1_jobs_bulk_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkResult"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    job_facets_api_v1_jobs_facets_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Facets"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    preflight_job_api_v1_jobs_preflight_post: {
        parameters: {
            query?: {
                /** @description run the set-up lines of the job, if it has some */
                setup?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Submission"];
                "multipart/form-data": {
                    /** @description a CodeInfo as JSON */
                    code?: string;
                    /** @description the file names are paths relative to the job's folder */
                    files?: string[];
                    /** @description a JobSpec as JSON */
                    spec: string;
                };
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preflight"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    preview_job_api_v1_jobs_preview_post: {
        parameters: {
            query?: {
                /** @description also ask the backend whether it would accept the job, and when it would start; and look for modules and files that are missing */
                check?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Submission"];
                "multipart/form-data": {
                    /** @description a CodeInfo as JSON */
                    code?: string;
                    /** @description the file names are paths relative to the job's folder */
                    files?: string[];
                    /** @description a JobSpec as JSON */
                    spec: string;
                };
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    preview_files_api_v1_jobs_preview_files_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FolderNames"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeftOut"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_job_api_v1_jobs__job__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    remove_job_api_v1_jobs__job__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    edit_job_api_v1_jobs__job__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_code_api_v1_jobs__job__code_get: {
        parameters: {
            query?: {
                limit?: number;
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilePage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    download_code_api_v1_jobs__job__code_download_get: {
        parameters: {
            query?: {
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the file; a folder as a tar.gz file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    preview_code_api_v1_jobs__job__code_preview_get: {
        parameters: {
            query?: {
                /** @description the first byte; a negative number counts from the end */
                offset?: number;
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilePreview"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    diff_jobs_api_v1_jobs__job__diff__other__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
                /** @description the id of a job, or the beginning of its id */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDiff"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    export_job_api_v1_jobs__job__export_get: {
        parameters: {
            query?: {
                format?: "csv" | "jsonl" | "optuna";
                what?: "tasks" | "curves";
            };
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the table, or the study */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": unknown;
                    "application/vnd.sqlite3": unknown;
                    "text/csv": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    extend_job_api_v1_jobs__job__extend_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExtendRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    job_files_api_v1_jobs__job__files_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    job_gpus_api_v1_jobs__job__gpus_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobGpus"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    hold_job_api_v1_jobs__job__hold_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    limit_job_api_v1_jobs__job__limits_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LimitsRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    mark_metric_api_v1_jobs__job__metric_patterns_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Marked"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    job_curves_api_v1_jobs__job__metrics_get: {
        parameters: {
            query?: {
                /** @description without one: the objective */
                metric?: string[] | null;
                /** @description return up to this many points per curve */
                points?: number | null;
                /** @description words that a task must contain, and comparisons such as `lr<0.01`: of a parameter, or of a column */
                q?: string;
                /** @description only tasks in one of these states */
                state?: components["schemas"]["TaskState"][] | null;
                /** @description only tasks of these numbers, such as `1-3,7` */
                numbers?: string | null;
                offset?: number;
                /** @description the curves of up to this many tasks */
                limit?: number;
                /** @description of more tasks than `limit`, half are the best and the others spread evenly by value */
                sample?: boolean;
                /** @description as a graph needs them: without times, values with six significant digits */
                slim?: boolean;
                /** @description with times, where curves are slim */
                times?: boolean;
            };
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Curve"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    job_metric_names_api_v1_jobs__job__metrics_names_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_objective_api_v1_jobs__job__objective_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObjectiveReport"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    change_objective_api_v1_jobs__job__objective_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ObjectiveRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    job_parts_api_v1_jobs__job__parts_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MapPart"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    release_job_api_v1_jobs__job__release_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    resize_job_api_v1_jobs__job__resize_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResizeRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    restart_job_api_v1_jobs__job__restart_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RestartRequest"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_search_api_v1_jobs__job__search_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchReport"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    stop_job_api_v1_jobs__job__stop_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StopRequest"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_tasks_api_v1_jobs__job__tasks_get: {
        parameters: {
            query?: {
                /** @description words that a task must contain, and comparisons such as `lr<0.01`: of a parameter, or of a column */
                q?: string;
                /** @description only tasks in one of these states */
                state?: components["schemas"]["TaskState"][] | null;
                /** @description only tasks of these numbers, such as `1-3,7` */
                numbers?: string | null;
                /** @description a column, `param.NAME`, `objective.N`, or `last.METRIC`, `best.METRIC`, `min.METRIC`, `max.METRIC`; after a minus, the largest first. Columns: number, trial, state, attempt, reduces, best, at, last, epoch, progress, started, ended, duration, node, cause, reason, mean, spread */
                sort?: string;
                offset?: number;
                limit?: number;
                /** @description columns such as `last.METRIC`, returned in `measured` */
                value?: string[];
                /** @description leave out fields that are null, false or empty */
                slim?: boolean;
            };
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    task_columns_api_v1_jobs__job__tasks_columns_get: {
        parameters: {
            query?: {
                /** @description columns as for `sort`; `params`: all parameters */
                column?: string[];
                /** @description words that a task must contain, and comparisons such as `lr<0.01`: of a parameter, or of a column */
                q?: string;
                /** @description only tasks in one of these states */
                state?: components["schemas"]["TaskState"][] | null;
                /** @description only tasks of these numbers, such as `1-3,7` */
                numbers?: string | null;
                /** @description a column, `param.NAME`, `objective.N`, or `last.METRIC`, `best.METRIC`, `min.METRIC`, `max.METRIC`; after a minus, the largest first. Columns: number, trial, state, attempt, reduces, best, at, last, epoch, progress, started, ended, duration, node, cause, reason, mean, spread */
                sort?: string;
            };
            header?: never;
            path: {
                /** @description the id of a job, or the beginning of its id */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskColumns"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    load_api_v1_load_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoadReport"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    load_history_api_v1_load_history_get: {
        parameters: {
            query?: {
                /** @description only this node */
                node?: string | null;
                /** @description only nodes of this backend */
                backend?: string | null;
                /** @description how far back */
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoadSeries"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_me_api_v1_me_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    change_me_api_v1_me_patch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MePatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_layout_api_v1_me_layouts__page__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the page, such as `hosts` */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageLayout"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    save_layout_api_v1_me_layouts__page__put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the page, such as `hosts` */
                page: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PageLayout"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageLayout"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_notices_api_v1_me_notices_get: {
        parameters: {
            query?: {
                /** @description only those before this id */
                before?: number | null;
                limit?: number;
                /** @description only those that are not read */
                new?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticePage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_choices_api_v1_me_notices_choices_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeChoices"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    choose_notices_api_v1_me_notices_choices_put: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChoicesRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeChoices"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    read_notices_api_v1_me_notices_read_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoticesRead"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticePage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    try_notices_api_v1_me_notices_try_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TryRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryResult"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    change_password_api_v1_me_password_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    my_quota_api_v1_me_quota_get: {
        parameters: {
            query?: {
                /** @description a moment of the week that counts */
                at?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuotaUse"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_sessions_api_v1_me_sessions_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    end_session_api_v1_me_sessions__id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_tokens_api_v1_me_tokens_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalToken"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    make_token_api_v1_me_tokens_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalToken"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    revoke_token_api_v1_me_tokens__id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    scrape_api_v1_metrics_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_nodes_api_v1_nodes_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    overview_api_v1_overview_get: {
        parameters: {
            query?: {
                /** @description the last of which is this one */
                weeks?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    plan_jobs_api_v1_plan_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobsPlan"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_profiles_api_v1_profiles_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: components["schemas"]["Resources"];
                    };
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    prune_api_v1_prune_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PruneRequest"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PruneReport"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_queue_api_v1_queue_get: {
        parameters: {
            query?: {
                /** @description number of waiting tasks to list of each job */
                tasks?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuePage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_quotas_api_v1_quotas_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    set_quota_api_v1_quotas_put: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    remove_quota_api_v1_quotas__id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_reservations_api_v1_reservations_get: {
        parameters: {
            query?: {
                /** @description now when not given */
                since?: string | null;
                /** @description all that are to come when not given */
                until?: string | null;
                /** @description only those that you have or are a guest of */
                mine?: boolean;
                /** @description only those of a series */
                series?: string | null;
                /** @description also those that were cancelled */
                cancelled?: boolean;
                /** @description not more than the first ones */
                limit?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservationPage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    make_reservation_api_v1_reservations_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReservationRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookingResult"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    first_free_api_v1_reservations_free_get: {
        parameters: {
            query?: {
                gpus?: number;
                /** @description how long: 4h, or seconds */
                seconds?: number | string;
                /** @description a part of the name of the model */
                model?: string | null;
                host?: string | null;
                backend?: string | null;
                /** @description not before this; now when not given */
                after?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FreeSlot"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_wanted_api_v1_reservations_wanted_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WantedSlot"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    forget_wanted_api_v1_reservations_wanted__id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_reservation_api_v1_reservations__id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a reservation, or the beginning of it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    change_reservation_api_v1_reservations__id__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a reservation, or the beginning of it */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReservationPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    cancel_reservation_api_v1_reservations__id__cancel_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a reservation, or the beginning of it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelRequest"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    release_reservation_api_v1_reservations__id__release_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a reservation, or the beginning of it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_use_api_v1_reservations__id__use_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservationUse"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_rules_api_v1_rules_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRule"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    add_rule_api_v1_rules_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessRuleRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRule"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    allowed_hours_api_v1_rules_hours_get: {
        parameters: {
            query?: {
                /** @description all when not given */
                device?: string[] | null;
                /** @description now when not given */
                since?: string | null;
                /** @description a week later when not given */
                until?: string | null;
                act?: "reserve" | "run";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllowedHours"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    try_rules_api_v1_rules_try_get: {
        parameters: {
            query: {
                device: string;
                act?: "reserve" | "run";
                /** @description now when not given */
                at?: string | null;
                /** @description everybody (for admins) when not given */
                account?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTrial"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    change_rule_api_v1_rules__id__put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessRuleRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRule"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    remove_rule_api_v1_rules__id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_samples_api_v1_samples_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sample"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    inspect_script_api_v1_scripts_inspect_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InspectRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptReport"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    sign_in_browser_api_v1_session_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    sign_out_browser_api_v1_session_delete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    sign_in_methods_api_v1_session_methods_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    begin_oidc_api_v1_session_oidc__provider__begin_get: {
        parameters: {
            query?: {
                /** @description where to go on this server after that */
                next?: string;
                /** @description the code of an invitation */
                code?: string | null;
            };
            header?: never;
            path: {
                /** @description the name of a provider in the settings */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    finish_oidc_api_v1_session_oidc__provider__callback_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name of a provider in the settings */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    set_up_account_api_v1_setup_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    open_setup_api_v1_setup_open_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupInfo"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_task_api_v1_tasks__task__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    edit_task_api_v1_tasks__task__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDetail"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    where_to_attach_api_v1_tasks__task__attach_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachPoint"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_attempts_api_v1_tasks__task__attempts_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attempt"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_files_api_v1_tasks__task__files_get: {
        parameters: {
            query?: {
                offset?: number;
                limit?: number;
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilePage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    download_file_api_v1_tasks__task__files_download_get: {
        parameters: {
            query?: {
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the file; a folder as a tar.gz file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_image_api_v1_tasks__task__files_image_get: {
        parameters: {
            query?: {
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/*": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_images_api_v1_tasks__task__files_images_get: {
        parameters: {
            query?: {
                limit?: number;
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageList"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    preview_file_api_v1_tasks__task__files_preview_get: {
        parameters: {
            query?: {
                /** @description the first byte; a negative number counts from the end */
                offset?: number;
                /** @description relative to the folder; without it: the folder itself */
                path?: string;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilePreview"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    read_log_api_v1_tasks__task__log_get: {
        parameters: {
            query?: {
                /** @description without it: the current attempt */
                attempt?: number | null;
                /** @description the first byte; a negative number counts from the end */
                offset?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    follow_log_api_v1_tasks__task__log_follow_get: {
        parameters: {
            query?: {
                /** @description without it: the current attempt */
                attempt?: number | null;
                /** @description the first byte; a negative number counts from the end */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    task_curves_api_v1_tasks__task__metrics_get: {
        parameters: {
            query?: {
                /** @description without one: all */
                metric?: string[] | null;
                /** @description return up to this many points per curve */
                points?: number | null;
                /** @description without it: the curve of the task over all attempts that were resumed */
                attempt?: number | null;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Curve"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    resize_task_api_v1_tasks__task__resize_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResizeRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    restart_task_api_v1_tasks__task__restart_post: {
        parameters: {
            query?: {
                /** @description keep the checkpoint, so that the script can go on from it */
                resume?: boolean;
            };
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    stop_task_api_v1_tasks__task__stop_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a task; its job part may be shortened */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changed"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    show_team_api_v1_team_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamState"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    switch_team_api_v1_team_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamState"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    check_team_api_v1_team_check_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamState"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    report_usage_api_v1_usage_get: {
        parameters: {
            query?: {
                by?: "account" | "group" | "device" | "week";
                /** @description from this time on; 30 days ago when not given */
                since?: string | null;
                /** @description until this time; now when not given */
                until?: string | null;
                /** @description only the caller's own */
                mine?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    export_usage_api_v1_usage_csv_get: {
        parameters: {
            query?: {
                by?: "account" | "group" | "device" | "week";
                /** @description from this time on; 30 days ago when not given */
                since?: string | null;
                /** @description until this time; now when not given */
                until?: string | null;
                /** @description only the caller's own */
                mine?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_use_api_v1_usage_reservations_get: {
        parameters: {
            query?: {
                /** @description from this time on; 30 days ago when not given */
                since?: string | null;
                /** @description until this time; now when not given */
                until?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservationUse"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    version_api_v1_version_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_views_api_v1_views_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    save_view_api_v1_views_put: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedView"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"][];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    delete_view_api_v1_views__name__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    list_violations_api_v1_violations_get: {
        parameters: {
            query?: {
                /** @description only those that go on */
                open?: boolean;
                /** @description only yours, and those on your reservations */
                mine?: boolean;
                /** @description only those that are over, with smaller ids */
                before?: number | null;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViolationPage"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    ask_intruder_api_v1_violations__id__ask_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Violation"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    end_intruder_api_v1_violations__id__end_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Violation"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
    exempt_violation_api_v1_violations__id__exempt_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ViolationExemption"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exemption"];
                };
            };
            /** @description The request is not well-formed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description No valid token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The account may not do this; or a browser sent it, but not from a page of this server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description It does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Not possible in the present state, or an ambiguous id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The request cannot be carried out as it stands */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description Too many tries (`Retry-After`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
            /** @description The server cannot do this now: try again later (`Retry-After`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorReply"];
                };
            };
        };
    };
}
