import { describe, expect, test } from 'vitest'
import { acceptedType, HEAD_BYTES, sniff, sniffText } from '../../api/intake/sniff.ts'

const first = async (content: string | number[], isWhole = true) =>
  (await sniff(Buffer.from(content as string), isWhole))[0]

describe('telling a type from content', () => {
  test.each([
    [
      'image/png',
      [
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8,
        2, 0, 0, 0,
      ],
    ],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0]],
    ['image/gif', 'GIF89a\x01\x00\x01\x00'],
    ['application/pdf', '%PDF-1.7\n'],
    ['application/pdf', 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4\n'],
    ['application/pdf', [...Buffer.alloc(1000, 0), ...Buffer.from('%PDF-1.4')]],
    ['application/zip', [0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)]],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['image/svg+xml', '\ufeff<?xml version="1.0"?>\n<!-- a <html> -->\n<!DOCTYPE svg PUBLIC "x" "y">\n<svg></svg>'],
    ['application/xml', '<?xml version="1.0"?><note/>'],
    ['text/html', '<!DOCTYPE html><title>x</title>'],
    ['text/html', ' \n<HTML><body>'],
    ['text/html', '<p>hello</p>'],
    ['application/json', '{"a": 1}'],
    ['application/json', '[1, 2]'],
    ['text/plain', 'hello'],
    ['text/plain', 'a,b\n1,2\n'],
    ['text/plain', 'Grüße, 世界 😀'],
    ['application/octet-stream', [0, 1, 2, 3]],
    ['application/octet-stream', [0xff, 0xfe, 0x80, 0x81]],
    ['application/octet-stream', 'text with a \0 in it'],
  ])('finds %s', async (type, content) => {
    expect(await first(content)).toBe(type)
  })

  test('finds no PDF that begins later than its first kilobyte', async () => {
    expect(await first(`${'x'.repeat(1025)}%PDF-1.4`)).toBe('text/plain')
  })

  test('does not take a letter that the head cuts in two for a fault', async () => {
    const text = Buffer.from(`ab${'世'.repeat(HEAD_BYTES)}`).subarray(0, HEAD_BYTES)
    expect((await sniff(text, false))[0]).toBe('text/plain')
    expect((await sniff(text, true))[0]).toBe('application/octet-stream')
  })

  test('takes text for what an operation wants of it, where nothing speaks against it', async () => {
    const csv = await sniff(Buffer.from('a,b\n1,2\n'), true)
    expect(acceptedType(csv, ['text/csv'])).toBe('text/csv')
    expect(acceptedType(csv, ['image/*', 'text/*'])).toBe('text/plain')
    expect(acceptedType(csv, ['application/json'])).toBeUndefined()
    const json = await sniff(Buffer.from('{}'), true)
    expect(acceptedType(json, ['text/csv', 'application/json'])).toBe('application/json')
  })

  test('knows the accepted types by family and by star', () => {
    expect(acceptedType(['image/png'], ['image/*'])).toBe('image/png')
    expect(acceptedType(['image/png'], ['*/*'])).toBe('image/png')
    expect(acceptedType(['image/png'], ['imag/*', 'image/jpeg'])).toBeUndefined()
  })

  test('leaves text that came as text text', async () => {
    expect((await sniffText(Buffer.from('a \0 b')))[0]).toBe('text/plain')
  })

  test('survives any beginning', async () => {
    for (let seed = 0; seed < 300; seed++) {
      const magic = Buffer.from(
        ['504b0304', '25504446', '89504e47', '52494646', '00000020667479', '1f8b', 'd0cf11e0'][seed % 7]!,
        'hex',
      )
      const junk = Buffer.from(Array.from({ length: seed }, (_, at) => (at * seed * 31 + seed) & 255))
      const types = await sniff(Buffer.concat([magic, junk]), true)
      expect(types.length).toBeGreaterThan(0)
    }
  })
})
