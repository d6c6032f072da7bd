import { crc32, deflateSync, gzipSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { patterned } from '../support/bytes.ts'
import { FOREIGN, halves, noise, plain } from '../support/pictures.ts'
import { pngOf } from '../support/png.ts'
import { type Sample, samplesOf } from './sample.ts'

const MEGABYTE = 1_000_000

/** A photograph of sorts: too varied to be stored as nothing, small enough for every operation. */
function photo(): Sharp {
  return noise(240, 160)
}

function png(): Promise<Buffer> {
  return halves(64, 48).png().toBuffer()
}

function jpeg(): Promise<Buffer> {
  return photo().jpeg({ quality: 80 }).toBuffer()
}

/** Puts a marker segment behind the start of a JPEG. */
function withSegment(bytes: Buffer, marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255])
  return Buffer.concat([bytes.subarray(0, 2), head, content, bytes.subarray(2)])
}

/** The frame header of a JPEG says another size. */
function resized(bytes: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(bytes)
  const at = changed.findIndex((byte, index) => byte === 0xff && [0xc0, 0xc2].includes(changed[index + 1]!))
  changed.writeUInt16BE(height, at + 5)
  changed.writeUInt16BE(width, at + 7)
  return changed
}

async function ycck(): Promise<Buffer> {
  const bytes = await photo().toColourspace('cmyk').jpeg().toBuffer()
  const adobe = Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 2])
  const at = bytes.indexOf('Adobe')
  if (at < 0) return withSegment(bytes, 0xee, adobe)
  bytes[at + 11] = 2
  return bytes
}

/** Each chunk is laid behind the head of a PNG. */
export function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  whole.set(body, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

export function withChunks(bytes: Buffer, ...chunks: Buffer[]): Buffer {
  return Buffer.concat([bytes.subarray(0, 33), ...chunks, bytes.subarray(33)])
}

const oriented = Object.fromEntries(
  Array.from({ length: 8 }, (_, at) => [
    `oriented-${at + 1}.jpg`,
    () =>
      halves(60, 40)
        .withMetadata({ orientation: at + 1 })
        .jpeg()
        .toBuffer(),
  ]),
)

const jpegs = {
  ...oriented,
  'photo.jpg': jpeg,
  'progressive.jpg': () => photo().jpeg({ progressive: true }).toBuffer(),
  'grey.jpg': () => photo().grayscale().jpeg().toBuffer(),
  'cmyk.jpg': () => photo().toColourspace('cmyk').jpeg().toBuffer(),
  'ycck.jpg': ycck,
  'no-end.jpg': async () => (await jpeg()).subarray(0, -2),
  'no-frame.jpg': async () => (await jpeg()).subarray(0, 160),
  'size-65535.jpg': async () => resized(await jpeg(), 65_535, 65_535),
  'size-20000.jpg': async () => resized(await jpeg(), 4000, 20_000),
  'height-0.jpg': async () => resized(await jpeg(), 240, 0),
  'exif-cycle.jpg': async () =>
    withSegment(
      await jpeg(),
      0xe1,
      Buffer.from('457869660000 4d4d002a00000008 0001 8769 0004 00000001 00000008 00000008'.replaceAll(' ', ''), 'hex'),
    ),
  'exif-cut.jpg': async () => withSegment(await jpeg(), 0xe1, Buffer.from('Exif\0\0MM\0*\0\0\0\x08\xff\xff', 'latin1')),
  'exif-noise.jpg': async () =>
    withSegment(await jpeg(), 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), patterned(3000)])),
  'profile-noise.jpg': async () =>
    withSegment(await jpeg(), 0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), patterned(900)])),
  'profile-parts-missing.jpg': async () => withSegment(await jpeg(), 0xe2, Buffer.from('ICC_PROFILE\0\x03\x09half')),
  'text-behind.jpg': async () => Buffer.concat([await jpeg(), Buffer.from('<?php echo 1 ?>'.repeat(99))]),
  'noise-behind-head.jpg': () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), patterned(4000)]),
}

const HUGE = () => deflateSync(Buffer.alloc(30 * MEGABYTE), { level: 9 })

