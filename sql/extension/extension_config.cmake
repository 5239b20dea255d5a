# DuckDB's build reads this file. The functions call those of json, except in DuckDB-Wasm.
duckdb_extension_load(json)
duckdb_extension_load(sqlrp
    SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}
    LOAD_TESTS
)
