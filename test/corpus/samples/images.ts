import { crc32, deflateSync, gzipSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { createBytes } from '../../support/data/bytes.ts'
import {
  createHalvesImage,
  createNoiseImage,
  createPlainImage,
  FOREIGN_ENCODERS,
} from '../../support/images/measure.ts'
import { encodePng } from '../../support/images/png.ts'
import { createSamples, type Sample } from './kinds.ts'

const MEGABYTE = 1_000_000

/** Noise in place of a photograph: it does not compress to nothing, and is small enough for every operation. */
function renderPhoto(): Sharp {
  return createNoiseImage(240, 160)
}

function renderPng(): Promise<Buffer> {
  return createHalvesImage(64, 48).png().toBuffer()
}

function renderJpeg(): Promise<Buffer> {
  return renderPhoto().jpeg({ quality: 80 }).toBuffer()
}

/** Inserts a marker segment after the start of a JPEG. */
function withSegment(bytes: Buffer, marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255])
  return Buffer.concat([bytes.subarray(0, 2), head, content, bytes.subarray(2)])
}

/** Changes the size in the frame header of a JPEG. */
function withFrameSize(bytes: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(bytes)
  const at = changed.findIndex((byte, index) => byte === 0xff && [0xc0, 0xc2].includes(changed[index + 1]!))
  changed.writeUInt16BE(height, at + 5)
  changed.writeUInt16BE(width, at + 7)
  return changed
}

async function renderYcck(): Promise<Buffer> {
  const bytes = await renderPhoto().toColourspace('cmyk').jpeg().toBuffer()
  const adobe = Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 2])
  const at = bytes.indexOf('Adobe')
  if (at < 0) return withSegment(bytes, 0xee, adobe)
  bytes[at + 11] = 2
  return bytes
}

/** A PNG chunk with its length and checksum. */
export function encodeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const encoded = Buffer.alloc(body.length + 8)
  encoded.writeUInt32BE(data.length, 0)
  encoded.set(body, 4)
  encoded.writeUInt32BE(crc32(body), body.length + 4)
  return encoded
}

function withChunks(bytes: Buffer, ...chunks: Buffer[]): Buffer {
  return Buffer.concat([bytes.subarray(0, 33), ...chunks, bytes.subarray(33)])
}

const oriented = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [
    `oriented-${index + 1}.jpg`,
    () =>
      createHalvesImage(60, 40)
        .withMetadata({ orientation: index + 1 })
        .jpeg()
        .toBuffer(),
  ]),
)

const jpegs = {
  ...oriented,
  'photo.jpg': renderJpeg,
  'progressive.jpg': () => renderPhoto().jpeg({ progressive: true }).toBuffer(),
  'grey.jpg': () => renderPhoto().grayscale().jpeg().toBuffer(),
  'cmyk.jpg': () => renderPhoto().toColourspace('cmyk').jpeg().toBuffer(),
  'ycck.jpg': renderYcck,
  'no-end.jpg': async () => (await renderJpeg()).subarray(0, -2),
  'no-frame.jpg': async () => (await renderJpeg()).subarray(0, 160),
  'size-65535.jpg': async () => withFrameSize(await renderJpeg(), 65_535, 65_535),
  'size-20000.jpg': async () => withFrameSize(await renderJpeg(), 4000, 20_000),
  'height-0.jpg': async () => withFrameSize(await renderJpeg(), 240, 0),
  'exif-cycle.jpg': async () =>
    withSegment(
      await renderJpeg(),
      0xe1,
      Buffer.from('457869660000 4d4d002a00000008 0001 8769 0004 00000001 00000008 00000008'.replaceAll(' ', ''), 'hex'),
    ),
  'exif-cut.jpg': async () =>
    withSegment(await renderJpeg(), 0xe1, Buffer.from('Exif\0\0MM\0*\0\0\0\x08\xff\xff', 'latin1')),
  'exif-noise.jpg': async () =>
    withSegment(await renderJpeg(), 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), createBytes(3000)])),
  'profile-noise.jpg': async () =>
    withSegment(await renderJpeg(), 0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), createBytes(900)])),
  'profile-parts-missing.jpg': async () =>
    withSegment(await renderJpeg(), 0xe2, Buffer.from('ICC_PROFILE\0\x03\x09half')),
  'text-behind.jpg': async () => Buffer.concat([await renderJpeg(), Buffer.from('<?php echo 1 ?>'.repeat(99))]),
  'noise-behind-head.jpg': () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), createBytes(4000)]),
}

const buildHugePixelData = () => deflateSync(Buffer.alloc(30 * MEGABYTE), { level: 9 })

