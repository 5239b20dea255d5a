CREATE OR REPLACE MACRO {{function}}({{parameters}}) AS TABLE
  FROM query(sqlrp_step(source, sqlrp_layout(array_column, feature, value), {{method}}, {{key}}, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, false));
