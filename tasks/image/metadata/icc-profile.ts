/** Reads the name of an ICC profile from its `desc` tag: `desc` text in version 2, `mluc` text in version 4. */
export function readProfileName(icc: Uint8Array): string | undefined {
  const profile = Buffer.from(icc.buffer, icc.byteOffset, icc.byteLength)
  try {
    const count = Math.min(100, profile.readUInt32BE(128))
    for (let index = 0; index < count; index++) {
      const entry = 132 + index * 12
      if (profile.toString('latin1', entry, entry + 4) === 'desc')
        return readTagText(profile, profile.readUInt32BE(entry + 4))
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

function readTagText(profile: Buffer, at: number): string {
  if (profile.toString('latin1', at, at + 4) === 'desc') {
    const length = profile.readUInt32BE(at + 8)
    return cutAtNull(profile.toString('latin1', at + 12, at + 12 + length))
  }
  const length = profile.readUInt32BE(at + 20)
  const from = at + profile.readUInt32BE(at + 24)
  const characters = Buffer.from(profile.subarray(from, from + (length & ~1)))
  return cutAtNull(characters.swap16().toString('utf16le'))
}

function cutAtNull(text: string): string {
  return text.replace(/\0[\s\S]*$/, '').trim()
}
