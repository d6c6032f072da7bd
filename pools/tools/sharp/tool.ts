import { readFile, stat, writeFile } from 'node:fs/promises'
import { type FileContent, Problem } from '#kit'
import type { Size } from '../../../tasks/formats/geometry/region.ts'
import type { HostContext } from '../../host-context.ts'
import { checkFont } from '../fonts/installed.ts'
import type { ColorAnalysis, ColorOptions } from './analyse/colors.ts'
import type { CompareOptions, ImageComparison } from './analyse/comparison.ts'
import type { DescribeOptions, Description } from './analyse/describe.ts'
import type { LumaImage } from './analyse/luma.ts'
import type { OcrInput, OcrInputOptions } from './analyse/ocr-input.ts'
import type { PageDifference } from './analyse/page-difference.ts'
import type { PageRulings } from './analyse/page-rulings.ts'
import type { VisionInput, VisionInputOptions } from './analyse/vision-input.ts'
import type { BlurOptions, SharpenOptions } from './edit/blur.ts'
import type { ExtendOptions, TrimmedImage, TrimOptions } from './edit/borders.ts'
import type { CompositeOptions } from './edit/composite.ts'
import type { CropOptions, CroppedImage } from './edit/crop.ts'
import type { RotateOptions } from './edit/geometry.ts'
import { type LosslessTurn, turnLosslessly } from './edit/lossless-turn.ts'
import type { ResizeOptions } from './edit/resize.ts'
import type { AdjustOptions, GrayscaleOptions } from './edit/tone.ts'
import type { CompressedImage, CompressOptions } from './encode/compress.ts'
import type { ContactSheetOptions } from './encode/contact-sheet.ts'
import type { ConvertedImage, ConvertOptions } from './encode/convert.ts'
import { decodeForeign, readForeignHeader } from './encode/foreign-images.ts'
import { unpackVector } from './encode/packed-vector.ts'
import type { ExtractedImageOptions, RenderedPageOptions } from './encode/page.ts'
import type { PdfImageOptions } from './encode/pdf-image.ts'
import type { StackOptions } from './encode/stack.ts'
import type { VectorOptions } from './encode/vector.ts'
import type { ImageFacts } from './engine.ts'
import type { ImageResult, OutputOptions } from './output.ts'

/**
 * Image processing. libvips parses untrusted bytes in native code, so it runs in warm sandboxed child processes. A
 * sandboxed program first converts the formats that libvips cannot decode.
 */
