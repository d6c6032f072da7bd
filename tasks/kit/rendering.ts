import { type Static, Type } from 'typebox'
import { exactlyOne } from './exactly-one.ts'
import { Problem } from './problem.ts'
import { Choice, FileInput, type InputFile } from './schema.ts'

const MOST_HTML_BYTES = 4 * 2 ** 20
const MOST_ASSET_BYTES = 50 * 2 ** 20
const INDEX = /^([^/]+\/)?index\.html?$/i

/** Where the HTML comes from, for every call that has a browser draw it. */
export const htmlFields = {
  html: Type.Optional(Type.String({ maxLength: MOST_HTML_BYTES, description: 'The page; at most 4 MiB.' })),
  file: Type.Optional(
    FileInput({
      accept: ['text/html', 'application/xhtml+xml', 'application/xml', 'text/xml', 'text/plain', 'application/zip'],
      description: 'In place of html: the page as a file, or a zip of index.html and what it asks for.',
    }),
  ),
  assets: Type.Array(FileInput({ named: true, allowEmpty: true }), {
    default: [],
    maxItems: 50,
    description: 'Files with names, under which the page asks for them: pictures, styles, fonts.',
  }),
}

/** What every call that has HTML drawn by a browser lets its caller choose. */
export const renderingFields = {
  wait: Type.Object(
    {
      selector: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: 'Draw when an element fits this.' }),
      ),
      delayMs: Type.Integer({ default: 0, minimum: 0, maximum: 10_000, description: 'After everything else.' }),
      networkIdle: Type.Boolean({
        default: true,
        description: 'Wait for what scripts fetch, two seconds at most: some pages never stop asking.',
      }),
      timeoutMs: Type.Integer({ default: 20_000, minimum: 100, maximum: 60_000, description: 'For all of this.' }),
    },
    { default: {}, description: 'When the page is ready to be drawn.' },
  ),
  javascript: Type.Boolean({ default: true, description: 'Whether scripts of the page run.' }),
  network: Choice(['public', 'none'], {
    default: 'public',
    description:
      'Whether files of public web servers are fetched where the page asks for them, and the operator allows it. ' +
      'Private addresses and local files are never reached.',
  }),
  locale: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$', description: 'de-DE.' })),
  timezone: Type.String({ default: 'UTC', pattern: '^[A-Za-z0-9_+/-]{1,60}$', description: 'Europe/Berlin.' }),
  colorScheme: Type.Optional(Choice(['light', 'dark'])),
}

/** What every call that has HTML drawn may answer. */
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

/** What a page may be drawn from: its text, and files it asks for by name. */
export interface HtmlSource {
  html?: string
  /** A file with the HTML, in place of the text. */
  path?: string
  assets: readonly HtmlAsset[]
}

export interface HtmlAsset {
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

/** What the browser is to draw, from whichever field the caller gave it in. */
export async function htmlSource(input: HtmlInput, unzip: Unzip): Promise<HtmlSource> {
  const assets = input.assets.map(namedAsset)
  if (exactlyOne(input, ['html', 'file']) === 'html') {
    checkSize(Buffer.byteLength(input.html!), MOST_HTML_BYTES)
    return { html: input.html!, assets }
  }
  const file = input.file!
  if (file.type === 'application/zip') return unpacked(file, assets, unzip)
  checkSize(file.sizeBytes, MOST_HTML_BYTES)
  return { path: file.path, assets }
}

function namedAsset({ name, path }: InputFile, index: number): HtmlAsset {
  if (name === undefined) throw new Problem('MISSING_FIELD', { field: `assets.${index}.name` })
  return { name, path }
}

function checkSize(sizeBytes: number, ceiling: number): void {
  if (sizeBytes === 0) throw new Problem('INPUT_EMPTY')
  if (sizeBytes > ceiling) throw new Problem('INPUT_TOO_LARGE', { ceiling, sizeBytes })
}

/** The page may lie in the one folder of the zip; names are as seen from there. */
async function unpacked(file: InputFile, given: readonly HtmlAsset[], unzip: Unzip): Promise<HtmlSource> {
  const { entries } = await unzip.list(file.path)
  const names = entries.map(({ name }) => name)
  const index = names.findIndex(name => /^index\.html?$/i.test(name))
  const main = index >= 0 ? index : names.findIndex(name => INDEX.test(name))
  if (main < 0) throw new Problem('HTML_RENDER_FAILED', { detail: 'the zip has no index.html' })
  checkSize(entries[main]!.sizeBytes, MOST_HTML_BYTES)
  checkSize(
    entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    MOST_ASSET_BYTES,
  )
  const folder = names[main]!.slice(0, names[main]!.lastIndexOf('/') + 1)
  const wanted = entries.flatMap(({ kind, name }, place) => (kind === 'file' && name.startsWith(folder) ? [place] : []))
  const paths = await unzip.extract(file.path, wanted)
  const assets = wanted.map((place, turn) => ({ name: names[place]!.slice(folder.length), path: paths[turn]! }))
  return { path: paths[wanted.indexOf(main)]!, assets: [...assets, ...given] }
}
