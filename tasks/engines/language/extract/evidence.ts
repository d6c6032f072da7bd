/** Finds a quote in a text word for word, whatever its spaces and capitals are. Gives the words as they are there. */
export function createQuoteFinder(
  text: string,
): (quote: string) => { quote: string; start: number; end: number } | undefined {
  const { folded, places } = fold(text)
  return quote => {
    const wanted = fold(quote).folded.trim()
    const at = wanted === '' ? -1 : folded.indexOf(wanted)
    if (at < 0) return undefined
    const start = places[at]!
    const end = places[at + wanted.length - 1]! + 1
    return { quote: text.slice(start, end), start, end }
  }
}

/** In small letters with single spaces, and where each of its characters was. */
function fold(text: string): { folded: string; places: number[] } {
  const characters: string[] = []
  const places: number[] = []
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    const isSpace = /\s/.test(character)
    if (isSpace && characters.at(-1) === ' ') continue
    const small = isSpace ? ' ' : character.toLowerCase()
    characters.push(small.length === 1 ? small : character)
    places.push(index)
  }
  return { folded: characters.join(''), places }
}

/**
 * The JSON Pointer of a value that there is. Models also write `rent` or `items.0.price`, and begin at what holds the data;
 * undefined for what names no value.
 */
export function findValue(data: unknown, path: string): string | undefined {
  const plain = path.replace(/^\$?\.?/, '')
  const dotted = `/${plain.replaceAll(/\[(\d+)\]/g, '.$1').replaceAll('.', '/')}`
  const written = [path, dotted]
  return [...written, ...written.map(one => one.replace(/^\/data(?=\/)/, ''))].find(pointer => hasValue(data, pointer))
}

function hasValue(data: unknown, pointer: string): boolean {
  if (!pointer.startsWith('/')) return false
  const keys = pointer.slice(1).split('/')
  const value = keys
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, key) => (isHolder(at) && Object.hasOwn(at, key) ? at[key] : undefined), data)
  return value !== undefined && value !== null
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
