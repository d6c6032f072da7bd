/** A piece of a statement; comments and spaces are none. */
export interface Token {
  kind: 'word' | 'quoted' | 'sign'
  /** Words in capitals. */
  text: string
  start: number
  end: number
}

const SPACE = /[\s\uFEFF\u00A0]+|--[^\n\r]*/y
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy
const NUMBER = /\d[\w.]*/y
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"/y
const ESCAPED = /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y

/**
 * Splits a statement as the engine does. What is made of the pieces is parsed by the engine again before it runs, so
 * that a difference can only be an error.
 */
export function readTokens(sql: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < sql.length; ) {
    const skipped = measure(SPACE, sql, at) || measureComment(sql, at)
    if (skipped > 0) {
      at += skipped
      continue
    }
    const token = readToken(sql, at)
    tokens.push(token)
    at = token.end
  }
  return tokens
}

function readToken(sql: string, start: number): Token {
  const quoted = measure(ESCAPED, sql, start) || measure(QUOTED, sql, start) || measureDollarQuote(sql, start)
  const word = quoted > 0 ? 0 : measure(WORD, sql, start)
  const end = start + (quoted || word || measure(NUMBER, sql, start) || 1)
  const text = sql.slice(start, end)
  if (quoted > 0) return { kind: 'quoted', text, start, end }
  return word > 0 ? { kind: 'word', text: text.toUpperCase(), start, end } : { kind: 'sign', text, start, end }
}

function measure(pattern: RegExp, sql: string, start: number): number {
  pattern.lastIndex = start
  return pattern.exec(sql)?.[0].length ?? 0
}

/** Comments can contain others. One without an end is left to the engine to refuse. */
function measureComment(sql: string, start: number): number {
  if (!sql.startsWith('/*', start)) return 0
  const edge = /\/\*|\*\//g
  edge.lastIndex = start
  let depth = 0
  for (let found = edge.exec(sql); found; found = edge.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return edge.lastIndex - start
  }
  return 0
}

function measureDollarQuote(sql: string, start: number): number {
  const tagLength = measure(DOLLAR_TAG, sql, start)
  if (tagLength === 0) return 0
  const tag = sql.slice(start, start + tagLength)
  const end = sql.indexOf(tag, start + tagLength)
  return end < 0 ? 0 : end + tagLength - start
}

/** A text without the semicolons before and after its only statement; positions in it stay as they are. */
export function trimStatement(sql: string): string {
  const tokens = readTokens(sql)
  const isSemicolon = ({ text }: Token) => text === ';'
  const first = tokens.findIndex(token => !isSemicolon(token))
  if (first < 0) return sql
  const last = tokens.findLastIndex(token => !isSemicolon(token))
  const end = tokens[last + 1]?.start ?? sql.length
  const start = first === 0 ? 0 : tokens[first]!.start
  return ' '.repeat(start) + sql.slice(start, end)
}
