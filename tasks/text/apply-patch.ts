import { type Static, Type } from 'typebox'
import { define, exactlyOne, FileOutput, type InputFile, Problem, type Warning, Warnings } from '#kit'
import { formatJsonLike, parseJson } from '../formats/diff/json.ts'
import { patchFiles, patchText } from './apply-patch/files.ts'
import { HunkReports, PatchInput } from './apply-patch/input.ts'
import { applyJsonPatch, applyMergePatch, readJsonPatch, warnOfRounded } from './apply-patch/json-patch.ts'
import { parsePatch, reversePatches } from './apply-patch/parse.ts'
import { applyReplacements } from './apply-patch/search-replace.ts'
import { answerText, checkTextSize, fitsInline, readContent, textPrice } from './schema.ts'

export default define({
  summary: 'Apply a patch to a text: a unified diff, a JSON patch, or search and replace.',
  keywords: 'git diff, unified diff, json patch, source code, edit, search and replace blocks',
  description:
    'Repairs typical mistakes in diffs written by models: fences, wrong counts and line numbers, lost spaces, other line ' +
    'ends. A hunk is matched exactly, then ignoring trailing space, then with less context, then by similarity, and away ' +
    'from the line it names only if it matches a single place.',
  price: textPrice(['text', 'patch']),
  uses: [],
  input: PatchInput,
  output: Type.Object({
    text: Type.Optional(Type.String()),
    files: Type.Optional(Type.Unsafe<Record<string, string>>({ type: 'object' })),
    output: Type.Optional(FileOutput(['text/plain', 'application/json'])),
    applied: Type.Integer({ description: 'The number of hunks, steps or replacements applied.' }),
    hunks: HunkReports,
    rejects: Type.Array(Type.String()),
    warnings: Warnings,
  }),
  errors: [
    ...(['CONFLICTING_OPTIONS', 'PATCH_INVALID', 'PATCH_REJECTED', 'PATCH_AMBIGUOUS', 'JSON_PARSE_FAILED'] as const),
    ...(['OUTPUT_TOO_LARGE', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'] as const),
  ],
  examples: [
    {
      title: 'A hunk without numbers, as models write them',
      input: { text: 'one\ntwo\nthree\n', patch: '```diff\n@@ @@\n one\n-two\n+2\n```' },
      answer: { text: 'one\n2\nthree\n', applied: 1 },
    },
    {
      title: 'A JSON merge patch',
      input: { text: '{"a":1,"b":{"c":2}}', mergePatch: { b: { c: null, d: 3 } } },
      answer: { text: '{"a":1,"b":{"d":3}}' },
    },
    {
      title: 'Find and replace',
      input: { text: 'let x = 1', searchReplace: [{ find: 'x = 1', replace: 'x = 2' }] },
      answer: { text: 'let x = 2' },
    },
  ],

  async run(input) {
    const kind = exactlyOne(input, ['patch', 'jsonPatch', 'mergePatch', 'searchReplace'])
    if (input.files) return { result: patchSeveral(input, kind) }
    const { text, warnings = [] } = await readContent(input as { text?: string; file?: InputFile })
    const rounded = warnOfRounded(input.jsonPatch ?? input.mergePatch)
    return { result: patchOne(text, kind, input), warnings: [...(warnings as Warning[]), ...rounded] }
  },
})

type PatchRequest = Static<typeof PatchInput>

function patchOne(text: string, kind: string, input: PatchRequest) {
  const name = input.file?.name ?? 'patched.txt'
  if (kind === 'jsonPatch' || kind === 'mergePatch') {
    const document = parseJson(text)
    const steps = input.jsonPatch === undefined ? undefined : readJsonPatch(input.jsonPatch)
    const result = steps ? applyJsonPatch(document, steps) : applyMergePatch(document, input.mergePatch)
    const answer = answerText(formatJsonLike(result, text), input.outFormat, name)
    return { ...answer, applied: steps?.length ?? 1, hunks: [], rejects: [] }
  }
  const patched =
    input.patch !== undefined
      ? patchText(text, readPatches(input), input)
      : applyReplacements(text, input.searchReplace!)
  return { ...answerText(patched.text, input.outFormat, name), ...createReport(patched, input) }
}

function readPatches({ patch, recountHunks, reverse }: PatchRequest) {
  const patches = parsePatch(patch!, recountHunks)
  return reverse ? reversePatches(patches) : patches
}

function patchSeveral(input: PatchRequest, kind: string) {
  const others = (['text', 'file'] as const).filter(field => input[field] !== undefined)
  if (kind !== 'patch' || others.length > 0)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['files', ...others, kind] })
  checkTextSize(Object.values(input.files!).join(''), 'files')
  const { files, ...patched } = patchFiles(input.files!, readPatches(input), input)
  const text = JSON.stringify(files)
  const report = createReport(patched, input)
  if (input.outFormat !== 'file' && fitsInline(text)) return { files, ...report }
  return { output: { bytes: Buffer.from(text), contentType: 'application/json', name: 'patched.json' }, ...report }
}

type Report = Pick<ReturnType<typeof applyReplacements>, 'hunks' | 'rejects'>

function createReport({ hunks, rejects }: Report, { onReject }: { onReject: string }) {
  const failed = hunks.filter(({ status }) => status !== 'applied')
  if (failed.length > 0 && onReject === 'error') {
    const isAmbiguous = failed.every(({ status }) => status === 'ambiguous')
    throw new Problem(isAmbiguous ? 'PATCH_AMBIGUOUS' : 'PATCH_REJECTED', { hunks: failed.slice(0, 100) })
  }
  return { applied: hunks.length - failed.length, hunks, rejects }
}
