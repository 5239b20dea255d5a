// How well a projection keeps squared distances, as sqlrp.diagnose measures it: the mean of |after - before| / before.

export const theory = (k) => 2 / Math.sqrt(Math.PI * k); // a Gaussian projection to k components

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

// The kernel (<x, y> + c)^degree; degree 1 and c = 0 are the rows.
const kernel = (degree, c) => (a, b) => (dot(a, b) + c) ** degree;

// before, after: arrays of rows in the same order.
export function distortion(before, after, degree = 1, c = 0) {
  const of = kernel(degree, c);
  const own = before.map((x) => of(x, x));
  const found = [];
  for (let i = 0; i < before.length; i++)
    for (let j = i + 1; j < before.length; j++) {
      const was = own[i] + own[j] - 2 * of(before[i], before[j]);
      if (was <= 0) continue;
      let is = 0;
      for (let m = 0; m < after[i].length; m++) is += (after[i][m] - after[j][m]) ** 2;
      found.push(Math.abs(is - was) / was);
    }
  found.sort((a, b) => a - b);
  const at = (share) => found[Math.min(found.length - 1, Math.floor(share * found.length))];
  return { mean: found.reduce((a, b) => a + b, 0) / found.length, q05: at(0.05), q95: at(0.95), pairs: found.length };
}

// The places of the rows nearest to one of them, by the kernel's distances. Of rows equally far, the first come first.
export function nearest(rows, from, size, degree = 1, c = 0) {
  const of = kernel(degree, c);
  const own = of(rows[from], rows[from]);
  const far = rows.map((x, i) => [own + of(x, x) - 2 * of(rows[from], x), i]).filter(([, i]) => i !== from);
  return far.sort(([a, i], [b, j]) => a - b || i - j).slice(0, size).map(([, i]) => i);
}

// The share of the true `size` nearest rows that are among the `taken` rows with the most equal signs: the mean of some rows.
export function codes(before, after, size, taken, asked) {
  const signs = after.map((z) => z.map((value) => (value >= 0 ? 1 : -1)));
  const shares = sample([...before.keys()], asked).map((from) => {
    const held = new Set(nearest(signs, from, taken));
    return nearest(before, from, size).filter((place) => held.has(place)).length / size;
  });
  return shares.reduce((a, b) => a + b, 0) / shares.length;
}

// A fixed sample: the rows spread evenly over the table.
export function sample(keys, size) {
  const step = Math.max(1, keys.length / size);
  return Array.from({ length: Math.min(size, keys.length) }, (_, i) => keys[Math.floor(i * step)]);
}
