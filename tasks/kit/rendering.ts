import { type Static, Type } from 'typebox'
import { exactlyOne } from './exactly-one.ts'
import { Problem } from './problem.ts'
import { Choice, FileInput, type InputFile } from './schema.ts'

const MAX_HTML_BYTES = 4 * 2 ** 20
const MAX_ASSET_BYTES = 50 * 2 ** 20
const INDEX_IN_FOLDER = /^([^/]+\/)?index\.html?$/i

/** The fields for HTML input, shared by every operation that renders it in a browser. */
export const htmlFields = {
  html: Type.Optional(Type.String({ maxLength: MAX_HTML_BYTES, description: 'The page; at most 4 MiB.' })),
  file: Type.Optional(
    FileInput({
      accept: ['text/html', 'application/xhtml+xml', 'application/xml', 'text/xml', 'text/plain', 'application/zip'],
      description: 'Instead of html: the page as a file, or a zip of index.html and the files it uses.',
    }),
  ),
  assets: Type.Array(FileInput({ named: true, allowEmpty: true }), {
    default: [],
    maxItems: 50,
    description: 'Files that the page refers to by name: images, styles, fonts.',
  }),
}

/** The rendering options that every operation rendering HTML in a browser takes. */
export const renderingFields = {
  wait: Type.Object(
    {
      selector: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: 'Render once an element matches this.' }),
      ),
      delayMs: Type.Integer({
        default: 0,
        minimum: 0,
        maximum: 10_000,
        description: 'Time to wait after all other conditions.',
      }),
      networkIdle: Type.Boolean({
        default: true,
        description: 'Wait for requests of scripts to end, for at most two seconds, because some pages never stop.',
      }),
      timeoutMs: Type.Integer({
        default: 20_000,
        minimum: 100,
        maximum: 60_000,
        description: 'Limit for all of this together.',
      }),
    },
    { default: {}, description: 'When the page is ready to be rendered.' },
  ),
  javascript: Type.Boolean({ default: true, description: 'Whether scripts of the page run.' }),
  network: Choice(['public', 'none'], {
    default: 'public',
    description:
      'Whether files that the page refers to are fetched from public web servers, if the operator allows it. ' +
      'Private addresses and local files are never reached.',
  }),
  locale: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$', description: 'de-DE.' })),
  timezone: Type.String({ default: 'UTC', pattern: '^[A-Za-z0-9_+/-]{1,60}$', description: 'Europe/Berlin.' }),
  colorScheme: Type.Optional(Choice(['light', 'dark'])),
}

/** Problems that every operation rendering HTML may answer with. */
export const RENDERING_ERRORS = [
  'HTML_RENDER_FAILED',
  'SELECTOR_NOT_FOUND',
  'CONFLICTING_OPTIONS',
  'MISSING_FIELD',
  'INVALID_PARAM',
  'INPUT_EMPTY',
  'INPUT_TOO_LARGE',
  'UNSUPPORTED_FORMAT',
  'ARCHIVE_PARSE_FAILED',
  'ARCHIVE_PASSWORD_REQUIRED',
  'ARCHIVE_UNSAFE',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
  'PROVIDER_NOT_CONFIGURED',
] as const

const RENDERING = Type.Object(renderingFields)

export type Rendering = Static<typeof RENDERING>

/** What a page is rendered from: its HTML, and files that it refers to by name. */
export interface HtmlSource {
  html?: string
  /** A file with the HTML, instead of the text. */
  path?: string
  assets: readonly HtmlAsset[]
}

interface HtmlAsset {
  name: string
  path: string
}

interface HtmlInput {
  html?: string
  file?: InputFile
  assets: readonly InputFile[]
}

interface Unzip {
  list(path: string): Promise<{ entries: readonly { name: string; kind: string; sizeBytes: number }[] }>
  extract(path: string, wanted: readonly number[]): Promise<readonly string[]>
}

/** Reads the HTML to render from the field in which the caller gave it. */
export async function readHtmlSource(input: HtmlInput, unzip: Unzip): Promise<HtmlSource> {
  const assets = input.assets.map(requireAssetName)
  if (exactlyOne(input, ['html', 'file']) === 'html') {
    checkSize(Buffer.byteLength(input.html!), MAX_HTML_BYTES)
    return { html: input.html!, assets }
  }
  const file = input.file!
  if (file.type === 'application/zip') return unpackHtmlZip(file, assets, unzip)
  checkSize(file.sizeBytes, MAX_HTML_BYTES)
  return { path: file.path, assets }
}

export function requireAssetName({ name, path }: InputFile, index: number): HtmlAsset {
  if (name === undefined) throw new Problem('MISSING_FIELD', { field: `assets.${index}.name` })
  return { name, path }
}

function checkSize(sizeBytes: number, ceiling: number): void {
  if (sizeBytes === 0) throw new Problem('INPUT_EMPTY')
  if (sizeBytes > ceiling) throw new Problem('INPUT_TOO_LARGE', { ceiling, sizeBytes })
}

/** The page may lie in a folder of the zip; names are then relative to that folder. */
async function unpackHtmlZip(file: InputFile, given: readonly HtmlAsset[], unzip: Unzip): Promise<HtmlSource> {
  const { entries } = await unzip.list(file.path)
  const names = entries.map(({ name }) => name)
  const index = names.findIndex(name => /^index\.html?$/i.test(name))
  const main = index >= 0 ? index : names.findIndex(name => INDEX_IN_FOLDER.test(name))
  if (main < 0) throw new Problem('HTML_RENDER_FAILED', { detail: 'the zip has no index.html' })
  checkSize(entries[main]!.sizeBytes, MAX_HTML_BYTES)
  checkSize(
    entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    MAX_ASSET_BYTES,
  )
  const folder = names[main]!.slice(0, names[main]!.lastIndexOf('/') + 1)
  const wanted = entries.flatMap(({ kind, name }, entry) => (kind === 'file' && name.startsWith(folder) ? [entry] : []))
  const paths = await unzip.extract(file.path, wanted)
  const assets = wanted.map((entry, index) => ({ name: names[entry]!.slice(folder.length), path: paths[index]! }))
  return { path: paths[wanted.indexOf(main)]!, assets: [...assets, ...given] }
}
