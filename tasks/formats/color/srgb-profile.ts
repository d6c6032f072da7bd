/** Adapted to the white of profiles, D50. */
const WHITE = [0.9642, 1, 0.8249]
const PRIMARIES = { r: [0.43607, 0.22249, 0.01392], g: [0.38515, 0.71687, 0.09708], b: [0.14307, 0.06061, 0.7141] }
const CURVE_POINTS = 1024
const HEADER_BYTES = 128

/** The ICC profile (version 2) of sRGB, which documents for archives carry. */
export function buildSrgbProfile(): Uint8Array {
  const curve = encodeCurve()
  const tags: [name: string, data: Buffer][] = [
    ['desc', encodeDescription('sRGB IEC61966-2.1')],
    ['cprt', Buffer.concat([encodeType('text'), Buffer.from('No copyright, use freely\0')])],
    ['wtpt', encodePoint(WHITE)],
    ...(['r', 'g', 'b'] as const).map((name): [string, Buffer] => [`${name}XYZ`, encodePoint(PRIMARIES[name])]),
    ...(['r', 'g', 'b'] as const).map((name): [string, Buffer] => [`${name}TRC`, curve]),
  ]
  const table = Buffer.alloc(4 + tags.length * 12)
  table.writeUInt32BE(tags.length)
  const bodies: Buffer[] = []
  const offsets = new Map<Buffer, number>()
  let end = HEADER_BYTES + table.length
  for (const [index, [name, data]] of tags.entries()) {
    const offset = offsets.get(data) ?? end
    table.write(name, 4 + index * 12, 'latin1')
    table.writeUInt32BE(offset, 8 + index * 12)
    table.writeUInt32BE(data.length, 12 + index * 12)
    if (offsets.has(data)) continue
    offsets.set(data, offset)
    bodies.push(data, Buffer.alloc((4 - (data.length % 4)) % 4))
    end = offset + data.length + bodies.at(-1)!.length
  }
  return Buffer.concat([encodeHeader(end), table, ...bodies])
}

function encodeHeader(sizeBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(sizeBytes)
  header.writeUInt32BE(0x02100000, 8)
  header.write('mntrRGB XYZ ', 12, 'latin1')
  for (const [index, part] of [2026, 1, 1].entries()) header.writeUInt16BE(part, 24 + index * 2)
  header.write('acsp', 36, 'latin1')
  for (const [index, value] of WHITE.entries()) header.writeInt32BE(toFixed(value), 68 + index * 4)
  return header
}

function encodeType(name: string): Buffer {
  return Buffer.concat([Buffer.from(name, 'latin1'), Buffer.alloc(4)])
}

/** The text is followed by empty texts in other encodings. */
function encodeDescription(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length + 1)
  return Buffer.concat([encodeType('desc'), length, Buffer.from(`${text}\0`, 'latin1'), Buffer.alloc(8 + 3 + 67)])
}

function encodePoint(values: readonly number[]): Buffer {
  const data = Buffer.alloc(20)
  encodeType('XYZ ').copy(data)
  for (const [index, value] of values.entries()) data.writeInt32BE(toFixed(value), 8 + index * 4)
  return data
}

function encodeCurve(): Buffer {
  const data = Buffer.alloc(12 + CURVE_POINTS * 2)
  encodeType('curv').copy(data)
  data.writeUInt32BE(CURVE_POINTS, 8)
  for (let index = 0; index < CURVE_POINTS; index++) {
    const level = index / (CURVE_POINTS - 1)
    const light = level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4
    data.writeUInt16BE(Math.round(light * 0xffff), 12 + index * 2)
  }
  return data
}

function toFixed(value: number): number {
  return Math.round(value * 65_536)
}
