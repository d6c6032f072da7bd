import type { HostContext } from '../../host-context.ts'
import { ToolCrashed } from '../../tool-crashed.ts'

/** Suggestions take long, so only the first words that are in no dictionary get them. */
const MAX_SUGGESTED = 300
const LIMITS = { memoryMb: 512, timeoutMs: 60_000, outputLimitBytes: 2 ** 20, stdoutLimitBytes: 4 * 2 ** 20 }

interface Dictionary {
  folder: string
  /** Of its two files, without their ends. */
  name: string
}

interface UnknownWord {
  word: string
  suggestions: string[]
}

/** Finds words that a dictionary of Hunspell does not have, with what may be meant. */
export function bind(context: HostContext) {
  return { findUnknown: (words: readonly string[], dictionary: Dictionary) => findUnknown(context, words, dictionary) }
}

async function findUnknown(
  context: HostContext,
  words: readonly string[],
  dictionary: Dictionary,
): Promise<UnknownWord[]> {
  if (words.length === 0) return []
  const listed = await run(context, dictionary, ['-l'], words)
  const unknown = new Set(listed.split('\n').filter(Boolean))
  // A word that it takes for two is listed by its parts.
  const found = words.filter(word => unknown.has(word))
  const suggested = found.slice(0, MAX_SUGGESTED)
  const answers =
    suggested.length === 0
      ? ''
      : await run(
          context,
          dictionary,
          ['-a'],
          suggested.map(word => `^${word}`),
        )
  const suggestions = parseAnswers(answers)
  return found.map(word => ({ word, suggestions: suggestions.get(word) ?? [] }))
}

async function run(
  context: HostContext,
  { folder, name }: Dictionary,
  args: readonly string[],
  lines: readonly string[],
): Promise<string> {
  const stdin = Buffer.from(`${lines.join('\n')}\n`)
  const options = { ...LIMITS, stdin, visible: [folder] }
  const { code, stdout, stderr } = await context.programs.run(
    context,
    'hunspell',
    ['-d', `${folder}/${name}`, '-i', 'UTF-8', ...args],
    options,
  )
  if (code !== 0) throw new ToolCrashed('hunspell', stderr.slice(0, 500))
  return stdout
}

/** A line is `& word count place: one, other` of a word that it does not know. */
function parseAnswers(text: string): Map<string, string[]> {
  const found = text.matchAll(/^& (\S+) \d+ \d+: (.*)$/gm)
  return new Map(Array.from(found, ([, word, list]) => [word!, list!.split(', ')]))
}
