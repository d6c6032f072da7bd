import anyAscii from 'any-ascii'

export function bind() {
  return { transliterate }
}

/** Transliterates any script to ASCII: `Привет` becomes `Privet`. */
async function transliterate(text: string): Promise<string> {
  return anyAscii(text)
}
