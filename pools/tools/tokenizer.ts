export function bind() {
  return { countTokens, countEach }
}

type Encoding = 'cl100k' | 'o200k'

/** Longer runs without or of white space are split, because the engine takes quadratic time for them. */
const MAX_RUN_CHARACTERS = 2000
const LONG_RUN = new RegExp(`\\S{${MAX_RUN_CHARACTERS}}|\\s{${MAX_RUN_CHARACTERS}}`)

/** Counts the tokens of a text as a language model sees them. */
async function countTokens(text: string, encoding: Encoding): Promise<number> {
  const encoder = await loadEncoder(encoding)
  let tokens = 0
  for (const chunk of splitAtLines(text))
    tokens += encoder.countTokens(chunk, { allowedSpecial: new Set(), disallowedSpecial: new Set() })
  return tokens
}

/** The tokens of each of several texts. */
function countEach(texts: readonly string[], encoding: Encoding): Promise<number[]> {
  return Promise.all(texts.map(text => countTokens(text, encoding)))
}

function loadEncoder(encoding: Encoding) {
  return encoding === 'cl100k'
    ? import('gpt-tokenizer/encoding/cl100k_base')
    : import('gpt-tokenizer/encoding/o200k_base')
}

/** Splits at line ends, where tokens end too, so that the sum of the counts is exact. */
function* splitAtLines(text: string): Generator<string> {
  for (const run of text.match(/[^\n]*\n+|[^\n]+$/g) ?? []) {
    yield* splitLongRuns(run)
  }
}

function* splitLongRuns(run: string): Generator<string> {
  if (!LONG_RUN.test(run)) return yield run
  for (let start = 0; start < run.length; start += MAX_RUN_CHARACTERS)
    yield run.slice(start, start + MAX_RUN_CHARACTERS)
}
