export function bind() {
  return { count }
}

export type Encoding = 'cl100k' | 'o200k'

/** Letters in one go: the engine takes quadratic time over a long word. */
const MOST_LETTERS = 2000
const LONG_RUN = new RegExp(`\\S{${MOST_LETTERS}}|\\s{${MOST_LETTERS}}`)

/** How many tokens a language model sees in a text. */
async function count(text: string, encoding: Encoding): Promise<number> {
  const { countTokens } = await encoder(encoding)
  let tokens = 0
  for (const piece of piecesOf(text))
    tokens += countTokens(piece, { allowedSpecial: new Set(), disallowedSpecial: new Set() })
  return tokens
}

function encoder(encoding: Encoding) {
  return encoding === 'cl100k'
    ? import('gpt-tokenizer/encoding/cl100k_base')
    : import('gpt-tokenizer/encoding/o200k_base')
}

/** Cut at line ends, where tokens end too; a line without an end in sight is cut anywhere. */
function* piecesOf(text: string): Generator<string> {
  for (const run of text.match(/[^\n]*\n+|[^\n]+$/g) ?? []) {
    yield* wordPieces(run)
  }
}

function* wordPieces(run: string): Generator<string> {
  if (!LONG_RUN.test(run)) return yield run
  for (let start = 0; start < run.length; start += MOST_LETTERS) yield run.slice(start, start + MOST_LETTERS)
}
