import { Type } from 'typebox'
import { Choice, type Tools } from '#kit'
import { buildCleaningRules } from './cleaning.ts'

export type Article = Awaited<ReturnType<Tools['readability']['extract']>>
export type ArticleOptions = Pick<Parameters<Tools['readability']['extract']>[1], 'selector' | 'include' | 'format'>

/** What of an article is given, and how. */
export const articleFields = {
  format: Choice(['markdown', 'html', 'text'], { default: 'markdown' }),
  include: Type.Object(
    {
      ...{ links: Type.Boolean({ default: true }), images: Type.Boolean({ default: true }) },
      ...{ tables: Type.Boolean({ default: true }), code: Type.Boolean({ default: true }) },
    },
    { default: {} },
  ),
  maxChars: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'Cut the content here.' })),
  frontmatter: Type.Boolean({ default: false, description: 'Begin Markdown with the metadata as YAML.' }),
}

const Text = Type.Optional(Type.String())

/** What a page says of itself, and what was counted. */
export const articleFacts = {
  title: Type.String(),
  ...{ byline: Text, siteName: Text, publishedAt: Text, modifiedAt: Text, lang: Text, dir: Text, excerpt: Text },
  ...{ leadImage: Text, favicon: Text, canonicalUrl: Text },
  ...{ wordCount: Type.Integer(), readingMinutes: Type.Integer(), readable: Type.Boolean() },
  links: Type.Optional(Type.Array(Type.Object({ text: Type.String(), url: Type.String() }))),
  images: Type.Optional(Type.Array(Type.Object({ url: Type.String(), alt: Type.String() }))),
}

/** What stays of the HTML of an article. */
export const ARTICLE_RULES = buildCleaningRules({
  profile: 'rich',
  allowSchemes: ['http', 'https', 'mailto', 'tel'],
  allowStyles: false,
  linkRel: '',
  stripComments: true,
})

const WORDS_PER_MINUTE = 220
/** Scripts that put no spaces between words; a word has about two characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu

interface ResultOptions {
  include: { links: boolean; images: boolean }
  maxChars?: number
  frontmatter: boolean
}

export function toResult(article: Article, { include, maxChars, frontmatter }: ResultOptions) {
  const { isPaywalled: _, isSelectorFound: __, guessedCharset: ___, ...output } = article
  const { text, links, images, content, readable, ...metadata } = output
  const wordCount = countWords(text)
  const front = frontmatter ? writeFrontmatter(metadata) : ''
  return {
    ...metadata,
    content: front + cut(content, maxChars),
    wordCount,
    readingMinutes: Math.max(1, Math.ceil(wordCount / WORDS_PER_MINUTE)),
    ...(include.links && { links }),
    ...(include.images && { images }),
    readable,
  }
}

function countWords(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0
  const spaced = text.replace(UNSPACED, ' ').match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu)?.length ?? 0
  return spaced + Math.ceil(unspaced / 2)
}

/** Cuts between characters, never within one. */
function cut(text: string, maxChars: number | undefined): string {
  if (maxChars === undefined || text.length <= maxChars) return text
  return text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')
}

function writeFrontmatter(metadata: Record<string, unknown>): string {
  const lines = Object.entries(metadata).filter(([, value]) => typeof value === 'string' && value !== '')
  return `---\n${lines.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n')}\n---\n\n`
}
