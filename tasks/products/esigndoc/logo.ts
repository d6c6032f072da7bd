/** A template keeps its defaults, and so the logo, in 64 kB. */
const MAX_LOGO_BYTES = 32_768
const PREFIX = /^data:(image\/(?:png|jpeg));base64,/

export const LOGO_PATTERN = '^data:image/(png|jpeg);base64,[A-Za-z0-9+/]+={0,2}$'
export const MAX_LOGO_LENGTH = Math.ceil(MAX_LOGO_BYTES / 3) * 4 + 'data:image/jpeg;base64,'.length

export interface Logo {
  type: string
  bytes: Buffer
}

/** Reads a logo that is written as LOGO_PATTERN says. */
export function readLogo(uri: string): Logo {
  const [prefix, type] = PREFIX.exec(uri)!
  return { type: type!, bytes: Buffer.from(uri.slice(prefix.length), 'base64') }
}
