import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { collectFiles, FileInput, type InputFile, newId, Problem, type StagedFile } from '#kit'
import type { FileLimits } from '../../../api/intake/files/limits.ts'
import { makeInputReady, stageFiles } from '../../../api/intake/files/stage-files.ts'
import { LocalStore } from '../../../ops/providers/storage/local.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { collectBytes, createBytes } from '../../support/data/bytes.ts'
import { PUBLIC_URL } from '../../support/intake/object-routes.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const PDF = Buffer.from('%PDF-1.7\n%\n')
const MAX_INLINE = 200_000
const MAX_STORED = 400_000

const ANY = Type.Object({ file: FileInput() })
const PDF_ONLY = Type.Object({ file: FileInput({ accept: ['application/pdf'], refuse: 'PDF_PARSE_FAILED' }) })
const IMAGES = Type.Object({ files: Type.Array(FileInput({ accept: ['image/*'] })) })
const TABLE = Type.Object({ file: FileInput({ accept: ['text/csv'], rows: true }) })

const b64 = (bytes: Buffer) => bytes.toString('base64')
const problem = (code: string, hints: object) =>
  expect.objectContaining({ code, hints: expect.objectContaining(hints) })

describe('a source', () => {
  test.each([
    ['none', {}],
    ['two', { inline: '', text: 'x' }],
  ])('of %s is refused', async (_name, file) => {
    await using staging = await openStaging()
    await expect(staging.stage(ANY, { file })).rejects.toEqual(problem('INVALID_SOURCE', { field: 'file' }))
  })

  test('given inline or as text becomes the same file', async () => {
    await using staging = await openStaging()
    const content = 'Grüße'
    for (const file of [{ inline: b64(Buffer.from(content)) }, { text: content }]) {
      const staged = await staging.stage(ANY, { file })
      expect(staged.input).toEqual({ file: { type: 'text/plain', sizeBytes: 7 } })
      expect(staged).toMatchObject({ totalBytes: 7, isInMemory: true })
    }
  })

  test('of rows is JSON, even if only a table is accepted', async () => {
    await using staging = await openStaging()
    const { input } = await staging.stage(TABLE, { file: { rows: [{ a: 1 }] } })
    expect(input).toEqual({ file: { type: 'application/json', sizeBytes: 9 } })
    const [file] = collectFiles(makeInputReady(TABLE, input))
    expect(Buffer.from(await file!.bytes()).toString()).toBe('[{"a":1}]')
  })

  test('of invalid base64 and of an address each has its own problem', async () => {
    await using staging = await openStaging()
    await expect(staging.stage(ANY, { file: { inline: 'a*b' } })).rejects.toEqual(
      problem('INVALID_BASE64', { field: 'file' }),
    )
    await expect(staging.stage(ANY, { file: { url: 'http://x' } })).rejects.toEqual(
      problem('MODE_DISABLED', { mode: 'url', set: 'OUTBOUND=public' }),
    )
  })

  test('of an address stays one until the worker fetches it, and is priced as the largest file', async () => {
    await using staging = await openStaging()
    const stage = (url: string) => staging.stage(ANY, { file: { url } }, { canFetch: true })
    const { input, isInMemory } = await stage('https://files.example/a.pdf')
    expect(input).toEqual({ file: { url: 'https://files.example/a.pdf', type: '', sizeBytes: MAX_STORED } })
    expect(isInMemory).toBe(false)
    for (const url of ['file:///etc/passwd', 'ftp://x.example/a', 'no address', 'http://'])
      await expect(stage(url), url).rejects.toEqual(problem('URL_NOT_ALLOWED', { field: 'file' }))
  })

  test('is measured before it is decoded, and the limit itself is allowed', async () => {
    await using staging = await openStaging()
    const tooLarge = problem('INPUT_TOO_LARGE', { ceiling: MAX_INLINE, field: 'file' })
    await expect(staging.stage(ANY, { file: { inline: b64(Buffer.alloc(MAX_INLINE + 1)) } })).rejects.toEqual(tooLarge)
    await expect(staging.stage(ANY, { file: { text: 'x'.repeat(MAX_INLINE + 1) } })).rejects.toEqual(tooLarge)
    const { totalBytes } = await staging.stage(ANY, { file: { text: 'x'.repeat(MAX_INLINE) } })
    expect(totalBytes).toBe(MAX_INLINE)
  })

  test('that is empty is refused, unless the field allows it', async () => {
    await using staging = await openStaging()
    for (const file of [{ inline: '' }, { text: '' }, { inline: 'data:;base64,' }]) {
      await expect(staging.stage(ANY, { file })).rejects.toEqual(problem('INPUT_EMPTY', { field: 'file' }))
    }
    const emptyAllowed = Type.Object({ file: FileInput({ allowEmpty: true, accept: ['image/png'] }) })
    expect((await staging.stage(emptyAllowed, { file: { text: '' } })).totalBytes).toBe(0)
  })

  test('of another type is refused with the code of its rule, the detected type and the field', async () => {
    await using staging = await openStaging()
    const image = { detected: 'image/png', convertBy: 'pdf.from-images' }
    await expect(staging.stage(PDF_ONLY, { file: { inline: b64(PNG) } })).rejects.toEqual(
      problem('PDF_PARSE_FAILED', { ...image, supported: ['application/pdf'], field: 'file' }),
    )
    const files = [{ inline: b64(PNG) }, { inline: b64(PDF) }]
    const document = { detected: 'application/pdf', convertBy: 'pdf.render' }
    await expect(staging.stage(IMAGES, { files })).rejects.toEqual(
      problem('UNSUPPORTED_FORMAT', { ...document, supported: ['image/*'], field: 'files.1', index: 1 }),
    )
  })

  test('the first of several invalid sources is reported', async () => {
    await using staging = await openStaging()
    const files = [{ inline: b64(PNG) }, { text: '' }, { inline: '*' }]
    await expect(staging.stage(IMAGES, { files })).rejects.toEqual(problem('INPUT_EMPTY', { index: 1 }))
  })
})

