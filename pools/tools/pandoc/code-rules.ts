/** What is no markup of Typst, in which a rule is only text; and the start of a rule for code. */
const PARTS = /(`{3,})(?!`)[\s\S]*?\1|`[^`]*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<!\\)#show\s+raw\b/g

/**
 * Leaves out the rules of a Typst document that say how code looks. The reader applies them, and loses code that they wrap
 * in what it does not know, or in what it takes for part of a line.
 */
export function leaveOutCodeRules(text: string): string {
  const kept: string[] = []
  let from = 0
  for (const match of text.matchAll(PARTS)) {
    if (!match[0].startsWith('#') || match.index < from) continue
    const end = findRuleEnd(text, match.index + match[0].length)
    if (end === undefined) continue
    kept.push(text.slice(from, match.index))
    const isWholeLine = /(?:^|\n)[ \t]*$/.test(text.slice(0, match.index)) && text[end] === '\n'
    from = isWholeLine || text[end] === ';' ? end + 1 : end
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from)
}

const TOKENS = /"(?:\\.|[^"\\\n])*"|[([{]|[)\]}]|[;\n]/g
/** What an expression cannot end with, so that it goes on in the next line. */
const OPEN_END = /(?:=>|[:,])\s*$/

/** Where the rule ends, outside of all brackets; unknown if they are not closed. */
function findRuleEnd(text: string, start: number): number | undefined {
  let depth = 0
  TOKENS.lastIndex = start
  for (let token = TOKENS.exec(text); token; token = TOKENS.exec(text)) {
    const [mark] = token
    if ('([{'.includes(mark)) depth += 1
    else if (')]}'.includes(mark)) depth -= 1
    const isEnd = mark === ';' || (mark === '\n' && !OPEN_END.test(text.slice(start, token.index)))
    if (depth < 0 || (depth === 0 && isEnd)) return token.index
  }
  return depth === 0 ? text.length : undefined
}
