import type { Edit } from './edit.ts'

/** Sentences that follow a full stop without a space begin with one of these; else it may be a name. */
const OPENINGS = 'The|This|That|It|We|He|She|They|You|But|And|In|On|If|When|However|There|These|Those|Then|So|For|As|At'

interface SpacingRule {
  pattern: RegExp
  replacement: string
  rule: string
  message: string
  /** Languages that do it that way. */
  except?: readonly string[]
}

const RULES: readonly SpacingRule[] = [
  {
    ...{ pattern: /(?<=[\p{L}\p{N},;:.!?)"”’]) {2,}(?=[\p{L}\p{N}("“‘])/gmu, replacement: ' ', rule: 'spacing' },
    message: 'One space is enough.',
  },
  {
    ...{ pattern: /(?<=[\p{L}\p{N})"”’])[ \t]+(?=[,;](?:\s|$))/gmu, replacement: '', rule: 'spacing' },
    message: 'No space belongs before it.',
    except: ['fr'],
  },
  {
    ...{ pattern: /(?<=[\p{L}\p{N})])[ \t]+,(?=\p{L})/gu, replacement: ', ', rule: 'spacing' },
    message: 'The space belongs after the comma.',
  },
  {
    ...{ pattern: /(?<=\p{L}[\p{L})"”’])[ \t]+(?=[.!?](?:\s|$)(?![.)(]))/gmu, replacement: '', rule: 'spacing' },
    message: 'No space belongs before it.',
    except: ['fr'],
  },
  {
    ...{
      pattern: /(?<=\p{Ll}{2}),(?=\p{L}{2})/gu,
      replacement: ', ',
      rule: 'spacing',
      message: 'A space belongs after a comma.',
    },
  },
  {
    ...{
      pattern: new RegExp(`(?<=\\p{Ll}{2})([.!?])(?=(?:${OPENINGS})[ ,])`, 'gu'),
      replacement: '$1 ',
      rule: 'spacing',
    },
    message: 'A space belongs between sentences.',
  },
  { pattern: /(?<!,),{2,}(?!,)/g, replacement: ',', rule: 'punctuation', message: 'One comma is enough.' },
  {
    pattern: /(?<=\p{L})\.{2}(?![./])/gu,
    replacement: '.',
    rule: 'punctuation',
    message: 'One full stop ends a sentence.',
  },
  {
    pattern: /(?<=[\p{L}\p{N}])([!?])\1{2,}/gu,
    replacement: '$1',
    rule: 'punctuation',
    message: 'One mark is enough.',
  },
  { pattern: /(?<=[\p{L}\p{N}]);{2,}/gu, replacement: ';', rule: 'punctuation', message: 'One semicolon is enough.' },
]

const BRACKETS: Record<string, string> = { ')': '(', ']': '[', '}': '{', '”': '“', '»': '«' }
const OPENING = new Set(Object.values(BRACKETS))

export function findSpacing(text: string, language: string | undefined): Edit[] {
  const found = RULES.filter(({ except }) => language === undefined || !except?.includes(language)).flatMap(
    ({ pattern, replacement, rule, message }) =>
      [...text.matchAll(pattern)].map(match => ({
        ...{ start: match.index, end: match.index + match[0].length, original: match[0], rule, message },
        replacement: replacement.replace('$1', match[1] ?? ''),
      })),
  )
  return [...found, ...findUnmatched(text, language)]
}

/** Brackets and quotes without their other half, in each paragraph. Only the author knows where it belongs. */
function findUnmatched(text: string, language: string | undefined): Edit[] {
  const edits: Edit[] = []
  let start = 0
  for (const part of text.split(/(\n[ \t]*\n)/)) {
    for (const at of listUnmatched(part, language)) {
      const mark = part[at]!
      edits.push({
        ...{ start: start + at, end: start + at + 1, original: mark, replacement: null, rule: 'unmatched' },
        message: `“${mark}” has no other half.`,
      })
    }
    start += part.length
  }
  return edits
}

function listUnmatched(text: string, language: string | undefined): number[] {
  const open: { mark: string; at: number }[] = []
  const unmatched: number[] = []
  const isGerman = language === 'de' || text.includes('„')
  for (const { 0: mark, index } of text.matchAll(/[()[\]{}“”«»]/g)) {
    // Lists are marked by `a)` and `1)`, and smiles end with one; in German “ closes.
    const isMark = mark === ')' && /(?:^|[\s(])(?:\w{1,3}|[:;]-?)$/m.test(text.slice(Math.max(0, index - 5), index))
    if (isGerman && /[“”»«]/.test(mark)) continue
    if (OPENING.has(mark)) open.push({ mark, at: index })
    else if (open.at(-1)?.mark === BRACKETS[mark]) open.pop()
    else if (!isMark) unmatched.push(index)
  }
  return [...unmatched, ...open.map(({ at }) => at)].sort((one, other) => one - other)
}
