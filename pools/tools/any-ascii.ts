import anyAscii from 'any-ascii'

export function bind() {
  return { transliterate }
}

/** Writes any script in ASCII letters: `Привет` becomes `Privet`. */
async function transliterate(text: string): Promise<string> {
  return anyAscii(text)
}
