import { findKeywords } from './keywords.ts'
import { rateSentences } from './summarize.ts'

export const TITLE_STYLES = ['headline', 'seo', 'filename', 'question'] as const

type TitleStyle = (typeof TITLE_STYLES)[number]

interface TitleOptions {
  maxLength: number
  style: TitleStyle
  count: number
  language?: string | undefined
}

/** Of a document in Markdown or HTML, its own title. */
const HEADING = /^(?:#\s+(.+?)\s*#*|(.+)\n=+)[ \t]*$/m
/** Words with which a part of a sentence begins. */
const OPENERS =
  'of|in|on|at|to|for|with|by|and|or|but|from|as|that|which|who|than|after|before|over|under|because|while|when|und|von|mit|für|auf|bei|nach|aus|zu|oder|weil|dass|eines|einer|et|du|des|pour|avec|dans|sur|y|con|por|para|di|per|e'
/** Small words at the end of a title that was cut. */
const LOOSE_END = new RegExp(
  `[\\s,;:–—-]+(?:${OPENERS}|a|an|the|is|are|was|were|will|has|have|its|their|der|die|das|den|dem|ein|eine|einen|eines|de|la|le|el|en|il)?$`,
  'iu',
)
const OPENING = new RegExp(`\\s(?=(?:${OPENERS})\\s)`, 'giu')

/** Titles made of the text's own words, the best first: its heading, its best sentences cut to length, its best phrases. */
export function findTitles(text: string, { maxLength, style, count, language }: TitleOptions): string[] {
  const heading = readHeading(text)
  const rated = rateSentences(text.slice(0, 40_000), { language })
    .map((sentence, index) => {
      const first = index === 0 ? 1.8 : 1
      return { ...sentence, score: sentence.score * first * rateLength(sentence.text.length, maxLength) }
    })
    .sort((one, other) => other.score - one.score)
  const sentences = rated.map(sentence => sentence.text)
  const phrases = findKeywords(text, { max: count + 2, ngrams: 4, dedupe: true, language }).map(keyword => keyword.text)
  const options = { heading, sentences, phrases, maxLength }
  const titles = STYLES[style](options)
    .map(title => title.trim())
    .filter(title => title !== '')
  return [...new Map(titles.map(title => [title.toLowerCase(), title])).values()].slice(0, count)
}

interface Material {
  heading: string | undefined
  sentences: string[]
  phrases: string[]
  maxLength: number
}

const STYLES: Record<TitleStyle, (material: Material) => string[]> = {
  headline: ({ heading, sentences, phrases, maxLength }) =>
    [...(heading === undefined ? [] : [heading]), ...sentences, ...phrases].map(text => cut(text, maxLength)),
  seo: ({ heading, sentences, phrases, maxLength }) =>
    [heading, ...sentences].flatMap(text =>
      text === undefined ? [] : [addPhrases(cut(text, maxLength), phrases, maxLength)],
    ),
  filename: ({ heading, sentences, phrases, maxLength }) => {
    const source = heading ?? phrases.slice(0, 3).join(' ')
    return [source, ...phrases, ...sentences].map(text => toFilename(text, maxLength))
  },
  question: ({ sentences, heading, maxLength }) =>
    [...(heading === undefined ? [] : [heading]), ...sentences]
      .filter(text => /[?？]$/u.test(text) && text.length <= maxLength)
      .map(text => text),
}

function readHeading(text: string): string | undefined {
  const [, marked, underlined] = HEADING.exec(text.slice(0, 2_000)) ?? []
  const heading = marked ?? underlined
  if (heading !== undefined) return stripMarkup(heading)
  const [first = '', second] = text.trimStart().split('\n', 2)
  const isAlone = second !== undefined && second.trim() === ''
  return isAlone && first.length <= 120 && !/[.!?,;:]$/.test(first.trim()) ? stripMarkup(first) : undefined
}

function stripMarkup(text: string): string {
  return text
    .replaceAll(/[*_`]+/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
}

function rateLength(length: number, maxLength: number): number {
  if (length <= maxLength) return length < 15 ? 0.6 : 1.4
  return 1 / (1 + (length - maxLength) / (2 * maxLength))
}

/** Cut where a part of the sentence ends, else between two words. */
function cut(sentence: string, maxLength: number): string {
  const text = stripMarkup(sentence)
    .replace(/^["“”'‘«]+|["“”'’»]+$/gu, '')
    .replace(/[.。,;:]+$/u, '')
  if (text.length <= maxLength) return text
  const head = text.slice(0, maxLength + 1)
  const clause = Math.max(...[', ', '; ', ': ', ' – ', ' — ', ' ('].map(mark => head.lastIndexOf(mark)))
  if (clause >= maxLength * 0.45) return head.slice(0, clause).trim()
  const space = head.lastIndexOf(' ')
  if (space <= 0) return [...text].slice(0, maxLength).join('')
  // What comes after the last of them is a part that is cut in two.
  const opening = [...text.matchAll(OPENING)].findLast(({ index }) => index <= maxLength)?.index ?? 0
  let short = head.slice(0, opening >= maxLength * 0.55 ? opening : space).replace(/[\s,;:–—-]+$/u, '')
  while (LOOSE_END.test(short) && LOOSE_END.exec(short)![0].length > 1) short = short.replace(LOOSE_END, '')
  return short
}

function addPhrases(title: string, phrases: readonly string[], maxLength: number): string {
  const missing = phrases.find(phrase => !title.toLowerCase().includes(phrase.toLowerCase()))
  const longer = missing === undefined ? title : `${title} | ${missing}`
  return longer.length <= maxLength ? longer : title
}

function toFilename(text: string, maxLength: number): string {
  const words = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  if (words.length <= maxLength) return words
  const end = words.lastIndexOf('-', maxLength)
  return words.slice(0, end > 0 ? end : maxLength)
}
