CREATE OR REPLACE MACRO {{step}}({{given}}, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), {{method}}, {{key}}, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO {{open_step}}({{given}}, keep, features, told) AS
  {{open}}told);
