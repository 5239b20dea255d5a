"""Frames in place of tables. They need no connection.

`project` chooses by the kind of the frame: `memory` has dataframes, which the evaluator projects at once. `lazy` has
frames whose rows are not computed yet, and `parts` those of them that have parts, Dask's and Daft's. `sparse` has
dataframes of one cell per row.
"""
