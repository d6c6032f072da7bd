/** Datasets of IPTC record 2, the application record. */
const FIELD_NAMES: Record<number, string> = {
  5: 'title',
  25: 'keywords',
  40: 'instructions',
  55: 'dateCreated',
  80: 'byline',
  85: 'bylineTitle',
  90: 'city',
  95: 'state',
  101: 'country',
  105: 'headline',
  110: 'credit',
  115: 'source',
  116: 'copyright',
  120: 'caption',
}

/** Reads the IPTC fields, bare or inside the resource block in which Photoshop stores them. */
export function parseIptcFields(data: Uint8Array): Record<string, string[]> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const fields: Record<string, string[]> = {}
  let at = bytes.indexOf(Buffer.from([0x1c, 0x02]))
  while (at >= 0 && at + 5 <= bytes.length && bytes[at] === 0x1c) {
    const length = bytes.readUInt16BE(at + 3)
    const name = FIELD_NAMES[bytes[at + 2]!]
    const isText = bytes[at + 1] === 2 && length < 0x8000 && at + 5 + length <= bytes.length
    if (name && isText) fields[name] = [...(fields[name] ?? []), bytes.toString('utf8', at + 5, at + 5 + length)]
    at += 5 + length
  }
  return fields
}
