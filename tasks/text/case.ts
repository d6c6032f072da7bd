import { Type } from 'typebox'
import { Choice, define, FileOutput, Warnings } from '#kit'
import { CASES, convertCase, parseLocale } from '../formats/words/casing.ts'
import { answerText, readContent, TEXT_OR_FILE, textPrice } from './schema.ts'

export default define({
  summary: 'Change the case of a text, as prose or as an identifier.',
  keywords:
    'uppercase, lowercase, capitalise, camelcase, snake_case, kebab, title case, identifier, snake_case, camelCase',
  description:
    'lower, upper, title, sentence and swap change nothing but the case. camel, pascal, snake, kebab, constant, dot, path ' +
    'and train form one identifier from the words of the text, or of each line. Results above 1 MiB are returned as files.',
  price: textPrice(),
  uses: [],
  instant: { maxBytes: 4096 },
  input: Type.Object({
    ...TEXT_OR_FILE,
    to: Choice(CASES),
    locale: Type.String({
      default: 'und',
      maxLength: 35,
      description:
        'A language tag. Examples: tr keeps its two letters i, nl capitalises ij, titles keep small words of the language.',
    }),
    keepAcronyms: Type.Boolean({ default: false, description: 'Keep words that are all capitals.' }),
    sharpS: Choice(['SS', 'ẞ'], { default: 'SS', description: 'The capital of ß.' }),
    lines: Type.Boolean({ default: false, description: 'Convert each line separately and keep its end.' }),
    outFormat: Type.Optional(Choice(['json', 'file'], { description: 'Left out: JSON up to 1 MiB.' })),
  }),
  output: Type.Object({
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('text/plain')),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS'],
  examples: [
    {
      title: 'A title',
      input: { text: 'the lord of the rings: the return of the king', to: 'title' },
      answer: { text: 'The Lord of the Rings: The Return of the King' },
    },
    {
      title: 'Names for code',
      input: { text: 'Parse XML file\nHTTPServer2Config', to: 'snake', lines: true },
      answer: { text: 'parse_xml_file\nhttp_server2_config' },
    },
    {
      title: 'Turkish capitals',
      input: { text: 'ısı istanbul', to: 'upper', locale: 'tr' },
      answer: { text: 'ISI İSTANBUL' },
    },
  ],

  async run({ text, file, to, locale: tag, keepAcronyms, sharpS, lines, outFormat }) {
    const options = { locale: parseLocale(tag), keepAcronyms, sharpS }
    const { text: content, warnings } = await readContent({ text, file })
    const converted = lines
      ? mapLines(content, line => convertCase(line, to, options))
      : convertCase(content, to, options)
    return { result: answerText(converted, outFormat, file?.name ?? 'text.txt'), warnings }
  },
})

function mapLines(text: string, rewrite: (line: string) => string): string {
  return text
    .split(/(\r\n|\r|\n)/)
    .map((part, index) => (index % 2 === 0 ? rewrite(part) : part))
    .join('')
}
