import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { FileInput, filesIn, type InputFile, newId, type Problem, type StagedFile } from '#kit'
import { type FileRoom, stageFiles } from '../../api/intake/files.ts'
import { readyInput } from '../../api/intake/ready-input.ts'
import { LocalStore } from '../../ops/storage/index.ts'
import { collected, patterned } from '../support/bytes.ts'
import { PUBLIC_URL } from '../support/doors.ts'
import { freshFolder } from '../support/folder.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const PDF = Buffer.from('%PDF-1.7\n%\n')
const MAX_INLINE = 200_000
const MAX_STORED = 400_000

const ANY = Type.Object({ file: FileInput() })
const PDF_ONLY = Type.Object({ file: FileInput({ accept: ['application/pdf'], refuse: 'PDF_PARSE_FAILED' }) })
const PICTURES = Type.Object({ files: Type.Array(FileInput({ accept: ['image/*'] })) })
const TABLE = Type.Object({ file: FileInput({ accept: ['text/csv'], rows: true }) })

const b64 = (bytes: Buffer) => bytes.toString('base64')
const bad = (code: string, hints: object) => expect.objectContaining({ code, hints: expect.objectContaining(hints) })

describe('a source', () => {
  test.each([
    ['none', {}],
    ['two', { inline: '', text: 'x' }],
    ['a reference without its baton', { text: 'x', entryRef: 'e' }],
  ])('of %s is refused', async (_name, file) => {
    await using home = await openHome()
    await expect(home.stage(ANY, { file })).rejects.toEqual(bad('INVALID_SOURCE', { field: 'file' }))
  })

  test('given inline or as text comes out as the same file', async () => {
    await using home = await openHome()
    const content = 'Grüße'
    for (const file of [{ inline: b64(Buffer.from(content)) }, { text: content }]) {
      const staged = await home.stage(ANY, { file })
      expect(staged.input).toEqual({ file: { type: 'text/plain', sizeBytes: 7 } })
      expect(staged).toMatchObject({ totalBytes: 7, isInMemory: true })
    }
  })

  test('of rows is JSON, even where only a table is taken', async () => {
    await using home = await openHome()
    const { input } = await home.stage(TABLE, { file: { rows: [{ a: 1 }] } })
    expect(input).toEqual({ file: { type: 'application/json', sizeBytes: 9 } })
    const [file] = filesIn(readyInput(TABLE, input))
    expect(Buffer.from(await file!.bytes()).toString()).toBe('[{"a":1}]')
  })

  test('of broken base64, of an address and of a baton has each its own refusal', async () => {
    await using home = await openHome()
    await expect(home.stage(ANY, { file: { inline: 'a*b' } })).rejects.toEqual(bad('INVALID_BASE64', { field: 'file' }))
    await expect(home.stage(ANY, { file: { url: 'http://x' } })).rejects.toEqual(bad('MODE_DISABLED', { mode: 'url' }))
    await expect(home.stage(ANY, { file: { batonId: 'b' } })).rejects.toEqual(bad('INPUT_NOT_FOUND', { field: 'file' }))
  })

  test('is measured before it is decoded, and the limit itself is allowed', async () => {
    await using home = await openHome()
    const over = bad('INPUT_TOO_LARGE', { ceiling: MAX_INLINE, field: 'file' })
    await expect(home.stage(ANY, { file: { inline: b64(Buffer.alloc(MAX_INLINE + 1)) } })).rejects.toEqual(over)
    await expect(home.stage(ANY, { file: { text: 'x'.repeat(MAX_INLINE + 1) } })).rejects.toEqual(over)
    const { totalBytes } = await home.stage(ANY, { file: { text: 'x'.repeat(MAX_INLINE) } })
    expect(totalBytes).toBe(MAX_INLINE)
  })

  test('that is empty is refused, unless it may be', async () => {
    await using home = await openHome()
    for (const file of [{ inline: '' }, { text: '' }, { inline: 'data:;base64,' }]) {
      await expect(home.stage(ANY, { file })).rejects.toEqual(bad('INPUT_EMPTY', { field: 'file' }))
    }
    const open = Type.Object({ file: FileInput({ allowEmpty: true, accept: ['image/png'] }) })
    expect((await home.stage(open, { file: { text: '' } })).totalBytes).toBe(0)
  })

  test('of another type is refused by the code of its rule, with what it is and which one it was', async () => {
    await using home = await openHome()
    await expect(home.stage(PDF_ONLY, { file: { inline: b64(PNG) } })).rejects.toEqual(
      bad('PDF_PARSE_FAILED', { detected: 'image/png', supported: ['application/pdf'], field: 'file' }),
    )
    const files = [{ inline: b64(PNG) }, { inline: b64(PDF) }]
    await expect(home.stage(PICTURES, { files })).rejects.toEqual(
      bad('UNSUPPORTED_FORMAT', { detected: 'application/pdf', supported: ['image/*'], field: 'files.1', index: 1 }),
    )
  })

  test('that is wrong is named first among several wrong ones', async () => {
    await using home = await openHome()
    const files = [{ inline: b64(PNG) }, { text: '' }, { inline: '*' }]
    await expect(home.stage(PICTURES, { files })).rejects.toEqual(bad('INPUT_EMPTY', { index: 1 }))
  })
})

