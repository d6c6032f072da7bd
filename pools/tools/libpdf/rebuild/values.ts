const DELIMITERS = '<[('

/** Finds the source of the value of a key in the source of a dictionary. Keys of inner dictionaries do not count. */
export function findValue(dictionary: string, key: string): string | undefined {
  const at = findKey(dictionary, key)
  if (at === undefined) return undefined
  const start = at + key.length + 1
  const end = skipValue(dictionary, start)
  const value = dictionary.slice(start, end).trim()
  return value === '' ? undefined : value
}

export function setValue(dictionary: string, key: string, value: string): string {
  const at = findKey(dictionary, key)
  const without = at === undefined ? dictionary : cut(dictionary, at, skipValue(dictionary, at + key.length + 1))
  return without.replace(/<</, () => `<< /${key} ${value} `)
}

export function listKeys(dictionary: string): string[] {
  return [...walkKeys(dictionary)].map(([name]) => name)
}

export function listReferences(value = ''): number[] {
  return [...value.matchAll(/(\d{1,8})\s+\d{1,5}\s+R\b/g)].map(([, number]) => Number(number))
}

function cut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to)
}

function findKey(dictionary: string, key: string): number | undefined {
  for (const [name, at] of walkKeys(dictionary)) if (name === key) return at
  return undefined
}

/** The keys of the outermost dictionary, with their offsets. */
function* walkKeys(dictionary: string): Generator<[name: string, at: number]> {
  let at = dictionary.indexOf('<<') + 2
  while (at >= 2 && at < dictionary.length) {
    at = skipSpace(dictionary, at)
    if (dictionary[at] !== '/') return
    const name = /^\/([^\s/<>[\]()%]*)/.exec(dictionary.slice(at, at + 200))![1]!
    yield [name, at]
    at = skipValue(dictionary, at + name.length + 1)
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at]!)) at += 1
  return at
}

function skipValue(text: string, from: number): number {
  const start = skipSpace(text, from)
  if (DELIMITERS.includes(text[start]!)) return skipNested(text, start)
  const simple = /^(\d+\s+\d+\s+R\b|\/[^\s/<>[\]()%]*|[^\s/<>[\]()%]+)/.exec(text.slice(start, start + 300))
  return start + (simple?.[0].length ?? 1)
}

function skipNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]!
    if (char === '(') at = skipString(text, at)
    else if (char === '<' || char === '[') depth += 1
    else if (char === '>' || char === ']') depth -= 1
    if (depth <= 0) return at + 1
  }
  return text.length
}

function skipString(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}
