"""The steps from a projection to rows: bind, plan and run, in a database, in memory or lazily.

`api` has the calls, and follows the steps in order:

1. `preparing` replaces a `Standardized` source by its statistics.
2. `bind` matches a source, or the tables of a join, with the columns that the engine reports.
3. `sqlrp.lowering.planner` plans the job.
4. `running` runs the plan. `streaming` does so for the native lowering, which evaluates batches in this process.
5. `nulls` names the rows that became NULL.

`frames` takes dataframes (`memory`) and lazy frames (`lazy`) instead, which have no connection.

The other calls begin with a job of `api`: `hashing`, `exporting` (with `views` and `functions`), `scoring` and `back`.
`fitting` draws rows by `sampling`. `learning` takes sums by `summing`, and solves them by `ridge`, `folds` and
`passing`.
"""