describe('a stored source', () => {
  test('is found by its owner and by nobody else', async () => {
    await using home = await openHome()
    const key = await home.upload(patterned(50_000))
    const { input, isInMemory } = await home.stage(ANY, { file: { inputKey: key } })
    expect(input).toEqual({ file: { key, type: 'application/octet-stream', sizeBytes: 50_000, name: 'mine.bin' } })
    expect(isInMemory).toBe(false)
    const other = { accountId: newId() }
    const sought = home.stage(ANY, { file: { inputKey: key } }, other)
    await expect(sought).rejects.toEqual(bad('INPUT_NOT_FOUND', { field: 'file' }))
  })

  test('is found under no other spelling of its key', async () => {
    await using home = await openHome()
    const key = await home.upload(PNG)
    const [, account, id] = key.split('/') as [string, string, string]
    const spellings = [
      `/${key}`,
      `${key}/`,
      key.toUpperCase(),
      `scratch/${account}/../${account}/${id}`,
      `scratch/${account}//${id}`,
      `scratch/%2e%2e/${id}`,
      `stage/${id}`,
      id,
      `${key}\0`,
      `upload:0`,
      `scratch/${newId()}/../${account}/${id}`,
      '../../../etc/passwd',
      '',
    ]
    for (const inputKey of spellings) {
      const sought = home.stage(ANY, { file: { inputKey } })
      await expect(sought, inputKey).rejects.toEqual(bad('INPUT_NOT_FOUND', { field: 'file' }))
    }
  })

  test('that has expired is gone, and one never uploaded is not there', async () => {
    await using home = await openHome()
    const gone = await home.upload(PNG, { isExpired: true })
    await expect(home.stage(ANY, { file: { inputKey: gone } })).rejects.toEqual(bad('INPUT_GONE', { field: 'file' }))
    const unsent = await home.upload(undefined)
    await expect(home.stage(ANY, { file: { inputKey: unsent } })).rejects.toEqual(
      bad('INPUT_NOT_FOUND', { field: 'file' }),
    )
  })

  test('over its limit is refused with 413, and the empty one with 422', async () => {
    await using home = await openHome()
    const large = home.stage(ANY, { file: { inputKey: await home.upload(patterned(MAX_STORED + 1)) } })
    await expect(large).rejects.toEqual(bad('STORED_INPUT_TOO_LARGE', { ceiling: MAX_STORED, field: 'file' }))
    await expect(large.catch((problem: Problem) => [problem.status, problem.toBody().code])).resolves.toEqual([
      413,
      'INPUT_TOO_LARGE',
    ])
    const empty = home.stage(ANY, { file: { inputKey: await home.upload(Buffer.alloc(0)) } })
    await expect(empty).rejects.toEqual(bad('INPUT_EMPTY', { field: 'file' }))
  })

  test('is judged by its content, never by what its uploader called it', async () => {
    await using home = await openHome()
    const key = await home.upload(PNG, {}, 'application/pdf')
    await expect(home.stage(PDF_ONLY, { file: { inputKey: key } })).rejects.toEqual(
      bad('PDF_PARSE_FAILED', { detected: 'image/png' }),
    )
  })
})

