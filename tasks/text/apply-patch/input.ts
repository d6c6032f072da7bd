import { Type } from 'typebox'
import { Choice } from '#kit'
import { OUT_FORMAT, TEXT_OR_FILE } from '../schema.ts'

export const Steps = Type.Array(
  Type.Object(
    {
      op: Choice(['add', 'remove', 'replace', 'move', 'copy', 'test']),
      path: Type.String({ maxLength: 4096 }),
      from: Type.Optional(Type.String({ maxLength: 4096 })),
      value: Type.Optional(Type.Unsafe<unknown>({})),
    },
    { additionalProperties: true },
  ),
  { maxItems: 10_000 },
)

const JsonPatch = Type.Union([Steps, Type.String({ minLength: 1, maxLength: 4_194_304 })], {
  description:
    'RFC 6902; members that it does not define are ignored, as it says. As a text it keeps every digit of its numbers.',
})

const Replacements = Type.Array(
  Type.Object({
    find: Type.String({ minLength: 1, maxLength: 1_000_000 }),
    replace: Type.String({ maxLength: 1_000_000 }),
    count: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'How many to replace, from the start; 0 is all. Left out: there must be exactly one.',
      }),
    ),
  }),
  { minItems: 1, maxItems: 1000 },
)

const Files = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  maxProperties: 1000,
  description: 'Texts by path, for a patch of several files. No files are read or written.',
})

export const PatchInput = Type.Object({
  ...TEXT_OR_FILE,
  files: Type.Optional(Files),
  patch: Type.Optional(Type.String({ minLength: 1, maxLength: 4_194_304, description: 'A unified diff.' })),
  jsonPatch: Type.Optional(JsonPatch),
  mergePatch: Type.Optional(Type.Unsafe<unknown>({ description: 'RFC 7396.' })),
  searchReplace: Type.Optional(Replacements),
  fuzz: Type.Integer({
    default: 1,
    minimum: 0,
    maximum: 3,
    description: 'Lines of context at each end that may differ. 0: everything must match, line ends included.',
  }),
  ignoreWhitespace: Type.Boolean({ default: false }),
  recountHunks: Type.Boolean({ default: true, description: 'Repair wrong counts and lost leading spaces.' }),
  reverse: Type.Boolean({ default: false, description: 'Undo the patch.' }),
  onReject: Choice(['error', 'report'], { default: 'error' }),
  outFormat: OUT_FORMAT,
})

export const HunkReports = Type.Array(
  Type.Object({
    index: Type.Integer(),
    line: Type.Optional(Type.Integer()),
    offset: Type.Optional(Type.Integer()),
    fuzz: Type.Optional(Type.Integer()),
    status: Choice(['applied', 'rejected', 'ambiguous']),
    file: Type.Optional(Type.String()),
  }),
)