const pngs = {
  'halves.png': png,
  '16-bit.png': () =>
    sharp(Buffer.alloc(40 * 30 * 6, 77), { raw: { width: 80, height: 30, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer(),
  '1-bit.png': () => halves(64, 48).png({ palette: true, colours: 2 }).toBuffer(),
  'palette-alpha.png': () =>
    sharp({ create: { width: 40, height: 40, channels: 4, background: '#ff000080' } })
      .png({ palette: true })
      .toBuffer(),
  'interlaced.png': () => halves(64, 48).png({ progressive: true }).toBuffer(),
  'grey-alpha.png': () =>
    sharp({ create: { width: 9, height: 9, channels: 4, background: '#80808080' } })
      .grayscale()
      .png()
      .toBuffer(),
  'one-pixel.png': () => plain(1, 1).png().toBuffer(),
  'long-line.png': () => pngOf(30_000, 1, deflateSync(Buffer.alloc(30_001))),
  'tall-line.png': () => pngOf(1, 30_000, deflateSync(Buffer.alloc(60_000))),
  'no-width.png': () => pngOf(0, 20, deflateSync(Buffer.alloc(20))),
  'bomb-30000.png': () => pngOf(30_000, 30_000, HUGE()),
  'bomb-too-wide.png': () => pngOf(2_147_483_647, 2_147_483_647, HUGE()),
  'at-the-limit.png': () => pngOf(10_000, 9_999, deflateSync(Buffer.alloc(10_001 * 9_999))),
  'too-little-data.png': () => pngOf(300, 300, deflateSync(Buffer.alloc(500))),
  'wrong-sum.png': async () => {
    const bytes = await png()
    bytes[31] = bytes[31]! ^ 255
    return bytes
  },
  'text-bomb.png': async () =>
    withChunks(
      await png(),
      chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100 * MEGABYTE))])),
    ),
  'profile-bomb.png': async () =>
    withChunks(
      await png(),
      chunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100 * MEGABYTE))])),
    ),
  'text-many.png': async () =>
    withChunks(await png(), ...Array.from({ length: 5000 }, (_, at) => chunk('tEXt', Buffer.from(`k${at}\0v`)))),
  'orders-wrong.png': async () => {
    const bytes = await png()
    return Buffer.concat([bytes.subarray(0, 8), bytes.subarray(33), bytes.subarray(8, 33)])
  },
}

const others = {
  'photo.webp': () => photo().webp().toBuffer(),
  'lossless-alpha.webp': () =>
    sharp({ create: { width: 40, height: 40, channels: 4, background: '#00ff0040' } })
      .webp({ lossless: true })
      .toBuffer(),
  'length-lies.webp': async () => {
    const bytes = await photo().webp().toBuffer()
    bytes.writeUInt32LE(0xffffffff, 4)
    return bytes
  },
  'photo.avif': () => photo().avif({ effort: 0 }).toBuffer(),
  'deep.avif': () =>
    photo()
      .avif({ effort: 0, bitdepth: 10 })
      .toBuffer()
      .catch(() => photo().avif({ effort: 0 }).toBuffer()),
  'photo.tiff': () => photo().tiff().toBuffer(),
  '1-bit.tiff': () =>
    halves(64, 48)
      .grayscale()
      .threshold()
      .toColourspace('b-w')
      .tiff({ bitdepth: 1, compression: 'ccittfax4' })
      .toBuffer(),
  'cmyk.tiff': () => photo().toColourspace('cmyk').tiff().toBuffer(),
  '16-bit.tiff': () => photo().toColourspace('rgb16').tiff().toBuffer(),
  'pages.tiff': async () =>
    sharp(await Promise.all([png(), png(), png()]), { join: { animated: true } })
      .tiff()
      .toBuffer(),
  'pyramid.tiff': () => noise(700, 500).tiff({ tile: true, pyramid: true }).toBuffer(),
  'directory-cycle.tiff': async () => {
    const bytes = await plain(20, 20).tiff({ compression: 'none' }).toBuffer()
    const directory = bytes.readUInt32LE(4)
    bytes.writeUInt32LE(directory, directory + 2 + 12 * bytes.readUInt16LE(directory))
    return bytes
  },
  'directory-far.tiff': () => Buffer.from('49492a00ffffff7f', 'hex'),
  'directory-long.tiff': () => Buffer.concat([Buffer.from('49492a0008000000ffff', 'hex'), patterned(9000)]),
}

function foreign(kind: string): () => Promise<Buffer> {
  return async () => FOREIGN[kind]!(await png())
}