describe('staged files', () => {
  test('stay in memory until they are settled, then go inline or into the store by their size', async () => {
    await using home = await openHome()
    const [small, large] = [patterned(16 * 1024), patterned(16 * 1024 + 1)]
    const pair = Type.Object({ a: FileInput(), b: FileInput() })
    const staged = await home.stage(pair, { a: { inline: b64(small) }, b: { inline: b64(large) } })
    expect(await home.keys()).toEqual([])
    await staged.settle()
    const [a, b] = staged.files as [StagedFile, StagedFile]
    expect(a).toMatchObject({ inline: b64(small), sizeBytes: small.length })
    expect(await home.keys()).toEqual([b.key])
    expect((await collected(await home.store.read(b.key!))).equals(large)).toBe(true)
    expect(JSON.parse(JSON.stringify(staged.input))).toEqual(staged.input)
    await staged.settle()
    expect(await home.keys()).toEqual([b.key])
    await staged.discard()
    expect(await home.keys()).toEqual([])
  })

  test('that are the own uploads of a caller are not discarded', async () => {
    await using home = await openHome()
    const key = await home.upload(patterned(50_000))
    const staged = await home.stage(ANY, { file: { inputKey: key } })
    await staged.settle()
    await staged.discard()
    expect(await home.keys()).toEqual([key])
  })

  test('can be read where they are in memory, without a path', async () => {
    await using home = await openHome()
    const { input } = await home.stage(PICTURES, {
      files: [{ inline: b64(PNG) }, { inputKey: await home.upload(PNG) }],
    })
    for (const file of filesIn(readyInput(PICTURES, input))) {
      expect(file).toMatchObject({ type: 'image/png', sizeBytes: PNG.length, facts: {} })
      expect((await collected(file.chunks())).equals(PNG)).toBe(true)
      expect(() => file.path).toThrow('instant lane')
    }
  })

  test('can be read as they come out of a row, and say so where they cannot', async () => {
    const inline = { file: { inline: b64(PNG), type: 'image/png', sizeBytes: PNG.length } satisfies StagedFile }
    const [file] = filesIn(readyInput(ANY, inline))
    expect(Buffer.from(await file!.bytes()).equals(PNG)).toBe(true)
    const stored = { file: { key: 'stage/x', type: 'image/png', sizeBytes: 99_999 } satisfies StagedFile }
    const [far] = filesIn(readyInput(ANY, stored)) as [InputFile]
    expect(far.sizeBytes).toBe(99_999)
    await expect(far.bytes()).rejects.toThrow('not in memory')
  })
})

async function openHome() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret of enough letters', publicUrl: PUBLIC_URL })
  const accountId = newId()
  const records = new Map<string, { isExpired: boolean; name: string }>()
  const room: FileRoom = {
    store,
    accountId,
    uploads: new Map(),
    readObject: async key => records.get(key),
    maxInlineBytes: MAX_INLINE,
    maxBytes: MAX_STORED,
  }
  return {
    store,
    stage: (schema: Parameters<typeof stageFiles>[0], body: unknown, changes: Partial<FileRoom> = {}) =>
      stageFiles(schema, body, { ...room, ...changes }),
    /** Puts an object with its record; without bytes, only the record, as of a form that nobody sent. */
    async upload(bytes: Buffer | undefined, { isExpired = false } = {}, contentType = 'application/octet-stream') {
      const key = `scratch/${accountId}/${newId()}`
      records.set(key, { isExpired, name: 'mine.bin' })
      if (bytes) await store.put(key, bytes, { contentType })
      return key
    },
    async keys() {
      const keys = []
      for await (const { key } of store.list('')) keys.push(key)
      return keys
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
