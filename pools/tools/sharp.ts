import { writeFile } from 'node:fs/promises'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { checkFont } from './font-names.ts'
import { decoded, foreignHead } from './foreign-images.ts'
import type { ExtendOptions, TrimmedImage, TrimOptions } from './sharp-borders.ts'
import type { ColorOptions, FoundColors } from './sharp-colors.ts'
import type { CompositeOptions } from './sharp-composite.ts'
import type { CompressedImage, CompressOptions } from './sharp-compress.ts'
import type { ConvertedImage, ConvertOptions } from './sharp-convert.ts'
import type { CropOptions, CroppedImage } from './sharp-crop.ts'
import type { DescribeOptions, Description } from './sharp-describe.ts'
import type { ImageFacts } from './sharp-engine.ts'
import type { RotateOptions } from './sharp-geometry.ts'
import type { LegibleImage, LegibleOptions } from './sharp-legible.ts'
import type { LumaImage } from './sharp-luma.ts'
import type { EncodedImage, OutputOptions } from './sharp-output.ts'
import type { PageOptions, PictureOptions } from './sharp-page.ts'
import type { ResizeOptions } from './sharp-resize.ts'
import type { SheetOptions } from './sharp-sheet.ts'
import type { BlurOptions, SharpenOptions } from './sharp-soft.ts'
import type { StackOptions } from './sharp-stack.ts'
import type { AdjustOptions, GrayscaleOptions } from './sharp-tone.ts'

/**
 * Pictures. libvips parses untrusted bytes in native code, so that it works in warm confined children; what it does
 * not decode, a confined program brings into a form that it does.
 */
export function bind(room: HostRoom) {
  const call = <Value>(method: string, files: readonly string[], args: unknown): Promise<Value> =>
    room.children.call(room, 'sharp', method, files, args)
  const make = async <Made = EncodedImage>(method: string, file: string, options: Partial<OutputOptions>) => {
    const { path, via } = await decoded(room, file, options.page)
    const page = via === 'heic' ? undefined : options.page
    return call<Made>(method, [path], { ...options, page, via })
  }
  return {
    inspect: (files: readonly string[]) => inspect(files, call),
    describe: (file: string, options: DescribeOptions) => describe(room, file, options, call),
    convert: (file: string, options: ConvertOptions) => make<ConvertedImage>('convert', file, options),
    rotate: (file: string, options: RotateOptions) => make('rotate', file, options),
    crop: (file: string, options: CropOptions) => make<CroppedImage>('crop', file, options),
    extend: (file: string, options: ExtendOptions) => make('extend', file, options),
    trim: (file: string, options: TrimOptions) => make<TrimmedImage>('trim', file, options),
    adjust: (file: string, options: AdjustOptions) => make('adjust', file, options),
    grayscale: (file: string, options: GrayscaleOptions) => make('grayscale', file, options),
    blur: (file: string, options: BlurOptions) => make('blur', file, options),
    sharpen: (file: string, options: SharpenOptions) => make('sharpen', file, options),
    compress: (file: string, options: CompressOptions) =>
      make<CompressedImage>('compress', file, options as Partial<OutputOptions>),
    colors: (file: string, options: ColorOptions) => make<FoundColors>('colors', file, options),
    async composite(files: readonly string[], options: CompositeOptions) {
      for (const [index, { text, font }] of options.layers.entries())
        if (text !== undefined) await checkFont(room, font, { index })
      const ready = await Promise.all(files.map(file => decoded(room, file)))
      const paths = ready.map(({ path }) => path)
      return call<EncodedImage>('composite', paths, { ...options, via: ready[0]?.via })
    },
    /** Parts of one picture from top to bottom. */
    stack: (files: readonly string[], options: StackOptions) =>
      call<{ bytes?: Uint8Array; path?: string }>('stack', files, options),
    async legible(file: string, options: LegibleOptions) {
      const { path } = await decoded(room, file)
      return call<LegibleImage>('legible', [path], options)
    },
    luma: (file: string, options: Partial<OutputOptions>) => make<LumaImage>('luma', file, options),
    async contactSheet(files: readonly string[], options: SheetOptions) {
      const ready = await Promise.all(files.map((file, index) => sheetFile(room, file, index, options.skipBroken)))
      return call<EncodedImage>('contactSheet', ready, options)
    },
    /** A page that a renderer drew. */
    async encodePage(file: string, options: PageOptions & { to: string }) {
      const { to, ...how } = options
      return placed(await call<MadeFile>('encodePage', [file], how), to)
    },
    async encodePicture(file: string, options: PictureOptions & { to: string }) {
      const { to, ...how } = options
      return placed(await call<MadeFile>('encodePicture', [file], how), to)
    },
    /** TIFFs of one page each as one. */
    async joinPages(files: readonly string[], options: { to: string }) {
      return placed(await call<MadeFile>('joinPages', files, {}), options.to)
    },
    resize: (file: string, options: ResizeOptions) => make('resize', file, options),
  }
}

/** As bytes, or as a file where they are many. */
interface MadeFile {
  bytes?: Uint8Array
  path?: string
}

async function placed({ bytes, path }: MadeFile, to: string): Promise<string> {
  if (path !== undefined) return path
  await writeFile(to, bytes!, { flag: 'wx' })
  return to
}

/** A file that cannot be decoded is left as it is where a placeholder will do: nothing else reads it either. */
async function sheetFile(room: HostRoom, file: string, index: number, skipBroken: boolean): Promise<string> {
  try {
    return (await decoded(room, file)).path
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (skipBroken) return file
    throw new Problem(error.code, { ...error.hints, index })
  }
}

type Call = <Value>(method: string, files: readonly string[], args: unknown) => Promise<Value>

async function inspect(files: readonly string[], call: Call): Promise<ImageFacts[]> {
  const heads = await Promise.all(files.map(foreignHead))
  const own = files.filter((_, index) => heads[index]?.size === undefined)
  const facts = own.length > 0 ? await call<ImageFacts[]>('inspect', own, {}) : []
  return heads.map(head => (head?.size ? { ...head.size, frames: 1, format: head.format } : facts.shift()!))
}

/** Of a foreign picture the head tells the size; only what is asked of the pixels decodes it. */
async function describe(room: HostRoom, file: string, options: DescribeOptions, call: Call): Promise<Description> {
  const head = await foreignHead(file)
  if (!head) return call('describe', [file], options)
  const wantsPixels = options.stats || options.hashes
  const { path } = wantsPixels || head.format !== 'heic' ? await decoded(room, file) : { path: file }
  const found = await call<Description>('describe', [path], options)
  const { format } = head
  return { ...found, format, mime: MIMES[format] }
}

const MIMES = {
  heic: 'image/heic',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  jp2: 'image/jp2',
  jxl: 'image/jxl',
  psd: 'image/vnd.adobe.photoshop',
}