describe('a stored source', () => {
  test('is found by its owner only', async () => {
    await using staging = await openStaging()
    const key = await staging.upload(createBytes(50_000))
    const { input, isInMemory } = await staging.stage(ANY, { file: { inputKey: key } })
    expect(input).toEqual({ file: { key, type: 'application/octet-stream', sizeBytes: 50_000, name: 'mine.bin' } })
    expect(isInMemory).toBe(false)
    const other = { accountId: newId() }
    const lookup = staging.stage(ANY, { file: { inputKey: key } }, other)
    await expect(lookup).rejects.toEqual(problem('INPUT_NOT_FOUND', { field: 'file' }))
  })

  test('is found under no other spelling of its key', async () => {
    await using staging = await openStaging()
    const key = await staging.upload(PNG)
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
      const lookup = staging.stage(ANY, { file: { inputKey } })
      await expect(lookup, inputKey).rejects.toEqual(problem('INPUT_NOT_FOUND', { field: 'file' }))
    }
  })

  test('that has expired is gone, and one that was never uploaded is not found', async () => {
    await using staging = await openStaging()
    const gone = await staging.upload(PNG, { isExpired: true })
    await expect(staging.stage(ANY, { file: { inputKey: gone } })).rejects.toEqual(
      problem('INPUT_GONE', { field: 'file' }),
    )
    const unsent = await staging.upload(undefined)
    await expect(staging.stage(ANY, { file: { inputKey: unsent } })).rejects.toEqual(
      problem('INPUT_NOT_FOUND', { field: 'file' }),
    )
  })

  test('over its limit is refused with 413, and the empty one with 422', async () => {
    await using staging = await openStaging()
    const large = staging.stage(ANY, { file: { inputKey: await staging.upload(createBytes(MAX_STORED + 1)) } })
    await expect(large).rejects.toEqual(problem('STORED_INPUT_TOO_LARGE', { ceiling: MAX_STORED, field: 'file' }))
    await expect(large.catch((problem: Problem) => [problem.status, problem.toBody().code])).resolves.toEqual([
      413,
      'INPUT_TOO_LARGE',
    ])
    const empty = staging.stage(ANY, { file: { inputKey: await staging.upload(Buffer.alloc(0)) } })
    await expect(empty).rejects.toEqual(problem('INPUT_EMPTY', { field: 'file' }))
  })

  test('has the type of its content, not the one that its uploader claimed', async () => {
    await using staging = await openStaging()
    const key = await staging.upload(PNG, {}, 'application/pdf')
    await expect(staging.stage(PDF_ONLY, { file: { inputKey: key } })).rejects.toEqual(
      problem('PDF_PARSE_FAILED', { detected: 'image/png' }),
    )
  })
})

