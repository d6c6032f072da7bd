import { Type } from 'typebox'
import { Choice, define, exactlyOne, Problem, Warnings } from '#kit'
import { localeOf } from './casing-shape.ts'
import { checkTextSize, readTextFile, TEXT_OR_FILE, textPrice } from './content-shape.ts'
import { type SlugManner, slugOf, TakenSlugs, writeOut } from './slug-shape.ts'

const SLUGS = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 10_000 })

export default define({
  summary: 'Make a name for a URL out of a text.',
  description:
    'Any script is written in ASCII letters, words are joined by the separator, and the length is kept by leaving out ' +
    'whole words. With `reserved` or `existing`, a name that is taken gets -2, -3 and so on, within a batch too.',
  price: textPrice(),
  uses: ['anyAscii'],
  input: Type.Object({
    ...TEXT_OR_FILE,
    texts: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 1000, description: 'A batch.' })),
    separator: Type.String({ default: '-', maxLength: 3, pattern: '^[-_.~]*$' }),
    lower: Type.Boolean({ default: true }),
    maxLength: Type.Integer({ default: 80, minimum: 1, maximum: 255 }),
    locale: Type.String({ default: 'und', maxLength: 35, description: 'de writes ä as ae, da å as aa, tr ı as i.' }),
    transliterate: Choice(['ascii', 'keep'], { default: 'ascii', description: 'keep leaves letters in their script.' }),
    reserved: Type.Optional({ ...SLUGS, description: 'Names never given.' }),
    existing: Type.Optional({ ...SLUGS, description: 'Names already given.' }),
    fallback: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Taken for a text of which nothing is left.' }),
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
    const manner = { ...input, locale: localeOf(input.locale) }
    const { texts, warnings } = await textsOf(input)
    const plain = async (text: string) => {
      const written = writeOut(text, manner.locale)
      return slugOf(input.transliterate === 'keep' ? written : await anyAscii.transliterate(written), manner)
    }
    const slugs: string[] = []
    for (const [index, text] of texts.entries()) {
      const slug = (await plain(text)) || (await plain(input.fallback ?? ''))
      if (slug === '') throw new Problem('SLUG_EMPTY', input.texts ? { index } : {})
      slugs.push(slug)
    }
    const given = spread(slugs, input, manner)
    return { result: input.texts ? { slugs: given } : { slug: given[0]! }, warnings }
  },
})

interface Names {
  reserved?: string[]
  existing?: string[]
}

function spread(slugs: string[], { reserved, existing }: Names, manner: SlugManner): string[] {
  if (!reserved && !existing) return slugs
  const taken = new TakenSlugs([...(reserved ?? []), ...(existing ?? [])], manner)
  return slugs.map(slug => taken.take(slug))
}

type Source = { text?: string; texts?: string[]; file?: Parameters<typeof readTextFile>[0] }

async function textsOf(input: Source) {
  const given = exactlyOne(input, ['text', 'texts', 'file'])
  if (given === 'file') {
    const { text, warnings } = await readTextFile(input.file!)
    return { texts: [text], warnings }
  }
  const texts = input.texts ?? [input.text!]
  for (const text of texts) checkTextSize(text)
  return { texts, warnings: undefined }
}
