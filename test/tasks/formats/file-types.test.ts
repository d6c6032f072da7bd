import { describe, expect, test } from 'vitest'
import {
  HEAD_BYTES,
  recogniseBinary,
  recogniseTextTypes,
  recogniseTypes,
} from '../../../tasks/formats/file-types/recognise.ts'

const detectType = async (content: string | number[], isWhole = true) =>
  (await recogniseTypes(Buffer.from(content as string), isWhole))[0]

describe('recognising the type of content', () => {
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
    ['image/x-tga', [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 10, 0, 24, 0, 255, 0, 0]],
    ['image/x-icon', [0, 0, 2, 0, 1, 0, 16, 16, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 22, 0, 0, 0]],
    ['image/x-icon', [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 24, 0, 8, 0, 0, 0, 22, 0, 0, 0]],
    ['application/octet-stream', [0, 0, 2, 0, ...Array<number>(20).fill(0)]],
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
    expect(await detectType(content)).toBe(type)
  })

  test.each([
    ['little-endian', Buffer.from('II*\0')],
    ['big-endian', Buffer.from('MM\0*')],
  ])('finds a %s TIFF whose first directory lies behind the examined head', async (order, magic) => {
    const head = Buffer.alloc(HEAD_BYTES, 0x80)
    magic.copy(head)
    const directory = 5 * HEAD_BYTES
    if (order === 'little-endian') head.writeUInt32LE(directory, 4)
    else head.writeUInt32BE(directory, 4)
    expect((await recogniseTypes(head, false))[0]).toBe('image/tiff')
    expect(await recogniseBinary(head)).toEqual({ type: 'image/tiff', extension: 'tif' })
  })

  test.each([
    ['text/html', Buffer.from('<!doctype html><meta charset=windows-1252><p>Gr\xfc\xdfe', 'latin1')],
    ['text/html', Buffer.from('<p>Gr\xfc\xdfe</p>', 'latin1')],
    ['text/html', Buffer.from('<html><meta charset=iso-2022-jp>\x1b$B$3$s\x1b(B', 'latin1')],
    ['text/html', Buffer.from('\ufeff<html><p>Grüße', 'utf16le')],
    ['application/xml', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xfc</a>', 'latin1')],
    ['application/octet-stream', Buffer.from('Gr\xfc\xdfe', 'latin1')],
    ['application/octet-stream', Buffer.from('<p>\0\xfc', 'latin1')],
  ])('finds %s in a legacy charset', async (type, content) => {
    expect((await recogniseTypes(content, true))[0]).toBe(type)
  })

  test('finds no PDF header after the first kilobyte', async () => {
    expect(await detectType(`${'x'.repeat(1025)}%PDF-1.4`)).toBe('text/plain')
  })

  test('ignores a character that the end of the head cuts in two', async () => {
    const text = Buffer.from(`ab${'世'.repeat(HEAD_BYTES)}`).subarray(0, HEAD_BYTES)
    expect((await recogniseTypes(text, false))[0]).toBe('text/plain')
    expect((await recogniseTypes(text, true))[0]).toBe('application/octet-stream')
  })

  test.each(['BMW and MINI', 'MZ is a signature', 'GIF89a', 'solid advice'])('takes %j for text', async text => {
    expect(await detectType(text)).toBe('text/plain')
    expect(await recogniseBinary(Buffer.from(text))).toBeUndefined()
  })

  test.each([
    ['text/vcard', 'BEGIN:VCARD\nVERSION:3.0\n'],
    ['application/rtf', '{\\rtf1 hello}'],
  ])('finds %s by its signature, but not as binary content', async (type, text) => {
    expect(await detectType(text)).toBe(type)
    expect(await recogniseBinary(Buffer.from(text))).toBeUndefined()
  })

  test('finds a PDF of ASCII characters alone as binary content', async () => {
    expect(await recogniseBinary(Buffer.from('%PDF-1.7'))).toEqual({ type: 'application/pdf', extension: 'pdf' })
  })

  test('takes content that was given as text for text', async () => {
    expect((await recogniseTextTypes(Buffer.from('a \0 b')))[0]).toBe('text/plain')
  })

  test('returns a type for any bytes', async () => {
    for (let seed = 0; seed < 300; seed++) {
      const magic = Buffer.from(
        ['504b0304', '25504446', '89504e47', '52494646', '00000020667479', '1f8b', 'd0cf11e0'][seed % 7]!,
        'hex',
      )
      const filler = Buffer.from(Array.from({ length: seed }, (_, at) => (at * seed * 31 + seed) & 255))
      const types = await recogniseTypes(Buffer.concat([magic, filler]), true)
      expect(types.length).toBeGreaterThan(0)
    }
  })
})
