import { Type } from 'typebox'
import { Choice, define, exactlyOne, Problem, Warnings } from '#kit'
import { readTextFile } from '../formats/charsets/read-text.ts'
import { parseLocale } from '../formats/words/casing.ts'
import { checkTextSize, TEXT_OR_FILE, textPrice } from './schema.ts'
import { createSlug, type SlugOptions, spellOut, TakenSlugs } from './slugify/slug.ts'

const SLUGS = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 10_000 })

export default define({
  summary: 'Turn a text into a slug for a URL.',
  keywords: 'url from a headline, slug of a title, permalink, url friendly, file name, ascii, transliterate',
  description:
    'Transliterates any script to ASCII, joins words with the separator, and shortens by leaving out whole words. With ' +
    '`reserved` or `existing`, a slug that is taken gets -2, -3 and so on, also within a batch.',
  price: textPrice(),
  uses: ['anyAscii'],
  input: Type.Object({
    ...TEXT_OR_FILE,
    texts: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 1000, description: 'A batch.' })),
    separator: Type.String({ default: '-', maxLength: 3, pattern: '^[-_.~]*$' }),
    lower: Type.Boolean({ default: true }),
    maxLength: Type.Integer({ default: 80, minimum: 1, maximum: 255 }),
    locale: Type.String({
      default: 'und',
      maxLength: 35,
      description: 'A language tag. Examples: de writes ä as ae, da å as aa, tr ı as i.',
    }),
    transliterate: Choice(['ascii', 'keep'], {
      default: 'ascii',
      description: 'keep leaves letters in their own script.',
    }),
    reserved: Type.Optional({ ...SLUGS, description: 'Slugs that are never used.' }),
    existing: Type.Optional({ ...SLUGS, description: 'Slugs that are in use.' }),
    fallback: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Used if nothing is left of a text.' }),
    ),
  }),
  output: Type.Object({
    slug: Type.Optional(Type.String()),
    slugs: Type.Optional(Type.Array(Type.String(), { description: 'One for each of `texts`, in their order.' })),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'SLUG_EMPTY'],
  examples: [
    { title: 'A headline', input: { text: 'Crème brûlée & 北京!' }, answer: { slug: 'creme-brulee-and-beijing' } },
    {
      title: 'German letters',
      input: { text: 'Größe für Übermut', locale: 'de' },
      answer: { slug: 'groesse-fuer-uebermut' },
    },
    {
      title: 'A batch of which no two are the same',
      input: { texts: ['Hello', 'hello!', 'World'], existing: ['world'] },
      answer: { slugs: ['hello', 'hello-2', 'world-2'] },
    },
  ],

  async run(input, { anyAscii }) {
    const options = { ...input, locale: parseLocale(input.locale) }
    const { texts, warnings } = await readTexts(input)
    const plain = async (text: string) => {
      const written = spellOut(text, options.locale)
      return createSlug(input.transliterate === 'keep' ? written : await anyAscii.transliterate(written), options)
    }
    const slugs: string[] = []
    for (const [index, text] of texts.entries()) {
      const slug = (await plain(text)) || (await plain(input.fallback ?? ''))
      if (slug === '') throw new Problem('SLUG_EMPTY', input.texts ? { index } : {})
      slugs.push(slug)
    }
    const given = makeUnique(slugs, input, options)
    return { result: input.texts ? { slugs: given } : { slug: given[0]! }, warnings }
  },
})

interface Names {
  reserved?: string[]
  existing?: string[]
}

function makeUnique(slugs: string[], { reserved, existing }: Names, options: SlugOptions): string[] {
  if (!reserved && !existing) return slugs
  const taken = new TakenSlugs([...(reserved ?? []), ...(existing ?? [])], options)
  return slugs.map(slug => taken.take(slug))
}

type Source = { text?: string; texts?: string[]; file?: Parameters<typeof readTextFile>[0] }

async function readTexts(input: Source) {
  const given = exactlyOne(input, ['text', 'texts', 'file'])
  if (given === 'file') {
    const { text, warnings } = await readTextFile(input.file!)
    return { texts: [text], warnings }
  }
  const texts = input.texts ?? [input.text!]
  for (const text of texts) checkTextSize(text)
  return { texts, warnings: undefined }
}