export function bind(context: HostContext) {
  const call = <Value>(method: string, files: readonly string[], args: unknown): Promise<Value> =>
    context.engines.call(context, 'sharp', method, files, args)
  const callDecoded = async <Result = ImageResult>(method: string, file: string, options: Partial<OutputOptions>) => {
    const { path, originalFormat } = await decodeForeign(context, file, options.page)
    const page = originalFormat === 'heic' ? undefined : options.page
    return call<Result>(method, [path], { ...options, page, originalFormat })
  }
  return {
    inspect: (files: readonly string[]) => inspect(context, files, call),
    describe: (file: string, options: DescribeOptions) => describe(context, file, options, call),
    convert: (file: string, options: ConvertOptions) => callDecoded<ConvertedImage>('convert', file, options),
    rotate: (file: string, options: RotateOptions) => callDecoded('rotate', file, options),
    /** Turns a JPEG by right angles without encoding it again. */
    turnLosslessly: (file: string, turn: LosslessTurn) => turnLosslessly(context, file, turn),
    crop: (file: string, options: CropOptions) => callDecoded<CroppedImage>('crop', file, options),
    extend: (file: string, options: ExtendOptions) => callDecoded('extend', file, options),
    trim: (file: string, options: TrimOptions) => callDecoded<TrimmedImage>('trim', file, options),
    adjust: (file: string, options: AdjustOptions) => callDecoded('adjust', file, options),
    grayscale: (file: string, options: GrayscaleOptions) => callDecoded('grayscale', file, options),
    blur: (file: string, options: BlurOptions) => callDecoded('blur', file, options),
    sharpen: (file: string, options: SharpenOptions) => callDecoded('sharpen', file, options),
    compress: (file: string, options: CompressOptions) =>
      callDecoded<CompressedImage>('compress', file, options as Partial<OutputOptions>),
    analyseColors: (file: string, options: ColorOptions) => callDecoded<ColorAnalysis>('analyseColors', file, options),
    /** Both in the order in which they are named in the answer. */
    async compareImages(files: readonly [a: string, b: string], options: CompareOptions) {
      const decoded = await Promise.all(files.map(file => decodeForeign(context, file)))
      return call<ImageComparison>(
        'compareImages',
        decoded.map(({ path }) => path),
        options,
      )
    },
    async composite(files: readonly string[], options: CompositeOptions) {
      for (const [index, { text, font }] of options.layers.entries())
        if (text !== undefined) await checkFont(context, font, { index })
      const decoded = await Promise.all(files.map(file => decodeForeign(context, file)))
      const paths = decoded.map(({ path }) => path)
      return call<ImageResult>('composite', paths, { ...options, originalFormat: decoded[0]?.originalFormat })
    },
    stackVertically: (files: readonly string[], options: StackOptions) =>
      call<FileContent>('stackVertically', files, options),
    async prepareOcrInput(file: string, options: OcrInputOptions) {
      const { path } = await decodeForeign(context, file)
      return call<OcrInput>('prepareOcrInput', [path], options)
    },
    async prepareVisionInput(file: string, options: VisionInputOptions) {
      const { path } = await decodeForeign(context, file)
      return call<VisionInput>('prepareVisionInput', [path], options)
    },
    extractLuma: (file: string, options: Partial<OutputOptions>) =>
      callDecoded<LumaImage>('extractLuma', file, options),
    async drawContactSheet(files: readonly string[], options: ContactSheetOptions) {
      const paths = await Promise.all(
        files.map((file, index) => decodeForSheet(context, file, index, options.skipBroken)),
      )
      return call<ImageResult>('drawContactSheet', paths, options)
    },
    ...bindPages(context, call),
    toThumbnail: (file: string, options: Size & { format: ResizeOptions['format']; quality: number }) =>
      callDecoded('resize', file, { ...PLAIN_PNG, ...options }),
    resize: (file: string, options: ResizeOptions) => callDecoded('resize', file, options),
    ...bindDrawing(context, call),
    /** An image in any readable format as a PNG of at most this many pixels a side, to be put into a drawing. */
    async toPng(file: string, side: number, enlarge = false): Promise<Size & { bytes: Uint8Array }> {
      const options = { ...PLAIN_PNG, width: side, height: side, enlarge }
      const { bytes, path, width, height } = await callDecoded('resize', file, options)
      return { bytes: bytes ?? (await readFile(path!)), width, height }
    },
  }
}

const PLAIN_PNG: ResizeOptions = {
  ...({ format: 'png', animation: 'first', metadata: 'strip', icc: 'srgb', background: '#ffffff' } as const),
  ...({ fit: 'inside', position: 'center', kernel: 'lanczos3', dpr: 1, enlarge: false, lossless: false } as const),
  ...({ sharpen: false, linear: false, tolerant: false } as const),
}

/** What renders drawings of ours, which refer to nothing outside themselves. */
function bindDrawing(context: HostContext, call: CallEngine) {
  let drawings = 0
  const write = async (svg: string) => {
    const path = context.out(`drawing-${++drawings}.svg`)
    await writeFile(path, svg)
    return [path]
  }
  return {
    drawVector: async (svg: string, options: VectorOptions) =>
      call<FileContent & Size>('drawVector', await write(svg), options),
    drawIcons: async (svg: string, options: { sizes: readonly number[]; ico?: readonly number[] }) =>
      call<{ pngs: Uint8Array[]; ico: Uint8Array }>('drawIcons', await write(svg), options),
    drawEmoji: (text: string) => call<Size & { bytes: Uint8Array }>('drawEmoji', [], { text }),
  }
}

