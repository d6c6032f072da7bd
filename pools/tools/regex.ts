import { RE2JS, RE2JSException } from 're2js'
import { Problem } from '#kit'

export function bind() {
  return { extract, replace, test }
}

export interface Pattern {
  pattern: string
  /** Of `imsu`; `g` is taken and means nothing, since all matches are found. */
  flags: string
}

export interface Match {
  match: string
  index: number
  line: number
  groups: (string | null)[]
  named?: Record<string, string | null>
}

export interface Extracted {
  matches: Match[]
  truncated: boolean
}

/** In time linear to the text, whatever the pattern. */
async function extract(
  text: string,
  pattern: Pattern,
  { group, named, limit }: { group?: number | string; named: boolean; limit: number },
): Promise<Extracted> {
  const matcher = compiled(pattern).matcher(text)
  const lines = new LineCounter(text)
  const matches: Match[] = []
  while (matcher.find()) {
    const found = groupOf(() => matcher.group(group ?? 0), group)
    if (found === null) continue
    if (matches.length === limit) return { matches, truncated: true }
    const index = matcher.start(group ?? 0)
    const groups = Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1))
    const names = named ? matcher.getNamedGroups() : {}
    const isNamed = Object.keys(names).length > 0
    matches.push({ match: found, index, line: lines.at(index), groups, ...(isNamed && { named: { ...names } }) })
  }
  return { matches, truncated: false }
}

/** `$1`, `$<name>` and `$$` as in JavaScript. */
async function replace(text: string, pattern: Pattern, replacement: string): Promise<string> {
  return groupOf(() => compiled(pattern).matcher(text).replaceAll(replacement), replacement)
}

async function test(texts: readonly string[], pattern: Pattern): Promise<boolean[]> {
  const regex = compiled(pattern)
  return texts.map(text => regex.matcher(text).find())
}

function groupOf<Value>(read: () => Value, group: unknown): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof RE2JSException) throw new Problem('INVALID_PARAM', { field: 'group', given: group })
    throw error
  }
}

const FLAGS: Record<string, number> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
}

export function compiled({ pattern, flags }: Pattern): RE2JS {
  const unsupported = UNSUPPORTED.find(([, form]) => form.test(pattern))
  if (unsupported) throw new Problem('REGEX_UNSUPPORTED', { construct: unsupported[0] })
  try {
    return RE2JS.compile(
      pattern,
      [...flags].reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0),
    )
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const part = (error as { input?: string | null }).input ?? ''
    const position = part === '' ? -1 : pattern.indexOf(part)
    throw new Problem('REGEX_INVALID', { position: Math.max(0, position), detail: error.message.slice(0, 200) })
  }
}

/** Told before the engine sees them: it only says that something is wrong. A backslash before them is counted. */
const UNSUPPORTED: [construct: string, form: RegExp][] = [
  ['lookahead', /(?:^|[^\\])(?:\\\\)*\(\?[=!]/],
  ['lookbehind', /(?:^|[^\\])(?:\\\\)*\(\?<[=!]/],
  ['atomic group', /(?:^|[^\\])(?:\\\\)*\(\?>/],
  ['backreference', /(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/],
]

/** Counts line ends up to places that only grow. */
class LineCounter {
  private readonly text: string
  private line = 1
  private from = 0

  constructor(text: string) {
    this.text = text
  }

  at(index: number): number {
    for (
      let end = this.text.indexOf('\n', this.from);
      end >= 0 && end < index;
      end = this.text.indexOf('\n', end + 1)
    ) {
      this.line++
      this.from = end + 1
    }
    return this.line
  }
}
