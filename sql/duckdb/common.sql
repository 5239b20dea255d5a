    'vectors': sqlrp_one_of('vectors', vectors, ['sign']), 'relation': sqlrp_from(source), 'k': sqlrp_whole('k', k, 1),
    's': CAST(s AS VARCHAR), 's_type': typeof(s), 'seed': sqlrp_seed_number(seed), 'key': CAST(key AS VARCHAR),
    'keep': sqlrp_names('keep', keep), 'features': sqlrp_names('features', features),
    'array_column': CAST(array_column AS VARCHAR), 'feature': CAST(feature AS VARCHAR), 'value': CAST(value AS VARCHAR),
    'n_features': CAST(n_features AS BIGINT), 'output': sqlrp_one_of('output', output, ['columns', 'array', 'long']),
    'scale': sqlrp_flag('scale', scale), 'nulls': sqlrp_one_of('nulls', nulls, ['propagate', 'zero', 'error']),
    'lowering': sqlrp_one_of('lowering', lowering, ['auto', 'inline', 'relational'])
