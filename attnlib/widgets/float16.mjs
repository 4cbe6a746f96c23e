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
