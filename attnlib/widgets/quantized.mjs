import { bytes_of } from "anywidget_static/base85.mjs";

// An array in 8 bits, levels and the step of each row in base 85, as rows of numbers: attnlib/trained/quantized.py.
export function dequantize(name, { shape, levels, steps }) {
  const whole = new Int8Array(bytes_of(levels, name).buffer);
  const step = new Float32Array(bytes_of(steps, name).buffer);
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

function nest(values, [side, ...rest]) {
  if (!rest.length) return values;
  const step = values.length / side;
  return Array.from({ length: side }, (_, i) => nest(values.subarray(i * step, (i + 1) * step), rest));
}
