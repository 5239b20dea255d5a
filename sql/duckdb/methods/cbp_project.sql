-- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm. With two descriptors in a
-- row, the second factors are sums of their own, of the second descriptor.
CREATE OR REPLACE MACRO sqlrp_cbp_text(products, p, split) AS
  CASE WHEN split IS NULL THEN products ELSE sqlrp_stage('products', products['outputs'], 'SELECT i, c, w, [v[1], v[2] + ' || p || '] AS v FROM ('
    || products['text'] || ') s_', factors := 2, heaviest := products['heaviest'], dense := true) END;

CREATE OR REPLACE MACRO sqlrp_cbp_stages(k, s, s_type, seed, p, t, normalise, split, n) AS
  list_transform([sqlrp_shared_sums(p, 2, t, k)], lambda cbp_p: sqlrp_pooled([
      sqlrp_split_sums(sqlrp_signed_sums(CASE WHEN split IS NULL THEN cbp_p ELSE 2 * cbp_p END, sqlrp_s(s, s_type, n), seed), 2 * cbp_p, split, n),
      sqlrp_cbp_text(sqlrp_drawn_products(cbp_p, k, t, 2, seed, true), cbp_p, split)],
    sqlrp_s(s, s_type, n) || ' / sqrt(' || k * t || ')', k, normalise))[1];
