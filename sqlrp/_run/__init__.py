"""The steps from a projection to rows: bind, plan and run, in a database, in memory or lazily.

`api` has the calls, and follows the steps in order:

1. `preparing` replaces a `Standardized` source by its statistics.
2. `bind` matches a source, or the tables of a join, with the columns that the engine reports.
3. `sqlrp._lowering.planner` plans the job.
4. `running` runs the plan. `streaming` does so for the native lowering, which evaluates batches in this process.
5. `nulls` names the rows that became NULL.

The folder `frames` takes dataframes, lazy frames and frames in parts instead, which have no connection.

The other calls begin with a job of `api`: `hashing`, `vectors`, `exporting` (with `views` and `functions`) and `back`.
`sampling` draws rows for `back`, for `sqlrp._learning` and for `sqlrp._quality`. `connecting` opens a database by URL,
and `files_read` names the files that a call must not write over.
"""
