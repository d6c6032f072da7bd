import { Type } from 'typebox'
import { define, exactlyOne, FileOutput, type InputFile, type Warning, Warnings } from '#kit'
import { decodeXml, parseXml, type XmlElement } from '../formats/markup/xml.ts'
import { answerText, OUT_FORMAT, readContent, TEXT_OR_FILE, textPrice } from './schema.ts'

const MIXED: Warning = {
  code: 'MIXED_CONTENT',
  message: 'An element has texts between its elements; they are joined in `#text`.',
}

export default define({
  summary: 'Convert XML to JSON.',
  keywords:
    'xml to json, parse xml, read xml, rss or atom feed to json, soap, sitemap xml, xml attributes, convert an xml document',
  converts: [{ from: 'xml', to: 'json' }],
  description:
    'Attributes are `@name`, a text beside them is `#text`, and elements of one name are a list. All values are texts, ' +
    'without blanks around them; prefixes of namespaces stay. A document with a DOCTYPE, or deeper than 60 elements, is refused.',
  price: textPrice(),
  uses: [],
  input: Type.Object({
    ...TEXT_OR_FILE,
    lists: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      default: [],
      maxItems: 100,
      description: 'Names of elements that are a list also where there is one.',
    }),
    indent: Type.Integer({ default: 2, minimum: 0, maximum: 8, description: 'Spaces per level.' }),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('application/json')),
    warnings: Warnings,
  }),
  errors: ['DOC_PARSE_FAILED', 'ENCODING_INVALID', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'Orders',
      input: {
        text: '<orders><order id="7"><item>Tea</item></order><order id="8"><item>Milk &amp; sugar</item></order></orders>',
        indent: 0,
      },
      answer: { text: '{"orders":{"order":[{"@id":"7","item":"Tea"},{"@id":"8","item":"Milk & sugar"}]}}' },
    },
  ],

  async run(input) {
    const { text, warnings = [] } = await readXml(input)
    const root = parseXml(text, name => name)
    const lists = new Set(input.lists)
    const read = (element: XmlElement) => readElement(element, lists)
    const value = { [root.name]: lists.has(root.name) ? [read(root)] : read(root) }
    const answer = answerText(
      JSON.stringify(value, null, input.indent),
      input.outFormat,
      'converted.json',
      'application/json',
    )
    return { result: answer, warnings: isMixed(root) ? [...warnings, MIXED] : warnings }
  },
})

/** A file is read in the charset that it declares. */
async function readXml(input: { text?: string; file?: InputFile }): Promise<{ text: string; warnings?: Warning[] }> {
  if (exactlyOne(input, ['text', 'file']) === 'text') return readContent(input)
  return { text: decodeXml(await input.file!.bytes()) }
}

function readElement(element: XmlElement, lists: ReadonlySet<string>): unknown {
  const { attributes, children } = element
  const text = element.text.trim()
  const byName = Map.groupBy(children, ({ name }) => name)
  const entries: [string, unknown][] = Object.entries(attributes).map(([name, value]) => [`@${name}`, value])
  for (const [name, same] of byName) {
    const values = same.map(child => readElement(child, lists))
    entries.push([name, values.length > 1 || lists.has(name) ? values : values[0]])
  }
  if (entries.length === 0) return text
  return Object.fromEntries(text === '' ? entries : [...entries, ['#text', text]])
}

function isMixed({ children, text }: XmlElement): boolean {
  return (children.length > 0 && text.trim() !== '') || children.some(isMixed)
}