const pngs = {
  'halves.png': renderPng,
  '16-bit.png': () =>
    sharp(Buffer.alloc(40 * 30 * 6, 77), { raw: { width: 80, height: 30, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer(),
  '1-bit.png': () => createHalvesImage(64, 48).png({ palette: true, colours: 2 }).toBuffer(),
  'palette-alpha.png': () =>
    sharp({ create: { width: 40, height: 40, channels: 4, background: '#ff000080' } })
      .png({ palette: true })
      .toBuffer(),
  'interlaced.png': () => createHalvesImage(64, 48).png({ progressive: true }).toBuffer(),
  'grey-alpha.png': () =>
    sharp({ create: { width: 9, height: 9, channels: 4, background: '#80808080' } })
      .grayscale()
      .png()
      .toBuffer(),
  'one-pixel.png': () => createPlainImage(1, 1).png().toBuffer(),
  'long-line.png': () => encodePng(30_000, 1, deflateSync(Buffer.alloc(30_001))),
  'tall-line.png': () => encodePng(1, 30_000, deflateSync(Buffer.alloc(60_000))),
  'no-width.png': () => encodePng(0, 20, deflateSync(Buffer.alloc(20))),
  'bomb-30000.png': () => encodePng(30_000, 30_000, buildHugePixelData()),
  'bomb-too-wide.png': () => encodePng(2_147_483_647, 2_147_483_647, buildHugePixelData()),
  'at-the-limit.png': () => encodePng(10_000, 9_999, deflateSync(Buffer.alloc(10_001 * 9_999))),
  'too-little-data.png': () => encodePng(300, 300, deflateSync(Buffer.alloc(500))),
  'wrong-sum.png': async () => {
    const bytes = await renderPng()
    bytes[31] = bytes[31]! ^ 255
    return bytes
  },
  'text-bomb.png': async () =>
    withChunks(
      await renderPng(),
      encodeChunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100 * MEGABYTE))])),
    ),
  'profile-bomb.png': async () =>
    withChunks(
      await renderPng(),
      encodeChunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100 * MEGABYTE))])),
    ),
  'text-many.png': async () =>
    withChunks(
      await renderPng(),
      ...Array.from({ length: 5000 }, (_, index) => encodeChunk('tEXt', Buffer.from(`k${index}\0v`))),
    ),
  'orders-wrong.png': async () => {
    const bytes = await renderPng()
    return Buffer.concat([bytes.subarray(0, 8), bytes.subarray(33), bytes.subarray(8, 33)])
  },
}

const others = {
  'photo.webp': () => renderPhoto().webp().toBuffer(),
  'lossless-alpha.webp': () =>
    sharp({ create: { width: 40, height: 40, channels: 4, background: '#00ff0040' } })
      .webp({ lossless: true })
      .toBuffer(),
  'length-lies.webp': async () => {
    const bytes = await renderPhoto().webp().toBuffer()
    bytes.writeUInt32LE(0xffffffff, 4)
    return bytes
  },
  'photo.avif': () => renderPhoto().avif({ effort: 0 }).toBuffer(),
  'deep.avif': () =>
    renderPhoto()
      .avif({ effort: 0, bitdepth: 10 })
      .toBuffer()
      .catch(() => renderPhoto().avif({ effort: 0 }).toBuffer()),
  'photo.tiff': () => renderPhoto().tiff().toBuffer(),
  '1-bit.tiff': () =>
    createHalvesImage(64, 48)
      .grayscale()
      .threshold()
      .toColourspace('b-w')
      .tiff({ bitdepth: 1, compression: 'ccittfax4' })
      .toBuffer(),
  'cmyk.tiff': () => renderPhoto().toColourspace('cmyk').tiff().toBuffer(),
  '16-bit.tiff': () => renderPhoto().toColourspace('rgb16').tiff().toBuffer(),
  'pages.tiff': async () =>
    sharp(await Promise.all([renderPng(), renderPng(), renderPng()]), { join: { animated: true } })
      .tiff()
      .toBuffer(),
  'pyramid.tiff': () => createNoiseImage(700, 500).tiff({ tile: true, pyramid: true }).toBuffer(),
  'directory-cycle.tiff': async () => {
    const bytes = await createPlainImage(20, 20).tiff({ compression: 'none' }).toBuffer()
    const directory = bytes.readUInt32LE(4)
    bytes.writeUInt32LE(directory, directory + 2 + 12 * bytes.readUInt16LE(directory))
    return bytes
  },
  'directory-far.tiff': () => Buffer.from('49492a00ffffff7f', 'hex'),
  'directory-long.tiff': () => Buffer.concat([Buffer.from('49492a0008000000ffff', 'hex'), createBytes(9000)]),
}

