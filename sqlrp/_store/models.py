"""Models of `sqlrp.learn` and `kmeans` that are saved in the catalogue of a database."""

from __future__ import annotations

from typing import Any

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import ParameterError, SourceError, nearest, shorten
from sqlrp._learning.written_models import Model, model_from_json
from sqlrp._store import stored
from sqlrp._store.catalogue import check_name, keeper, readable, warn_of
from sqlrp._store.table import CATALOGUE, Catalogue, Row, writing

KIND = "model"
"""The kind of the rows of the catalogue that have models."""


@foreseen
def save_model(model: Model, connection: Any, name: str, *, replace: bool = False) -> None:
    """Save a model of `sqlrp.learn` or `kmeans` in the database under a name, for `load_model`.

    Models and projections have names of their own. Another model of that name is only replaced if `replace` is True.
    A linear model is saved with its sums, which grow with k² and the number of folds or groups: some 5 MB for k = 1,000
    without them. If a transaction is open on the connection, the call is part of it, and the caller commits.

    Raises ParameterError for a value that is not such a model, an empty name, or a name that another model has.

        >>> model = sqlrp.learn(rp, "points", con)
        >>> sqlrp.save_model(model, con, "labels")
        >>> sqlrp.load_model(con, "labels").coef_.shape
        (1, 2)
    """
    if not isinstance(model, Model):
        raise ParameterError(
            f"model {shorten(model)} is not a model of sqlrp.learn or kmeans: save its projection with sqlrp.save"
        )
    check_name(name)
    connector, text = keeper(connection), model.to_json()
    with connector.alone(connection), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        there = catalogue.find(KIND, name, connector.dialect.for_update)
        if there is not None and there.definition != text and not replace:
            raise ParameterError(
                f"{shorten(name)} is the name of another model: replace=True puts {shorten(model)} in its place"
            )
        catalogue.put(KIND, name, text, stored.digest(text))


@foreseen
def load_model(connection: Any, name: str) -> Model:
    """The model saved under that name.

    Raises SourceError if there is none, and names the most similar one. Also raises SourceError if its row was changed,
    truncated, or written by a newer release.

        >>> sqlrp.save_model(sqlrp.learn(rp, "points", con), con, "labels")
        >>> sqlrp.load_model(con, "labels").rows
        50
    """
    check_name(name)
    connector = keeper(connection)
    with connector.session(connection) as session:
        catalogue = Catalogue.found(connector, session)
        row = catalogue.find(KIND, name)
        if row is None:
            kept = list(map(str, catalogue.names(KIND)))
            known = ", ".join(sorted(kept)) or "none"
            raise SourceError(f"no model {shorten(name)} is saved here{nearest(name, kept)}: saved are {known}")
        try:
            return read(row)
        except SourceError as error:
            raise SourceError(
                f"the model {shorten(name)} that is saved here cannot be read: {error}; save it again with replace=True"
            ) from error


def saved_models(connection: Any) -> dict[str, Model]:
    """Every model saved in the database, by name. A warning names the rows that cannot be read.

    >>> sqlrp.save_model(sqlrp.learn(rp, "points", con), con, "labels")
    >>> list(sqlrp.saved_models(con))
    ['labels']
    """
    found, wrong = readable(connection, KIND, read)
    warn_of("saved models", wrong)
    return found


def read(row: Row) -> Model:
    """The model of a row of the catalogue. Raises SourceError if it cannot be read."""
    text = row.definition
    if not isinstance(text, str) or stored.digest(text) != row.fingerprint:
        raise SourceError(f"its fingerprint was {shorten(row.fingerprint, 40)}: it was changed, or cut")
    with stored.expecting("its model"):
        try:
            return model_from_json(text)
        except ParameterError as error:
            raise SourceError(str(error)) from error


__all__ = ["load_model", "save_model", "saved_models"]
