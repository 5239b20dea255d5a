"""Frames in place of tables. They need no connection.

`project` chooses by the kind of the frame. `dataframes` reads what a dataframe holds, and `memory` projects its rows at
once by the evaluator; `matrix` does so for arrays of numpy. `lazy` has frames whose rows are not computed yet, and
`parts` those of them that have parts, Dask's and Daft's. `sparse` has dataframes of one cell per row.
"""