function convertTo(kind: string): () => Promise<Buffer> {
  return async () => FOREIGN_ENCODERS[kind]!(await renderPng())
}

const foreignFormats = {
  'photo.heic': convertTo('heic'),
  'photo.jxl': convertTo('jxl'),
  'photo.jp2': convertTo('jp2'),
  'photo.psd': convertTo('psd'),
  'photo.ico': convertTo('ico'),
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
    const image = await createPlainImage(32, 32).png().toBuffer()
    const head = Buffer.from('000001000100202000000100200000000000160000 00'.replace(' ', ''), 'hex')
    head.writeUInt32LE(image.length, 14)
    return Buffer.concat([head, image])
  },
}

const wrapSvg = (content: string, attributes = 'width="40" height="40"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`

const vectors = {
  'plain.svg': () => wrapSvg('<circle cx="20" cy="20" r="15" fill="red"/>'),
  'zipped.svgz': () => gzipSync(wrapSvg('<circle cx="20" cy="20" r="15"/>')),
  'outside-http.svg': () => wrapSvg('<image xlink:href="http://127.0.0.1:9/x.png" width="40" height="40"/>'),
  'outside-file.svg': () =>
    wrapSvg('<image xlink:href="file:///etc/passwd" width="40" height="40"/><use href="/etc/passwd#x"/>'),
  'outside-style.svg': () =>
    wrapSvg(
      '<style>@import url(http://127.0.0.1:9/a.css); @font-face{font-family:x;src:url(file:///etc/passwd)}</style><text y="20">x</text>',
    ),
  'entity-file.svg': () =>
    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${wrapSvg('<text y="20">&x;</text>')}`,
  'entity-laughs.svg': () => {
    const names = 'abcdefghij'.split('')
    const lines = names.map((name, index) => `<!ENTITY ${name} "${index ? `&${names[index - 1]};`.repeat(10) : 'ha'}">`)
    return `<!DOCTYPE svg [${lines.join('')}]>${wrapSvg('<text y="20">&j;</text>')}`
  },
  'used-by-itself.svg': () => wrapSvg('<g id="a"><use xlink:href="#a"/></g><use xlink:href="#a"/>'),
  'used-often.svg': () => {
    const rows = Array.from(
      { length: 8 },
      (_, index) => `<g id="g${index + 1}">${`<use xlink:href="#g${index}"/>`.repeat(10)}</g>`,
    )
    return wrapSvg(`<defs><rect id="g0" width="9" height="9"/>${rows.join('')}</defs><use xlink:href="#g8"/>`)
  },
  'nested.svg': () => wrapSvg(`${'<g>'.repeat(20_000)}${'</g>'.repeat(20_000)}`),
  'filters.svg': () =>
    wrapSvg(
      `<filter id="f">${'<feGaussianBlur stdDeviation="90"/>'.repeat(60)}</filter><rect width="2000" height="2000" filter="url(#f)"/>`,
      'width="2000" height="2000"',
    ),
  'huge.svg': () => wrapSvg('<rect width="9" height="9"/>', 'width="100000" height="100000"'),
  'no-size.svg': () => wrapSvg('<rect width="9" height="9"/>', ''),
  'percent.svg': () => wrapSvg('<rect width="9" height="9"/>', 'width="100%" height="100%"'),
  'size-nan.svg': () => wrapSvg('<rect width="9" height="9"/>', 'width="NaN" height="1e999" viewBox="0 0 0 0"'),
  'script.svg': () =>
    wrapSvg(
      '<script>alert(1)</script><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="file:///etc/passwd"/></foreignObject>',
    ),
  'picture-inside.svg': async () =>
    wrapSvg(
      `<image width="40" height="40" xlink:href="data:image/png;base64,${(await renderPng()).toString('base64')}"/>`,
    ),
  'bomb-inside.svg': () =>
    wrapSvg(
      `<image width="40" height="40" xlink:href="data:image/png;base64,${encodePng(30_000, 30_000, buildHugePixelData()).toString('base64')}"/>`,
    ),
  'unclosed.svg': () => wrapSvg('<rect width="9"').slice(0, -9),
  'utf-16.svg': () =>
    Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${wrapSvg('<rect width="9" height="9"/>')}`, 'utf16le'),
}

export function buildImageSamples(): Sample[] {
  return createSamples('image', { ...jpegs, ...pngs, ...others, ...foreignFormats, ...vectors })
}
