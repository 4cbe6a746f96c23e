// Bytes as a page holds them, to numbers.

// An array in 8 bits, levels and the step of each row in base64, as rows of numbers: attnlib/trained/quantized.py.
export function dequantize(name, { shape, levels, steps }) {
  const [whole, rows] = [levels, steps].map((base64) => bytes_of(name, base64).buffer);
  const [size, width] = [shape.reduce((product, side) => product * side, 1), shape.at(-1)];
  if (whole.byteLength !== size || rows.byteLength * width !== 4 * size)
    throw new Error(`${name} has ${whole.byteLength} numbers for the shape ${shape.join(" × ")}`);
  const [given, step] = [new Int8Array(whole), new Float32Array(rows)];
  const values = new Float64Array(size);
  for (let i = 0; i < size; i++) values[i] = given[i] * step[Math.floor(i / width)];
  return nest(values, shape);
}

// The numbers that a view holds in float16, little-endian. (Loops: Float64Array.from is ten times as slow.)
export function halves(view) {
  const values = new Float64Array(view.byteLength / 2);
  for (let i = 0; i < values.length; i++) {
    const bits = view.getUint16(2 * i, true);
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
    values[i] = exponent === 31 ? NaN : (bits >> 15 ? -1 : 1) * size;
  }
  return values;
}

export function bytes_of(name, base64) {
  try {
    const letters = atob(base64);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
  } catch {
    throw new Error(`${name} is not in base64`);
  }
}

function nest(values, [side, ...rest]) {
  if (!rest.length) return values;
  const step = values.length / side;
  return Array.from({ length: side }, (_, i) => nest(values.subarray(i * step, (i + 1) * step), rest));
}
