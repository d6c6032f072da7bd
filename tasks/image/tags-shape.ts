/** The name of an ICC profile: its `desc` tag, of the old kind or the new. */
export function profileName(icc: Uint8Array): string | undefined {
  const profile = Buffer.from(icc.buffer, icc.byteOffset, icc.byteLength)
  try {
    const count = Math.min(100, profile.readUInt32BE(128))
    for (let index = 0; index < count; index++) {
      const entry = 132 + index * 12
      if (profile.toString('latin1', entry, entry + 4) === 'desc')
        return nameAt(profile, profile.readUInt32BE(entry + 4))
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

function nameAt(profile: Buffer, at: number): string {
  if (profile.toString('latin1', at, at + 4) === 'desc') {
    const length = profile.readUInt32BE(at + 8)
    return tidy(profile.toString('latin1', at + 12, at + 12 + length))
  }
  const length = profile.readUInt32BE(at + 20)
  const from = at + profile.readUInt32BE(at + 24)
  const letters = Buffer.from(profile.subarray(from, from + (length & ~1)))
  return tidy(letters.swap16().toString('utf16le'))
}

function tidy(text: string): string {
  return text.replace(/\0[\s\S]*$/, '').trim()
}

/** Fields of the press, record 2. */
const FIELDS: Record<number, string> = {
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

/** IPTC fields, bare or inside the resource block in which Photoshop keeps them. */
export function pressFields(block: Uint8Array): Record<string, string[]> {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  const fields: Record<string, string[]> = {}
  let at = bytes.indexOf(Buffer.from([0x1c, 0x02]))
  while (at >= 0 && at + 5 <= bytes.length && bytes[at] === 0x1c) {
    const length = bytes.readUInt16BE(at + 3)
    const name = FIELDS[bytes[at + 2]!]
    const isText = bytes[at + 1] === 2 && length < 0x8000 && at + 5 + length <= bytes.length
    if (name && isText) fields[name] = [...(fields[name] ?? []), bytes.toString('utf8', at + 5, at + 5 + length)]
    at += 5 + length
  }
  return fields
}
