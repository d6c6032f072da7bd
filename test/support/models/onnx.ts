/**
 * Writes models in the ONNX format, which is a protobuf message: each field is its number and kind, and then its value.
 * The numbers are those of onnx.proto.
 */

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  do {
    const low = Number(rest & 127n)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 128 : low)
  } while (rest > 0n)
  return Buffer.from(bytes)
}

function message(field: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string)
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes])
}

function integer(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)])
}

/** A name stands for a size that each call has its own of. */
type Shape = readonly (number | string)[]

const FLOAT = 1
const INT64 = 7
const BOOL = 9
const ATTRIBUTE_KINDS = { int: 2, graph: 5, ints: 7 }

export interface Node {
  op: string
  inputs: readonly string[]
  outputs: readonly string[]
  ints?: Readonly<Record<string, readonly number[]>>
  int?: Readonly<Record<string, number>>
  graph?: Readonly<Record<string, Buffer>>
}

interface Constant {
  name: string
  shape: readonly number[]
  values: readonly number[]
  type?: 'float' | 'int64' | 'bool'
}

interface Graph {
  inputs: readonly { name: string; shape: Shape; type?: Constant['type'] }[]
  outputs: readonly { name: string; shape: Shape; type?: Constant['type'] }[]
  nodes: readonly Node[]
  constants?: readonly Constant[]
}

const TYPES = { float: FLOAT, int64: INT64, bool: BOOL }

export function buildGraph({ inputs, outputs, nodes, constants = [] }: Graph): Buffer {
  return Buffer.concat([
    ...nodes.map(node => message(1, buildNode(node))),
    message(2, 'graph'),
    ...constants.map(constant => message(5, buildConstant(constant))),
    ...inputs.map(input => message(11, buildValue(input))),
    ...outputs.map(output => message(12, buildValue(output))),
  ])
}

/** The bytes of a file. */
export function buildModel(graph: Graph): Buffer {
  const [irVersion, opset] = [8, 13]
  return Buffer.concat([
    integer(1, irVersion),
    message(2, 'coinop tests'),
    message(7, buildGraph(graph)),
    message(8, Buffer.concat([message(1, ''), integer(2, opset)])),
  ])
}

function buildNode({ op, inputs, outputs, ints = {}, int = {}, graph = {} }: Node): Buffer {
  const attribute = (name: string, kind: number, ...content: Buffer[]) =>
    message(5, Buffer.concat([message(1, name), ...content, integer(20, kind)]))
  return Buffer.concat([
    ...inputs.map(name => message(1, name)),
    ...outputs.map(name => message(2, name)),
    message(4, op),
    ...Object.entries(int).map(([name, value]) => attribute(name, ATTRIBUTE_KINDS.int, integer(3, value))),
    ...Object.entries(ints).map(([name, values]) =>
      attribute(name, ATTRIBUTE_KINDS.ints, ...values.map(value => integer(8, value))),
    ),
    ...Object.entries(graph).map(([name, inner]) => attribute(name, ATTRIBUTE_KINDS.graph, message(6, inner))),
  ])
}

function buildConstant({ name, shape, values, type = 'float' }: Constant): Buffer {
  const raw = {
    float: () => Buffer.from(Float32Array.from(values).buffer),
    int64: () => Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer),
    bool: () => Buffer.from(values),
  }
  return Buffer.concat([
    ...shape.map(size => integer(1, size)),
    integer(2, TYPES[type]),
    message(8, name),
    message(9, raw[type]()),
  ])
}

function buildValue({ name, shape, type = 'float' }: Graph['inputs'][number]): Buffer {
  const dimensions = shape.map(size => message(1, typeof size === 'string' ? message(2, size) : integer(1, size)))
  const tensor = Buffer.concat([integer(1, TYPES[type]), message(2, Buffer.concat(dimensions))])
  return Buffer.concat([message(1, name), message(2, message(1, tensor))])
}
