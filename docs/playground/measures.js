// How well a projection keeps squared distances, as sqlrp.diagnose measures it: the mean of |after - before| / before.

export const theory = (k) => 2 / Math.sqrt(Math.PI * k); // a Gaussian projection to k components

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

// before, after: arrays of rows in the same order. The kernel is (<x, y> + c)^degree; degree 1 and c = 0 are the rows.
export function distortion(before, after, degree = 1, c = 0) {
  const kernel = (a, b) => (dot(a, b) + c) ** degree;
  const own = before.map((x) => kernel(x, x));
  const found = [];
  for (let i = 0; i < before.length; i++)
    for (let j = i + 1; j < before.length; j++) {
      const was = own[i] + own[j] - 2 * kernel(before[i], before[j]);
      if (was <= 0) continue;
      let is = 0;
      for (let m = 0; m < after[i].length; m++) is += (after[i][m] - after[j][m]) ** 2;
      found.push(Math.abs(is - was) / was);
    }
  found.sort((a, b) => a - b);
  const at = (share) => found[Math.min(found.length - 1, Math.floor(share * found.length))];
  return { mean: found.reduce((a, b) => a + b, 0) / found.length, q05: at(0.05), q95: at(0.95), pairs: found.length };
}

// A fixed sample: the rows spread evenly over the table.
export function sample(keys, size) {
  const step = Math.max(1, keys.length / size);
  return Array.from({ length: Math.min(size, keys.length) }, (_, i) => keys[Math.floor(i * step)]);
}
