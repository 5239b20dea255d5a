"""What PostgreSQL is asked before sqlrp trusts a table or a schema: who else may write it, or put code into it.

The queries name everything in pg_catalog, as the schemas of the search_path are not trusted yet. A role is trusted if
it may act as the caller: the caller itself, its members and superusers.
"""

from __future__ import annotations

TRUSTS = "coalesce(pg_catalog.current_setting('sqlrp.trust_schema', true), '') = 'on'"
"""The condition that the caller has said to trust all who may write a catalogue or create objects in a schema."""

_MINE = "pg_catalog.pg_has_role({role}, current_user, 'MEMBER')"
_OWNERS = f"({_MINE} OR pg_catalog.pg_has_role({{role}}, n.nspowner, 'MEMBER'))"
"""The condition that a role may act as the caller or as the owner of the schema."""


def _able(asks: str, owner: str, trusted: str) -> str:
    """A subquery of the names of the roles that are not trusted and can do something; NULL if there are none.

    The server itself is asked, so that grants to PUBLIC, to a role's groups, and by predefined roles such as
    pg_write_all_data count. Every role is asked that can log in, or that is a group of users. A predefined role stands
    for its members, also for those that must SET ROLE first. An owner can take back what was revoked.
    `asks`, `trusted`: conditions with {role} for a role. `owner`: an expression for the oid of the owner.
    """
    everyone, own, group = (asks.format(role=role) for role in ("CAST('public' AS name)", "r.oid", "g.oid"))
    return (
        f"(SELECT CASE WHEN {everyone} THEN 'PUBLIC' ELSE\n"
        "    pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' ORDER BY r.rolname) END\n"
        "    FROM pg_catalog.pg_roles r WHERE (r.rolcanlogin OR r.oid >= CAST(16384 AS oid))\n"
        f"    AND NOT {trusted.format(role='r.oid')}\n"
        f"    AND ({own} OR pg_catalog.pg_has_role(r.oid, {owner}, 'MEMBER')\n"
        f"    OR EXISTS (SELECT 1 FROM pg_catalog.pg_roles g WHERE g.oid < CAST(16384 AS oid) AND NOT g.rolcanlogin\n"
        f"    AND {group} AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER'))))"
    )


def writers(trusted: str = _OWNERS) -> str:
    """The names of the roles that may write the table c of pg_class, as in `_able`."""
    return _able("pg_catalog.has_any_column_privilege({role}, c.oid, 'INSERT, UPDATE')", "c.relowner", trusted)


def creators(me: str = "current_user") -> str:
    """The names of the roles that may create objects in the schema n of pg_namespace, as in `_able`."""
    trusted = _MINE.replace("current_user", me)
    return _able("pg_catalog.has_schema_privilege({role}, n.oid, 'CREATE')", "n.nspowner", trusted)


def unsafe_query(table: str) -> str:
    """The query of why a table is not to be trusted, and of the remedy if it is not to drop the table.

    Views, rules, triggers, row security, children and the expressions of a table run functions of its owner. Plain
    text of another role is safe to read, but decides what the caller's rights are used for: which source is read, which
    table is written. So only the owner of the schema may own and write it for others.
    `table`: the table's quoted name, as a text.
    """
    return (
        "SELECT coalesce(w.why, 'may be written by ' || w.others || ', who could use your rights by it'), "
        f"CASE WHEN w.why IS NULL THEN 'REVOKE INSERT, UPDATE ON ' || {table} || "
        "', and roles such as pg_write_all_data, FROM ' || w.others || "
        "', or, if you trust them, SET sqlrp.trust_schema = on' ELSE 'drop it, or use a schema of your own' END "
        "FROM (SELECT CASE WHEN c.relkind <> 'r' THEN 'is no plain table' "
        f"WHEN NOT {_OWNERS.format(role='c.relowner')} THEN 'belongs to another role' "
        "WHEN c.relrowsecurity THEN 'has row security' "
        "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) "
        "THEN 'has a trigger' "
        "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid) THEN 'has a rule' "
        "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_attrdef d WHERE d.adrelid = c.oid) "
        "THEN 'has a default or a generated column' "
        "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid OR i.inhparent = c.oid) "
        "THEN 'has a parent or child table' "
        "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c') "
        "THEN 'has a check constraint' "
        "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_index x WHERE x.indrelid = c.oid "
        "AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL)) THEN 'has an index of an expression' "
        "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid "
        "WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
        "AND NOT (y.typname IN ('text', 'varchar') AND y.oid < CAST(16384 AS oid))) "
        "THEN 'has a column that is no text' END AS why, "
        f"CASE WHEN NOT {TRUSTS} THEN {writers()} END AS others "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        f"WHERE c.oid = pg_catalog.to_regclass({table})) w WHERE coalesce(w.why, w.others) IS NOT NULL"
    )


def creators_query(schema: str) -> str:
    """The query of the untrusted roles that may create objects in a schema; no row if there are none.

    A row has the schema, the roles, and whether the caller trusts them. `schema`: an expression for the schema's name.
    """
    return (
        f"SELECT s.nspname, s.others, {TRUSTS} FROM (SELECT n.nspname, {creators()} AS others "
        f"FROM pg_catalog.pg_namespace n WHERE n.nspname = {schema}) s WHERE s.others IS NOT NULL"
    )


def overloads_query(schema: str, function: str) -> str:
    """The query of the functions of a name in a schema that belong to untrusted roles: each one's text, and its owner.

    `schema`, `function`: expressions for the names.
    """
    return (
        "SELECT CAST(CAST(p.oid AS regprocedure) AS text), pg_catalog.pg_get_userbyid(p.proowner) "
        "FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
        f"WHERE n.nspname = {schema} AND p.proname = {function} AND NOT {_MINE.format(role='p.proowner')} "
        "ORDER BY 1 LIMIT 1"
    )
