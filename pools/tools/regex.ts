import { RE2JS, RE2JSException } from 're2js'
import { Problem } from '#kit'

export function bind() {
  return { extract, replace, test }
}

type Matcher = ReturnType<RE2JS['matcher']>

interface Pattern {
  pattern: string
  /** Of `imsu`; `g` is accepted without effect, since all matches are found anyway. */
  flags: string
}

interface Match {
  match: string
  index: number
  line: number
  groups: (string | null)[]
  named?: Record<string, string | null>
}

interface Extraction {
  matches: Match[]
  truncated: boolean
}

/** Makes a match exact by the text around it, or drops it. */
type Refine = (found: { match: string; index: number }, text: string) => { match: string; index: number } | undefined

/** RE2 runs in time linear in the length of the text for any pattern. */
async function extract(
  text: string,
  pattern: Pattern,
  { group, named, limit, refine }: { group?: number | string; named: boolean; limit: number; refine?: Refine },
): Promise<Extraction> {
  const matcher = compilePattern(pattern).matcher(text)
  const lines = new LineCounter(text)
  const matches: Match[] = []
  while (matcher.find()) {
    const found = withGroupCheck(() => matcher.group(group ?? 0), group)
    if (found === null) continue
    const plain = { match: found, index: matcher.start(group ?? 0) }
    const exact = refine ? refine(plain, text) : plain
    if (!exact) continue
    if (matches.length === limit) return { matches, truncated: true }
    matches.push({ ...exact, line: lines.lineAt(exact.index), ...listGroups(matcher, named) })
  }
  return { matches, truncated: false }
}

function listGroups(matcher: Matcher, named: boolean): Pick<Match, 'groups' | 'named'> {
  const groups = Array.from({ length: matcher.groupCount() }, (_, offset) => matcher.group(offset + 1))
  const names = named ? matcher.getNamedGroups() : {}
  return { groups, ...(Object.keys(names).length > 0 && { named: { ...names } }) }
}

/** The replacement may use `$1`, `$<name>` and `$$` as in JavaScript. */
async function replace(text: string, pattern: Pattern, replacement: string, refine?: Refine): Promise<string> {
  const regex = compilePattern(pattern)
  const run = () =>
    refine ? replaceRefined(text, regex, replacement, refine) : regex.matcher(text).replaceAll(replacement)
  return withGroupCheck(run, replacement)
}

function replaceRefined(text: string, regex: RE2JS, replacement: string, refine: Refine): string {
  const whole = RE2JS.compile('^.+$', RE2JS.DOTALL)
  const matcher = regex.matcher(text)
  const parts: string[] = []
  let end = 0
  while (matcher.find()) {
    const exact = refine({ match: matcher.group(0)!, index: matcher.start(0) }, text)
    if (!exact) continue
    parts.push(text.slice(end, exact.index), whole.matcher(exact.match).replaceAll(replacement))
    end = exact.index + exact.match.length
  }
  return parts.join('') + text.slice(end)
}

async function test(texts: readonly string[], pattern: Pattern): Promise<boolean[]> {
  const regex = compilePattern(pattern)
  return texts.map(text => regex.matcher(text).find())
}

function withGroupCheck<Value>(read: () => Value, group: unknown): Value {
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

export function compilePattern({ pattern, flags }: Pattern): RE2JS {
  const unsupported = UNSUPPORTED_CONSTRUCTS.find(([, form]) => form.test(pattern))
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

/** Detected here, because the engine does not name the construct. An odd number of backslashes before it escapes it. */
const UNSUPPORTED_CONSTRUCTS: [construct: string, form: RegExp][] = [
  ['lookahead', /(?:^|[^\\])(?:\\\\)*\(\?[=!]/],
  ['lookbehind', /(?:^|[^\\])(?:\\\\)*\(\?<[=!]/],
  ['atomic group', /(?:^|[^\\])(?:\\\\)*\(\?>/],
  ['backreference', /(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/],
]

/** Finds line numbers; the indexes passed to it must not decrease. */
class LineCounter {
  readonly #text: string
  #line = 1
  #lineStart = 0

  constructor(text: string) {
    this.#text = text
  }

  lineAt(index: number): number {
    for (
      let end = this.#text.indexOf('\n', this.#lineStart);
      end >= 0 && end < index;
      end = this.#text.indexOf('\n', end + 1)
    ) {
      this.#line++
      this.#lineStart = end + 1
    }
    return this.#line
  }
}