const strange = {
  'photo.heic': foreign('heic'),
  'photo.jxl': foreign('jxl'),
  'photo.jp2': foreign('jp2'),
  'photo.psd': foreign('psd'),
  'photo.ico': foreign('ico'),
  'heic-head.heic': () => Buffer.from('00000018667479706865696300000000686569636d696631', 'hex'),
  'jxl-head.jxl': () => Buffer.from('ff0a', 'hex'),
  'jp2-head.jp2': () => Buffer.from('0000000c6a5020200d0a870a0000001466747970', 'hex'),
  'psd-huge.psd': () =>
    Buffer.concat([
      Buffer.from('384250530001000000000000000300007530000075300008 0003'.replace(' ', ''), 'hex'),
      Buffer.alloc(40),
    ]),
  'ico-empty.ico': () => Buffer.from('000001000000', 'hex'),
  'ico-lies.ico': () => Buffer.from('00000100ffff00000000010020 00ffffff7fffffff7f'.replace(' ', ''), 'hex'),
  'ico-of-png.ico': async () => {
    const picture = await plain(32, 32).png().toBuffer()
    const head = Buffer.from('000001000100202000000100200000000000160000 00'.replace(' ', ''), 'hex')
    head.writeUInt32LE(picture.length, 14)
    return Buffer.concat([head, picture])
  },
}

const svg = (inside: string, attributes = 'width="40" height="40"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`

const vectors = {
  'plain.svg': () => svg('<circle cx="20" cy="20" r="15" fill="red"/>'),
  'zipped.svgz': () => gzipSync(svg('<circle cx="20" cy="20" r="15"/>')),
  'outside-http.svg': () => svg('<image xlink:href="http://127.0.0.1:9/x.png" width="40" height="40"/>'),
  'outside-file.svg': () =>
    svg('<image xlink:href="file:///etc/passwd" width="40" height="40"/><use href="/etc/passwd#x"/>'),
  'outside-style.svg': () =>
    svg(
      '<style>@import url(http://127.0.0.1:9/a.css); @font-face{font-family:x;src:url(file:///etc/passwd)}</style><text y="20">x</text>',
    ),
  'entity-file.svg': () => `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text y="20">&x;</text>')}`,
  'entity-laughs.svg': () => {
    const names = 'abcdefghij'.split('')
    const lines = names.map((name, at) => `<!ENTITY ${name} "${at ? `&${names[at - 1]};`.repeat(10) : 'ha'}">`)
    return `<!DOCTYPE svg [${lines.join('')}]>${svg('<text y="20">&j;</text>')}`
  },
  'used-by-itself.svg': () => svg('<g id="a"><use xlink:href="#a"/></g><use xlink:href="#a"/>'),
  'used-often.svg': () => {
    const rows = Array.from(
      { length: 8 },
      (_, at) => `<g id="g${at + 1}">${`<use xlink:href="#g${at}"/>`.repeat(10)}</g>`,
    )
    return svg(`<defs><rect id="g0" width="9" height="9"/>${rows.join('')}</defs><use xlink:href="#g8"/>`)
  },
  'nested.svg': () => svg(`${'<g>'.repeat(20_000)}${'</g>'.repeat(20_000)}`),
  'filters.svg': () =>
    svg(
      `<filter id="f">${'<feGaussianBlur stdDeviation="90"/>'.repeat(60)}</filter><rect width="2000" height="2000" filter="url(#f)"/>`,
      'width="2000" height="2000"',
    ),
  'huge.svg': () => svg('<rect width="9" height="9"/>', 'width="100000" height="100000"'),
  'no-size.svg': () => svg('<rect width="9" height="9"/>', ''),
  'percent.svg': () => svg('<rect width="9" height="9"/>', 'width="100%" height="100%"'),
  'size-nan.svg': () => svg('<rect width="9" height="9"/>', 'width="NaN" height="1e999" viewBox="0 0 0 0"'),
  'script.svg': () =>
    svg(
      '<script>alert(1)</script><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="file:///etc/passwd"/></foreignObject>',
    ),
  'picture-inside.svg': async () =>
    svg(`<image width="40" height="40" xlink:href="data:image/png;base64,${(await png()).toString('base64')}"/>`),
  'bomb-inside.svg': () =>
    svg(
      `<image width="40" height="40" xlink:href="data:image/png;base64,${pngOf(30_000, 30_000, HUGE()).toString('base64')}"/>`,
    ),
  'unclosed.svg': () => svg('<rect width="9"').slice(0, -9),
  'utf-16.svg': () =>
    Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${svg('<rect width="9" height="9"/>')}`, 'utf16le'),
}

export function imageSamples(): Sample[] {
  return samplesOf('image', { ...jpegs, ...pngs, ...others, ...strange, ...vectors })
}
