"""What learns from rows, and what a linear model says of them.

- `fits` fits a method that learns: on a sample of rows, or by `components` on sums of all rows.
- `learn` learns a linear model. `target` reads its labels, `row_sums` takes sums of projected rows where they are,
  `ridge` solves them, and `folds` scores the models by cross-validation. `losses` goes through the rows more than once
  for other losses than squares, `thresholds` finds a threshold and a temperature, and `student` gives probabilities of
  t values.
- `score_query` computes a model's decisions in SQL: of one that was learned here, or of scikit-learn's (`linear`).
"""
