/** The few elements of DER that a certificate is made of. */
export function element(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes])
  const digits = bytes < 0x100 ? [bytes] : [bytes >> 8, bytes & 0xff]
  return Buffer.from([0x80 | digits.length, ...digits])
}

export function sequence(...parts: Uint8Array[]): Buffer {
  return element(0x30, ...parts)
}

/** A positive number. */
export function integer(bytes: Uint8Array): Buffer {
  return element(0x02, bytes[0]! & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes)
}

/** An object identifier whose first two numbers are below 40. */
export function identifier(text: string): Buffer {
  const [first, second, ...rest] = text.split('.').map(Number) as [number, number, ...number[]]
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encodeBase128)]))
}

function encodeBase128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

export function utf8(text: string): Buffer {
  return element(0x0c, Buffer.from(text))
}

export function octets(bytes: Uint8Array): Buffer {
  return element(0x04, bytes)
}

/** `unused` bits of the last byte do not count. */
export function bits(bytes: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), bytes)
}

export const TRUE = element(0x01, Buffer.from([0xff]))

/** Years from 2050 are written in full. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits))
}
