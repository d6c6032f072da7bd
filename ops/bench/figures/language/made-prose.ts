import { createRandom } from '../location/made-up-roads.ts'

const SYLLABLES = 'ba ker lo min ta ren vi sol du pha rin ost cal den mor gra ti lus ven har'.split(' ')
const SMALL = 'the of and to in is that it for was on are with as at this have from or by not but some which'.split(' ')
const OPINIONS = 'good great terrible excellent slow bad useful broken wonderful disappointing'.split(' ')
const WORDS = 3_000

/** English-looking prose of so many bytes: sentences in paragraphs, with common and rare words. */
export function makeProse(bytes: number, seed = 11): string {
  const random = createRandom(seed)
  const choose = <One>(values: readonly One[]): One => values[Math.floor(random() * values.length)]!
  const vocabulary = Array.from({ length: WORDS }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => choose(SYLLABLES)).join(''),
  )
  const write = (): string => {
    const kind = random()
    if (kind < 0.42) return choose(SMALL)
    // Words come as often as their rank allows, as in any language.
    return kind < 0.44 ? choose(OPINIONS) : vocabulary[Math.floor(WORDS * random() ** 3)]!
  }
  let text = ''
  for (let sentence = 1; text.length < bytes; sentence++) {
    const words = Array.from({ length: 8 + Math.floor(random() * 18) }, write).join(' ')
    text += `${words[0]!.toUpperCase()}${words.slice(1)}.${sentence % 6 === 0 ? '\n\n' : ' '}`
  }
  return text.slice(0, bytes)
}