/** For pages and images of PDFs. */
function bindPages(context: HostContext, call: CallEngine) {
  return {
    async encodePage(file: string, options: RenderedPageOptions & { to: string }) {
      const { to, ...encoding } = options
      return saveTo(await call<FileContent>('encodePage', [file], encoding), to)
    },
    /** Compares two rendered pages; `threshold` is the difference of colours, from 0 to 1, up to which pixels are equal. */
    comparePages: (one: string, other: string, options: { threshold: number }) =>
      call<PageDifference>('comparePages', [one, other], options),
    /** Small grey pictures of rendered pages. */
    readThumbnails: (files: readonly string[]) => call<Uint8Array[]>('readThumbnails', files, {}),
    /** By how many degrees the lines of text on a rendered page fall to the right. */
    measureSkew: (file: string) => call<number>('measureSkew', [file], {}),
    /** The straight lines on a rendered page. */
    findRulings: (file: string) => call<PageRulings>('findPageRulings', [file], {}),
    async rotateRendering(file: string, { to, degrees }: { to: string; degrees: number }) {
      return saveTo(await call<FileContent>('rotateRendering', [file], { degrees }), to)
    },
    async encodeImage(file: string, options: ExtractedImageOptions & { to: string }) {
      const { to, ...encoding } = options
      const { path } = await decodeForeign(context, file)
      return saveTo(await call<FileContent>('encodeImage', [path], encoding), to)
    },
    /** Encodes the data of an image of a PDF again; nothing if they are not what the document states. */
    async encodePdfImage(file: string, { to, ...options }: PdfImageOptions & { to: string }) {
      const encoded = await call<FileContent>('encodePdfImage', [file], options)
      if (!encoded.bytes && encoded.path === undefined) return undefined
      const path = await saveTo(encoded, to)
      return { path, sizeBytes: (await stat(path)).size }
    },
    async joinTiffPages(files: readonly string[], options: { to: string }) {
      return saveTo(await call<FileContent>('joinTiffPages', files, {}), options.to)
    },
  }
}

async function saveTo({ bytes, path }: FileContent, to: string): Promise<string> {
  if (path !== undefined) return path
  await writeFile(to, bytes!, { flag: 'wx' })
  return to
}

/** With `skipBroken`, returns an undecodable file unchanged: the engine then draws a placeholder for it. */
async function decodeForSheet(context: HostContext, file: string, index: number, skipBroken: boolean): Promise<string> {
  try {
    return (await decodeForeign(context, file)).path
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (skipBroken) return file
    throw new Problem(error.code, { ...error.hints, index })
  }
}

type CallEngine = <Value>(method: string, files: readonly string[], args: unknown) => Promise<Value>

async function inspect(context: HostContext, files: readonly string[], call: CallEngine): Promise<ImageFacts[]> {
  const headers = files.map(readForeignHeader)
  const nativeFiles = files.filter((_, index) => headers[index]?.size === undefined)
  const plainFiles = await Promise.all(nativeFiles.map(file => unpackVector(context, file)))
  const facts = plainFiles.length > 0 ? await call<ImageFacts[]>('inspect', plainFiles, {}) : []
  return headers.map(header => (header?.size ? { ...header.size, frames: 1, format: header.format } : facts.shift()!))
}

/** Decodes the image only if the caller asks about its pixels; the header is enough for the rest. */
async function describe(
  context: HostContext,
  file: string,
  options: DescribeOptions,
  call: CallEngine,
): Promise<Description> {
  const header = readForeignHeader(file)
  if (!header) return call('describe', [await unpackVector(context, file)], options)
  const needsPixels = options.stats || options.hashes
  const { path } = needsPixels || header.format !== 'heic' ? await decodeForeign(context, file) : { path: file }
  const description = await call<Description>('describe', [path], options)
  const { format } = header
  return { ...description, format, mime: MIME_TYPES[format] }
}

const MIME_TYPES = {
  heic: 'image/heic',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  jp2: 'image/jp2',
  jxl: 'image/jxl',
  psd: 'image/vnd.adobe.photoshop',
}
