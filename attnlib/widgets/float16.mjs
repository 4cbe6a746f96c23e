// Arrays as a page holds them, float16 in base64, to rows of numbers.

export function unpack(name, { shape, data }) {
  const bytes = bytes_of(name, data);
  const size = shape.reduce((product, side) => product * side, 1);
  if (bytes.length !== 2 * size)
    throw new Error(`${name} has ${bytes.length / 2} numbers for the shape ${shape.join(" × ")}`);
  const values = halves(new DataView(bytes.buffer));
  return nest(values, shape);
}

// The numbers that a view holds in float16, little-endian.
export function halves(view) {
  return Float64Array.from({ length: view.byteLength / 2 }, (_, i) => {
    const bits = view.getUint16(2 * i, true);
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    if (exponent === 31) return NaN;
    return (bits >> 15 ? -1 : 1) * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
  });
}

export function bytes_of(name, base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error(`${name} is not in base64`);
  }
}

function nest(values, [side, ...rest]) {
  if (!rest.length) return values;
  const step = values.length / side;
  return Array.from({ length: side }, (_, i) => nest(values.subarray(i * step, (i + 1) * step), rest));
}
