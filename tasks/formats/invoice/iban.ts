/** ISO 13616: the remainder by 97 is 1. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(text)) return false
  const digits = [...`${text.slice(4)}${text.slice(0, 4)}`].map(character => Number.parseInt(character, 36)).join('')
  return BigInt(digits) % 97n === 1n
}
