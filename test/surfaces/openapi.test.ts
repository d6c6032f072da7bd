import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import type { Entry } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { buildOpenApi } from '../../api/surfaces/openapi/document.ts'
import { sampleEntries } from '../support/operations/sample-entries.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test walks a document before it has checked its structure.
type Json = Record<string, any>

const options = { publicUrl: 'http://127.0.0.1:8080', version: '1.2.3' }
const document = buildOpenApi(sampleEntries(), options) as Json
const rotate = document.paths['/v1/pdf/rotate'].post as Json
const body = rotate.requestBody.content['application/json'] as Json

const catalogues: [string, () => Promise<readonly Entry[]>][] = [
  ['one entry of every kind', async () => sampleEntries()],
  ['the real catalogue', async () => (await loadCatalog()).entries],
  ['the real catalogue where wallets pay', async () => (await loadCatalog({ isPayable: true })).entries],
]

test.each(catalogues)('two independent validators accept %s', async (_title, entriesOf) => {
  const built = buildOpenApi(await entriesOf(), options)
  expect(await new Validator().validate(structuredClone(built))).toMatchObject({ valid: true })
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(built))
    const { stdout } = await execa('redocly', ['lint', '--format=json', 'openapi.json'], {
      cwd: folder,
      preferLocal: true,
      localDir: import.meta.dirname,
      reject: false,
      env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    const { problems, totals } = JSON.parse(stdout)
    expect(problems).toEqual([])
    expect(totals.errors).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('an operation has its price, availability and authentication', () => {
  expect(rotate['x-svc-price']).toEqual({
    unit: 'page',
    rateMicros: '1000',
    baseMicros: '0',
    floorMicros: '1000',
    ceilingMicros: '1000000',
    basis: 'content',
  })
  expect(rotate.description).toContain('0.001 USD per page')
  expect(rotate['x-svc-available']).toBe(true)
  expect(rotate.security).toEqual([{ bearer: [] }])
  expect(document.paths['/health'].get.security).toEqual([])
})

test('if wallets can pay, they can also sign in with each request', () => {
  const payable = sampleEntries().map(entry => ({ ...entry, auth: ['key', 'wallet', 'x402'] as const }))
  const built = buildOpenApi(payable, options) as Json
  expect(built.paths['/v1/pdf/rotate'].post.security).toEqual([{ bearer: [] }, { x402: [] }, { signInWithX: [] }])
  const { securitySchemes } = built.components as Record<string, Record<string, object>>
  expect(securitySchemes!.signInWithX).toMatchObject({ type: 'apiKey', in: 'header', name: 'SIGN-IN-WITH-X' })
  expect(JSON.stringify(document)).not.toContain('signInWithX')
})

test('where wallets pay, every call with a price says so to those that look for such services', async () => {
  const { entries } = await loadCatalog({ isPayable: true })
  const operations = Object.values(buildOpenApi(entries, { ...options, canFetch: true }).paths).flatMap(Object.values)
  const priced = operations.filter(operation => 'x-svc-price' in operation)
  expect(priced.length).toBeGreaterThan(50)
  for (const { operationId, 'x-payment-info': info } of priced as Json[]) {
    expect(info?.protocols, operationId).toEqual([{ x402: {} }])
    expect(info.price.mode, operationId).toBe('amount' in info.price ? 'fixed' : 'dynamic')
  }
})

test('where nothing is paid, no component speaks of payments, and an unused one is left out', () => {
  const { components } = buildOpenApi(
    sampleEntries().filter(({ price }) => !price),
    options,
  ) as Json
  expect(JSON.stringify(components)).not.toMatch(/Quote|IdempotencyKey|ChargedMicros/)
})

test("shows the operator's rate, and whether a tool is missing", () => {
  const ratesOf = (name: string) => (name === 'pdf.rotate' ? { rateMicros: 2500n } : undefined)
  const built = buildOpenApi(sampleEntries(), {
    ...options,
    ratesOf,
    isAvailable: name => name !== 'pdf.rotate',
  }) as Json
  const operation = built.paths['/v1/pdf/rotate'].post
  expect(operation['x-svc-price'].rateMicros).toBe('2500')
  expect(operation.description).toContain('0.0025 USD per page')
  expect(operation['x-svc-available']).toBe(false)
  expect(operation.description).toContain('not installed')
})

test('a field with a default is optional, and no internal marker is shown', () => {
  expect(body.schema.required).toEqual(['file', 'degrees'])
  expect(body.schema.properties.file).toMatchObject({ $ref: '#/components/schemas/Source' })
  expect(body.schema.properties.file.description).toContain('Accepts application/pdf.')
  expect(body.schema.properties.password).toMatchObject({ writeOnly: true, format: 'password' })
  expect(JSON.stringify(document)).not.toMatch(/"x-(?!svc-)/)
})

test('an example carries the bytes of its file', async () => {
  const sample = await readFile(new URL('../../tasks/samples/two-pages.pdf', import.meta.url))
  expect(body.examples['turn-the-first-page'].value).toEqual({
    file: { inline: sample.toString('base64') },
    degrees: '90',
    pages: '1',
  })
})

test('a file can be sent as raw bytes or in a form, with the other fields as options of the form', () => {
  expect(Object.keys(rotate.requestBody.content)).toEqual([
    'application/json',
    'application/octet-stream',
    'multipart/form-data',
  ])
  const pages = document.paths['/v1/pdf/pages'].post.requestBody.content
  const { properties } = pages['multipart/form-data'].schema
  expect(Object.keys(properties)).toEqual(['files', 'file', 'options'])
  expect(properties.files.type).toBe('array')
})

test('errors are listed by status with their codes, and a 402 with its header', () => {
  const { responses } = document.components as Json
  const readResponse = (operation: Json, status: string) => {
    const found = operation.responses[status]
    return found.$ref ? responses[found.$ref.split('/').at(-1)] : found
  }
  expect(readResponse(rotate, '422').description).toContain('`BAD_RANGE`')
  expect(readResponse(rotate, '402').headers).toHaveProperty('PAYMENT-REQUIRED')
  expect(Object.keys(readResponse(rotate, '429').headers)).toEqual([
    'X-Request-Id',
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
  ])
  expect(Object.keys(rotate.responses)).toContain('202')
  expect(readResponse(document.paths['/v1/jobs/{id}'].get, '404').description).toContain('`NOT_FOUND`')
})

test('the wildcard of a path has a name', () => {
  expect(document.paths['/v1/outputs/{key}'].get.parameters[0]).toMatchObject({
    name: 'key',
    in: 'path',
    required: true,
  })
})

test('every entry of the real catalogue is in the document under its own id', async () => {
  const { entries } = await loadCatalog()
  const built = buildOpenApi(entries, options)
  const operations = Object.values(built.paths).flatMap(methods => Object.values(methods))
  expect(operations).toHaveLength(entries.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(entries.length)
})
