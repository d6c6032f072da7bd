import { describe, expect, test, vi } from 'vitest'
import { blob, LIMIT_BYTES, openBodyHome } from '../support/body-home.ts'
import { patterned, sha256 } from '../support/bytes.ts'

describe('a multipart form', () => {
  const form = (parts: [name: string, value: string | Uint8Array, filename?: string][]) => {
    const data = new FormData()
    for (const [name, value, filename] of parts) {
      if (typeof value === 'string') data.append(name, value)
      else data.append(name, blob(value), filename)
    }
    return data
  }

  test('carries one file and its options, as JSON or as fields', async () => {
    await using home = await openBodyHome()
    const bytes = patterned(50_000)
    const sent = form([
      ['width', '7'],
      ['file', bytes, 'cat.jpg'],
      ['options', '{"format":"png","width":400}'],
      ['pages', '1'],
      ['pages', '2'],
    ])
    const { body } = await home.post('/resize?sharpen=false', sent, { 'idempotency-key': 'a' })
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
    await using home = await openBodyHome()
    const sent = form([1, 2, 3].map(seed => [name, patterned(seed * 30_000, seed), `${seed}.pdf`]))
    const { body } = await home.post('/merge', sent)
    expect(body.body).toEqual({ files: [0, 1, 2].map(index => ({ inputKey: `upload:${index}` })) })
    const files = body.files as { as: string; sizeBytes: number }[]
    const sizes = files.sort((a, b) => a.as.localeCompare(b.as)).map(({ sizeBytes }) => sizeBytes)
    expect(sizes).toEqual([30_000, 60_000, 90_000])
  })

  test('carries two files of different meaning', async () => {
    await using home = await openBodyHome()
    const { body } = await home.post(
      '/stamp',
      form([
        ['image', patterned(9), 'a.png'],
        ['file', patterned(8), 'b.pdf'],
      ]),
    )
    expect(body.body).toEqual({ image: { inputKey: 'upload:0' }, file: { inputKey: 'upload:1' } })
  })

  test('keeps the name of a file from being a path', async () => {
    await using home = await openBodyHome()
    const { body } = await home.post('/resize', form([['file', patterned(9), '../../etc/passwd']]))
    expect(body.files).toMatchObject([{ name: 'passwd' }])
  })

  test.each([
    ['a file under an unknown name', [['photo', patterned(50_000), 'a.png']], 400, 'UNKNOWN_FIELD'],
    [
      'two files where one belongs',
      [
        ['file', patterned(50_000), 'a'],
        ['file', patterned(9), 'b'],
      ],
      400,
      'INVALID_MULTIPART',
    ],
    [
      'options that are not JSON',
      [
        ['file', patterned(50_000), 'a'],
        ['options', '{'],
      ],
      400,
      'INVALID_JSON',
    ],
    [
      'options that are no object',
      [
        ['file', patterned(50_000), 'a'],
        ['options', '[]'],
      ],
      400,
      'INVALID_PARAM',
    ],
    ['no file', [['width', '1']], 400, 'MISSING_FIELD'],
    [
      'an unknown option',
      [
        ['file', patterned(50_000), 'a'],
        ['wide', '1'],
      ],
      400,
      'UNKNOWN_FIELD',
    ],
    ['a file over the limit', [['file', patterned(LIMIT_BYTES + 1), 'a']], 413, 'INPUT_TOO_LARGE'],
    [
      'a field over the limit',
      [
        ['file', patterned(50_000), 'a'],
        ['crop', 'x'.repeat(2 ** 20 + 1)],
      ],
      413,
      'INPUT_TOO_LARGE',
    ],
  ] as const)('with %s is refused and leaves nothing behind', async (_name, parts, status, code) => {
    await using home = await openBodyHome()
    const answer = await home.post('/resize', form(parts.map(part => [...part] as [string, string])))
    expect(answer).toMatchObject({ status, body: { code } })
    expect(await home.leftBehind()).toEqual([])
    expect(home.bugs).toEqual([])
  })

  test('over four of the largest files together is refused and leaves nothing behind', async () => {
    await using home = await openBodyHome()
    const sent = form([1, 2, 3, 4, 5].map(seed => ['files', patterned(LIMIT_BYTES, seed), 'x']))
    expect(await home.post('/merge', sent)).toMatchObject({ status: 413, body: { ceiling: 4 * LIMIT_BYTES } })
    expect(await home.leftBehind()).toEqual([])
  })

  const opening = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  test.each([
    ['no boundary in its type', 'multipart/form-data', `${opening}abc\r\n--X--\r\n`],
    ['another boundary than it says', 'multipart/form-data; boundary=Y', `${opening}abc\r\n--X--\r\n`],
    ['no end', 'multipart/form-data; boundary=X', `${opening}${'abc'.repeat(20_000)}`],
    ['a head that breaks off', 'multipart/form-data; boundary=X', '--X\r\nContent-Dispo'],
    ['nothing in it', 'multipart/form-data; boundary=X', ''],
    ['not even a form', 'multipart/form-data; boundary=X', '{"text":"x"}'],
  ])('with %s is refused and leaves nothing behind', async (_name, type, body) => {
    await using home = await openBodyHome()
    const answer = await home.post('/resize', body, { 'content-type': type })
    expect(answer.status).toBe(400)
    expect(['INVALID_MULTIPART', 'EMPTY_BODY', 'MISSING_FIELD']).toContain(answer.body.code)
    expect(await home.leftBehind()).toEqual([])
    expect(home.bugs).toEqual([])
  })

  test('that breaks off leaves nothing behind', async () => {
    await using home = await openBodyHome()
    const head =
      'POST /resize HTTP/1.1\nHost: x\nContent-Type: multipart/form-data; boundary=X\nContent-Length: 1000000\n\n'
    await home.sendAndHangUp(head, Buffer.concat([Buffer.from(opening), patterned(300_000)]))
    await vi.waitFor(() => expect(home.ends).toEqual([expect.objectContaining({ code: 'BODY_INCOMPLETE' })]))
    expect(await home.leftBehind()).toEqual([])
  })

  test('has a fingerprint that outlives the boundary', async () => {
    await using home = await openBodyHome()
    const print = async (options: string, seed: number) => {
      const sent = form([
        ['options', options],
        ['file', patterned(50_000, seed), 'a'],
      ])
      return (await home.post('/resize', sent, { 'idempotency-key': 'a' })).body.fingerprint
    }
    const one = await print('{"width":1}', 1)
    expect(await print('{"width":1}', 1)).toBe(one)
    expect(await print('{"width":2}', 1)).not.toBe(one)
    expect(await print('{"width":1}', 2)).not.toBe(one)
  })
})
