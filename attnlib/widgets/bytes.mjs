// Bytes as a page holds them, to numbers.

import * as base85 from "anywidget_static/base85.mjs";

// An array in 8 bits, levels and the step of each row in base 85, as rows of numbers: attnlib/trained/quantized.py.
export function dequantize(name, { shape, levels, steps }) {
  const whole = new Int8Array(bytes_of(name, levels).buffer);
  const step = new Float32Array(bytes_of(name, steps).buffer);
  const size = shape.reduce((product, side) => product * side);
  const width = shape.at(-1);
  if (whole.length !== size || step.length * width !== size)
    throw new Error(`${name} has ${whole.length} numbers for the shape ${shape.join(" × ")}`);
  const values = Float64Array.from(whole);
  return nest(
    values.map((level, i) => level * step[Math.floor(i / width)]),
    shape,
  );
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

export function bytes_of(name, text) {
  try {
    return base85.bytes_of(text);
  } catch {
    throw new Error(`${name} is not in base 85`);
  }
}

function nest(values, [side, ...rest]) {
  if (!rest.length) return values;
  const step = values.length / side;
  return Array.from({ length: side }, (_, i) => nest(values.subarray(i * step, (i + 1) * step), rest));
}
