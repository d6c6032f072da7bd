import { describe, expect, test, vi } from 'vitest'
import { createBytes, sha256 } from '../../support/data/bytes.ts'
import { LIMIT_BYTES, openBodyServer, toBlob } from '../../support/intake/body-server.ts'

describe('a multipart form', () => {
  const buildForm = (parts: [name: string, value: string | Uint8Array, filename?: string][]) => {
    const data = new FormData()
    for (const [name, value, filename] of parts) {
      if (typeof value === 'string') data.append(name, value)
      else data.append(name, toBlob(value), filename)
    }
    return data
  }

  test('carries one file and its options, as JSON or as fields', async () => {
    await using server = await openBodyServer()
    const bytes = createBytes(50_000)
    const form = buildForm([
      ['width', '7'],
      ['file', bytes, 'cat.jpg'],
      ['options', '{"format":"png","width":400}'],
      ['pages', '1'],
      ['pages', '2'],
    ])
    const { body } = await server.post('/resize?sharpen=false', form, { 'idempotency-key': 'a' })
    expect(body.body).toEqual({
      file: { inputKey: 'upload:0' },
      width: 400,
      format: 'png',
      sharpen: false,
      pages: [1, 2],
    })
    expect(body.files).toMatchObject([{ as: 'upload:0', name: 'cat.jpg', sizeBytes: 50_000, sha256: sha256(bytes) }])
  })

  test.each(['file', 'files', 'files[]'])('carries several files in parts named %s, in their order', async name => {
    await using server = await openBodyServer()
    const form = buildForm([1, 2, 3].map(seed => [name, createBytes(seed * 30_000, seed), `${seed}.pdf`]))
    const { body } = await server.post('/merge', form)
    expect(body.body).toEqual({ files: [0, 1, 2].map(index => ({ inputKey: `upload:${index}` })) })
    const files = body.files as { as: string; sizeBytes: number }[]
    const sizes = files.sort((a, b) => a.as.localeCompare(b.as)).map(({ sizeBytes }) => sizeBytes)
    expect(sizes).toEqual([30_000, 60_000, 90_000])
  })

  test('carries two files in different fields', async () => {
    await using server = await openBodyServer()
    const { body } = await server.post(
      '/stamp',
      buildForm([
        ['image', createBytes(9), 'a.png'],
        ['file', createBytes(8), 'b.pdf'],
      ]),
    )
    expect(body.body).toEqual({ image: { inputKey: 'upload:0' }, file: { inputKey: 'upload:1' } })
  })

  test('removes the path from a file name', async () => {
    await using server = await openBodyServer()
    const { body } = await server.post('/resize', buildForm([['file', createBytes(9), '../../etc/passwd']]))
    expect(body.files).toMatchObject([{ name: 'passwd' }])
  })

  test.each([
    ['a file under an unknown name', [['photo', createBytes(50_000), 'a.png']], 400, 'UNKNOWN_FIELD'],
    [
      'two files in a field for one',
      [
        ['file', createBytes(50_000), 'a'],
        ['file', createBytes(9), 'b'],
      ],
      400,
      'INVALID_MULTIPART',
    ],
    [
      'options that are not JSON',
      [
        ['file', createBytes(50_000), 'a'],
        ['options', '{'],
      ],
      400,
      'INVALID_JSON',
    ],
    [
      'options that are no object',
      [
        ['file', createBytes(50_000), 'a'],
        ['options', '[]'],
      ],
      400,
      'INVALID_PARAM',
    ],
    ['no file', [['width', '1']], 400, 'MISSING_FIELD'],
    [
      'an unknown option',
      [
        ['file', createBytes(50_000), 'a'],
        ['wide', '1'],
      ],
      400,
      'UNKNOWN_FIELD',
    ],
    ['a file over the limit', [['file', createBytes(LIMIT_BYTES + 1), 'a']], 413, 'INPUT_TOO_LARGE'],
    [
      'a field over the limit',
      [
        ['file', createBytes(50_000), 'a'],
        ['crop', 'x'.repeat(2 ** 20 + 1)],
      ],
      413,
      'INPUT_TOO_LARGE',
    ],
  ] as const)('with %s is refused and leaves nothing behind', async (_name, parts, status, code) => {
    await using server = await openBodyServer()
    const answer = await server.post('/resize', buildForm(parts.map(part => [...part] as [string, string])))
    expect(answer).toMatchObject({ status, body: { code } })
    expect(await server.listStoredFiles()).toEqual([])
    expect(server.bugs).toEqual([])
  })

  test('whose text fields together are larger than a JSON body may be is refused', async () => {
    await using server = await openBodyServer()
    const megabyte = 'x'.repeat(2 ** 20 - 1)
    const parts = Array.from({ length: 14 }, (_, index): [string, string] => [`field${index}`, megabyte])
    const { status, body } = await server.post('/resize', buildForm(parts))
    expect([status, body]).toMatchObject([413, { code: 'INPUT_TOO_LARGE', ceiling: 12 * 2 ** 20 }])
  })

  test('that exceeds four times the file limit in total is refused and leaves nothing behind', async () => {
    await using server = await openBodyServer()
    const form = buildForm([1, 2, 3, 4, 5].map(seed => ['files', createBytes(LIMIT_BYTES, seed), 'x']))
    expect(await server.post('/merge', form)).toMatchObject({ status: 413, body: { ceiling: 4 * LIMIT_BYTES } })
    expect(await server.listStoredFiles()).toEqual([])
  })

  const opening = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  test.each([
    ['no boundary in its type', 'multipart/form-data', `${opening}abc\r\n--X--\r\n`],
    ['another boundary than its type names', 'multipart/form-data; boundary=Y', `${opening}abc\r\n--X--\r\n`],
    ['no end', 'multipart/form-data; boundary=X', `${opening}${'abc'.repeat(20_000)}`],
    ['a part header that is cut off', 'multipart/form-data; boundary=X', '--X\r\nContent-Dispo'],
    ['nothing in it', 'multipart/form-data; boundary=X', ''],
    ['not even a form', 'multipart/form-data; boundary=X', '{"text":"x"}'],
  ])('with %s is refused and leaves nothing behind', async (_name, type, body) => {
    await using server = await openBodyServer()
    const answer = await server.post('/resize', body, { 'content-type': type })
    expect(answer.status).toBe(400)
    expect(['INVALID_MULTIPART', 'EMPTY_BODY', 'MISSING_FIELD']).toContain(answer.body.code)
    expect(await server.listStoredFiles()).toEqual([])
    expect(server.bugs).toEqual([])
  })

  test('that is cut off leaves nothing behind', async () => {
    await using server = await openBodyServer()
    const head =
      'POST /resize HTTP/1.1\nHost: x\nContent-Type: multipart/form-data; boundary=X\nContent-Length: 1000000\n\n'
    await server.sendPartially(head, Buffer.concat([Buffer.from(opening), createBytes(300_000)]))
    await vi.waitFor(() => expect(server.failures).toEqual([expect.objectContaining({ code: 'BODY_INCOMPLETE' })]))
    expect(await server.listStoredFiles()).toEqual([])
  })

  test('has a fingerprint that does not depend on the boundary', async () => {
    await using server = await openBodyServer()
    const readFingerprint = async (options: string, seed: number) => {
      const form = buildForm([
        ['options', options],
        ['file', createBytes(50_000, seed), 'a'],
      ])
      return (await server.post('/resize', form, { 'idempotency-key': 'a' })).body.fingerprint
    }
    const one = await readFingerprint('{"width":1}', 1)
    expect(await readFingerprint('{"width":1}', 1)).toBe(one)
    expect(await readFingerprint('{"width":2}', 1)).not.toBe(one)
    expect(await readFingerprint('{"width":1}', 2)).not.toBe(one)
  })
})
