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
_NAMED = (
    "pg_catalog.string_agg(DISTINCT CASE WHEN {role} = CAST(0 AS oid) THEN 'PUBLIC' "
    "ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid({role})) END, ', ')"
)
"""The names of roles in a text; 0 is PUBLIC."""


def _stranger(role: str, trusted: str) -> str:
    """The condition that a role is not trusted. PUBLIC is no role that pg_has_role could be asked about."""
    return f"CASE WHEN {role} = CAST(0 AS oid) THEN true ELSE NOT {trusted.format(role=role)} END"


def unsafe_query(table: str) -> str:
    """The query of why a table is not to be trusted, and of the remedy if it is not to drop the table.

    Views, rules, triggers, row security, children and the expressions of a table run functions of its owner. Plain
    text of another role is safe to read, but decides what the caller's rights are used for: which source is read, which
    table is written. So only the owner of the schema may own and write it for others.
    `table`: the table's quoted name, as a text.
    """
    return (
        "SELECT coalesce(w.why, 'may be written by ' || w.others || ', who could use your rights by it'), "
        f"CASE WHEN w.why IS NULL THEN 'REVOKE INSERT, UPDATE ON ' || {table} || ' FROM ' || w.others || "
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
        f"(SELECT {_NAMED.format(role='a.grantee')} FROM (SELECT c.relacl AS acl UNION ALL SELECT b.attacl "
        "FROM pg_catalog.pg_attribute b WHERE b.attrelid = c.oid) held "
        "CROSS JOIN LATERAL pg_catalog.aclexplode(held.acl) a WHERE a.privilege_type IN ('INSERT', 'UPDATE') "
        f"AND NOT {TRUSTS} AND {_stranger('a.grantee', _OWNERS)}) AS others "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        f"WHERE c.oid = pg_catalog.to_regclass({table})) w WHERE coalesce(w.why, w.others) IS NOT NULL"
    )


def creators_query(schema: str) -> str:
    """The query of the untrusted roles that may create objects in a schema; no row if there are none.

    A row has the schema, the roles, and whether the caller trusts them. `schema`: an expression for the schema's name.
    """
    return (
        f"SELECT n.nspname, {_NAMED.format(role='r.oid')}, {TRUSTS} FROM pg_catalog.pg_namespace n CROSS JOIN LATERAL ("
        "SELECT CASE WHEN h.rolname = 'pg_database_owner' THEN d.datdba ELSE g.oid END AS oid FROM ("
        "SELECT n.nspowner AS oid UNION SELECT a.grantee FROM pg_catalog.aclexplode(n.nspacl) a "
        "WHERE a.privilege_type = 'CREATE') g LEFT JOIN pg_catalog.pg_roles h ON h.oid = g.oid "
        "JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database()) r "
        f"WHERE n.nspname = {schema} AND {_stranger('r.oid', _MINE)} GROUP BY n.nspname"
    )


def overloads_query(schema: str, function: str) -> str:
    """The query of the functions of a name in a schema that belong to untrusted roles: each one's text, and its owner.

    `schema`, `function`: expressions for the names.
    """
    return (
        "SELECT CAST(CAST(p.oid AS regprocedure) AS text), pg_catalog.pg_get_userbyid(p.proowner) "
        "FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
        f"WHERE n.nspname = {schema} AND p.proname = {function} AND {_stranger('p.proowner', _MINE)} ORDER BY 1 LIMIT 1"
    )
