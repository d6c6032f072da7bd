import { Type } from 'typebox'
import { Choice, define, FileInput, FileManifest, perStartedBytes, Secret, Warnings } from '#kit'
import {
  createPart,
  createSkippedWarning,
  describeEntry,
  describeUnsafe,
  MAX_OUTPUTS,
  selectEntries,
} from './unzip/entries.ts'
import { openArchive } from './unzip/open.ts'

const MEBIBYTE = 2 ** 20

const Input = Type.Object({
  file: FileInput({ description: 'A zip, tar, tar.gz, gz, 7z or rar.' }),
  action: Choice(['extract', 'list'], { default: 'extract' }),
  entries: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
      minItems: 1,
      maxItems: MAX_OUTPUTS,
      description: 'Names of the entries to extract. Left out: every file, at most 100.',
    }),
  ),
  password: Type.Optional(Secret({ maxLength: 127, description: 'Of a zip or 7z; an encrypted rar is not read.' })),
  skipUnsafe: Type.Boolean({
    default: false,
    description: 'Skip links and names that lead out of the folder, with a warning, instead of rejecting the archive.',
  }),
})

export default define({
  summary: 'List or unpack an archive, with protection against malicious ones.',
  keywords: 'unpack, extract, decompress, open zip, tar, gz, 7z, rar, contents',
  isFeatured: true,
  description:
    'Rejects archives that would unpack to more than 500 MiB, or beyond 50 MiB to more than 200 times their size; ' +
    'overlapping entries, links, and names that lead out of the folder. Listing shows all entries, and unpacks only a rar for it.',
  price: perStartedBytes({ base: '0.001', covered: 20 * MEBIBYTE, step: 20 * MEBIBYTE, dollars: '0.001' }),
  uses: ['unzip', 'packedArchives'],
  optional: ['packedArchives'],
  input: Input,
  output: Type.Object({
    format: Choice(['zip', 'tar', 'gzip', '7z', 'rar']),
    entries: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          kind: Choice(['file', 'folder', 'link', 'other']),
          sizeBytes: Type.Integer(),
          compressedBytes: Type.Integer({ description: 'In a 7z, that of all files that are compressed together.' }),
          isEncrypted: Type.Boolean(),
          modifiedAt: Type.Optional(Type.String()),
          unsafe: Type.Optional(Type.String({ description: 'Why the entry is never unpacked.' })),
        }),
      ),
    ),
    files: Type.Optional(FileManifest('application/octet-stream', { entry: Type.String() })),
    warnings: Warnings,
  }),
  errors: [
    'ARCHIVE_PARSE_FAILED',
    'ARCHIVE_PASSWORD_REQUIRED',
    'ARCHIVE_PASSWORD_INCORRECT',
    'ARCHIVE_UNSAFE',
    'ENTRY_NOT_FOUND',
    'TOO_MANY_OUTPUTS',
    'UNSUPPORTED_FORMAT',
    'TIME_LIMIT_EXCEEDED',
    'MEMORY_LIMIT_EXCEEDED',
    'PROVIDER_NOT_CONFIGURED',
    'SANDBOX_UNAVAILABLE',
  ],
  examples: [
    {
      title: 'What is in it?',
      input: { file: 'sample:notes.zip', action: 'list' },
      answer: { format: 'zip', entries: [{ name: 'a.txt', kind: 'file', sizeBytes: 5 }, { name: 'notes/b.txt' }] },
    },
    {
      title: 'One file of it',
      input: { file: 'sample:notes.zip', entries: ['notes/b.txt'] },
      answer: { format: 'zip', files: [{ index: 0, entry: 'notes/b.txt' }] },
    },
  ],

  async run(input, tools) {
    const { file, action, password } = input
    const archive = await openArchive(file, password, tools)
    const { format } = archive
    const fallback = (file.name ?? 'file').replace(/\.gz$/i, '') || 'file'
    const entries = archive.entries.map(entry => ({ ...entry, name: entry.name || fallback }))
    if (action === 'list') {
      return {
        result: { format, entries: entries.map(entry => ({ ...describeEntry(entry), ...describeUnsafe(entry) })) },
      }
    }
    const { wanted, skipped } = selectEntries(entries, input)
    const paths = await archive.extract(wanted)
    const files = paths.map((path, index) => createPart(path, index, entries[wanted[index]!]!.name))
    return { result: { format, files }, warnings: skipped > 0 ? [createSkippedWarning(skipped)] : undefined }
  },
})