describe('staged files', () => {
  test('stay in memory until they are settled, then go inline or to the store, depending on their size', async () => {
    await using staging = await openStaging()
    const [small, large] = [createBytes(16 * 1024), createBytes(16 * 1024 + 1)]
    const pair = Type.Object({ a: FileInput(), b: FileInput() })
    const staged = await staging.stage(pair, { a: { inline: b64(small) }, b: { inline: b64(large) } })
    expect(await staging.keys()).toEqual([])
    const before = structuredClone(staged.input)
    const settled = (await staged.settle()) as { a: StagedFile; b: StagedFile }
    const { a, b } = settled
    expect(staged.input).toEqual(before)
    expect(a).toMatchObject({ inline: b64(small), sizeBytes: small.length })
    expect(await staging.keys()).toEqual([b.key])
    expect((await collectBytes(await staging.store.read(b.key!))).equals(large)).toBe(true)
    expect(JSON.parse(JSON.stringify(settled))).toEqual(settled)
    await staged.settle()
    expect(await staging.keys()).toEqual([b.key])
    await staged.discard()
    expect(await staging.keys()).toEqual([])
  })

  test('are not discarded if the caller uploaded them', async () => {
    await using staging = await openStaging()
    const key = await staging.upload(createBytes(50_000))
    const staged = await staging.stage(ANY, { file: { inputKey: key } })
    await staged.settle()
    await staged.discard()
    expect(await staging.keys()).toEqual([key])
  })

  test('can be read from memory, without a path', async () => {
    await using staging = await openStaging()
    const { input } = await staging.stage(IMAGES, {
      files: [{ inline: b64(PNG) }, { inputKey: await staging.upload(PNG) }],
    })
    for (const file of collectFiles(makeInputReady(IMAGES, input))) {
      expect(file).toMatchObject({ type: 'image/png', sizeBytes: PNG.length, facts: {} })
      expect((await collectBytes(file.chunks())).equals(PNG)).toBe(true)
      expect(() => file.path).toThrow('instant lane')
    }
  })

  test('can be read from a job row if they are inline, and report an error otherwise', async () => {
    const inline = { file: { inline: b64(PNG), type: 'image/png', sizeBytes: PNG.length } satisfies StagedFile }
    const [file] = collectFiles(makeInputReady(ANY, inline))
    expect(Buffer.from(await file!.bytes()).equals(PNG)).toBe(true)
    const stored = { file: { key: 'stage/x', type: 'image/png', sizeBytes: 99_999 } satisfies StagedFile }
    const [storedFile] = collectFiles(makeInputReady(ANY, stored)) as [InputFile]
    expect(storedFile.sizeBytes).toBe(99_999)
    await expect(storedFile.bytes()).rejects.toThrow('not in memory')
  })
})

describe('a list of things with a file', () => {
  test.each([
    ['pdf.attachments', PDF, (file: object) => ({ attachments: [{ file, name: 'a.txt' }] })],
    ['image.composite', PNG, (file: object) => ({ layers: [{ file }] })],
  ])('of %s takes every kind of source', async (name, base, fieldsWith) => {
    await using staging = await openStaging()
    const { input: schema } = await loadOperation(name)
    const isImage = name === 'image.composite'
    const bytes = isImage ? PNG : Buffer.from('hello')
    const stage = (file: object) => staging.stage(schema, { file: { inline: b64(base) }, ...fieldsWith(file) })
    const sources = [{ inline: b64(bytes) }, { inputKey: await staging.upload(bytes) }]
    for (const source of isImage ? sources : [...sources, { text: 'hello' }]) {
      const [, file] = collectFiles(makeInputReady(schema, (await stage(source)).input))
      expect((await collectBytes(file!.chunks())).equals(bytes)).toBe(true)
    }
    if (isImage) await expect(stage({ text: 'hello' })).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
    await expect(stage({ url: 'https://files.example/a' })).rejects.toEqual(problem('MODE_DISABLED', { mode: 'url' }))
  })
})

async function openStaging() {
  const folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, secret: 'a secret that is long enough', publicUrl: PUBLIC_URL })
  const accountId = newId()
  const records = new Map<string, { isExpired: boolean; name: string }>()
  const limits: FileLimits = {
    callId: 'call',
    store,
    accountId,
    uploads: new Map(),
    readObject: async (_owner, key) => records.get(key),
    kinds: [],
    findKept: () => Promise.reject(new Problem('INPUT_NOT_FOUND')),
    mayPrice: () => false,
    canFetch: false,
    maxInlineBytes: MAX_INLINE,
    maxBytes: MAX_STORED,
  }
  return {
    store,
    stage: (schema: Parameters<typeof stageFiles>[0], body: unknown, changes: Partial<FileLimits> = {}) =>
      stageFiles(schema, body, { ...limits, ...changes }),
    /** Stores an object with its record; without bytes only the record, as for an upload form that was never used. */
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
