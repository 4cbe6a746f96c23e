// What the mathematics is given: bad input gets a sentence that names the size or the index.

export function check_matrix(name, rows) {
  if (!Array.isArray(rows) || !rows.length || !rows[0]?.length) throw new Error(`${name} is empty`);
  rows.forEach((row, i) => {
    if (row.length !== rows[0].length)
      throw new Error(`row ${i} of ${name} has ${row.length} entries, row 0 has ${rows[0].length}`);
    for (let j = 0; j < row.length; j++)
      if (!Number.isFinite(row[j])) throw new Error(`${name}[${i}, ${j}] is ${row[j]}`);
  });
}

export function check_square(rows) {
  check_matrix("grid", rows);
  if (rows.length !== rows[0].length || rows.length < 2)
    throw new Error(`a square grid of 2 rows or more is needed, got ${rows.length} × ${rows[0].length}`);
}
