import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, type InputFile, Problem, Warnings } from '#kit'
import { OUT_FORMAT, readTextFile, textPrice } from './content-shape.ts'
import { answerDiff, answerOps } from './diff-answer-shape.ts'
import { editsOf, htmlOf, opsOf, sideBySide, statsOf, unified } from './edits-shape.ts'
import { jsonPatchOf } from './json-diff-shape.ts'
import { GRANULARITIES, Numbering, parseJson, piecesOf, sortedJson } from './tokens-shape.ts'

const NAME = { minLength: 1, maxLength: 255, pattern: '^[^\\r\\n\\t]+$' }

export default define({
  summary: 'Compare two texts, or two JSON documents.',
  description:
    'By lines, words, letters or sentences; JSON by content, with its keys in order, also as an RFC 6902 patch. ' +
    'unified is what the program patch reads. Results above 1 MiB are files.',
  price: textPrice([]),
  uses: ['textDiff'],
  input: Type.Object({
    a: FileInput({ description: 'The old text: a source such as {"text": "..."}.', allowEmpty: true }),
    b: FileInput({ description: 'The new text.', allowEmpty: true }),
    granularity: Choice([...GRANULARITIES, 'json'], { default: 'lines' }),
    format: Type.Optional(
      Choice(['unified', 'ops', 'html', 'side-by-side'], {
        description: 'Left out: unified for lines and json, ops for the others. unified and side-by-side are by lines.',
      }),
    ),
    context: Type.Integer({ default: 3, minimum: 0, maximum: 1000, description: 'Lines around a change.' }),
    ignoreWhitespace: Type.Boolean({ default: false }),
    ignoreCase: Type.Boolean({ default: false }),
    fileA: Type.String({ default: 'a', ...NAME }),
    fileB: Type.String({ default: 'b', ...NAME }),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    diff: Type.Optional(Type.String()),
    ops: Type.Optional(Type.Array(Type.Object({ op: Type.String(), value: Type.String(), count: Type.Integer() }))),
    jsonPatch: Type.Optional(Type.Array(Type.Unsafe<object>({ type: 'object' }))),
    stats: Type.Object({
      added: Type.Integer(),
      removed: Type.Integer(),
      changed: Type.Integer({ description: 'Of both, what has a counterpart on the other side.' }),
      similarity: Type.Number({ minimum: 0, maximum: 1 }),
    }),
    output: Type.Optional(FileOutput(['text/x-diff', 'text/html', 'text/plain', 'application/json'])),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'UNSUPPORTED_FORMAT', 'JSON_PARSE_FAILED', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'One changed line',
      input: { a: { text: 'one\ntwo\n' }, b: { text: 'one\n2\n' }, fileA: 'old.txt', fileB: 'new.txt' },
      answer: { diff: '--- old.txt\n+++ new.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n', stats: { added: 1, removed: 1 } },
    },
    {
      title: 'JSON by content',
      input: {
        a: { text: '{"b":1,"a":[1,2]}' },
        b: { text: '{"a":[1,2,3],"b":1}' },
        granularity: 'json',
        format: 'ops',
      },
      answer: { jsonPatch: [{ op: 'add', path: '/a/2', value: 3 }] },
    },
  ],

  async run(input, { textDiff }) {
    const { granularity, fileA, fileB, context, outFormat } = input
    const byLines = granularity === 'lines' || granularity === 'json'
    const format = input.format ?? (byLines ? 'unified' : 'ops')
    if (!byLines && (format === 'unified' || format === 'side-by-side')) {
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['granularity', 'format'] })
    }
    const { texts, warnings, jsonPatch } = await readBoth(input, granularity === 'json')
    const [left, right] = texts.map(text => piecesOf(text, granularity === 'json' ? 'lines' : granularity))
    const numbering = new Numbering(keyOf(input))
    const pairs = await textDiff.matches(numbering.number(left!), numbering.number(right!))
    const edits = editsOf(pairs, left!.length, right!.length)
    const found = { stats: statsOf(edits), ...(jsonPatch && { jsonPatch }) }
    if (format === 'ops')
      return { result: { ...found, ...answerOps(opsOf(edits, left!, right!), outFormat) }, warnings }
    const writers = {
      unified: () => unified(edits, left!, right!, { fileA, fileB, context }),
      html: () => htmlOf(opsOf(edits, left!, right!)),
      'side-by-side': () => sideBySide(edits, left!, right!),
    }
    return { result: { ...found, ...answerDiff(writers[format](), format, outFormat) }, warnings }
  },
})

async function readBoth({ a, b }: { a: InputFile; b: InputFile }, isJson: boolean) {
  const [left, right] = [await readTextFile(a), await readTextFile(b)]
  const warnings = [...(left.warnings ?? []), ...(right.warnings ?? [])]
  if (!isJson) return { texts: [left.text, right.text], warnings }
  const [from, to] = [parseJson(left.text, { field: 'a' }), parseJson(right.text, { field: 'b' })]
  const texts = [from, to].map(value => `${JSON.stringify(sortedJson(value), null, 2)}\n`)
  return { texts, warnings, jsonPatch: jsonPatchOf(from, to) }
}

function keyOf({ ignoreCase, ignoreWhitespace }: { ignoreCase: boolean; ignoreWhitespace: boolean }) {
  return (piece: string) => {
    const key = ignoreWhitespace ? piece.replace(/\s+/g, ' ').trim() : piece
    return ignoreCase ? key.toLowerCase() : key
  }
}
