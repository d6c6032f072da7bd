import type { TOOL_LANES } from '#kit'
import type { HostRoom, JobRoom } from '../job-room.ts'

/**
 * What a tool's module gives: its functions bound to one job. All of them are async, since some cross a process.
 * Tools of the lane `thread` get a plain room, the others one with programs and warm children.
 */
export interface ToolModule {
  bind(room: JobRoom | HostRoom): unknown
}

export interface ToolEntry {
  load(): Promise<{ bind(room: never): unknown }>
  /** Where the engine comes from, so that its version can be told. */
  from:
    | { package: string }
    | { program: string; versionFlag: string }
    | { engine: string }
    | { version(room: HostRoom): Promise<string> }
    | { builtIn: keyof NodeJS.ProcessVersions & string }
  /** The one line that installs it where it is missing. */
  install: string
}

/** The inventory. Importing it loads no engine; each is loaded when a job first uses it. */
export const TOOLS = {
  anyAscii: { load: () => import('./any-ascii.ts'), from: { package: 'any-ascii' }, install: 'npm install' },
  chromium: {
    load: () => import('./chromium.ts'),
    from: { version: async room => (await import('./chromium.ts')).version(room) },
    install: 'apt-get install -y chromium-headless-shell',
  },
  jose: { load: () => import('./jose.ts'), from: { package: 'jose' }, install: 'npm install' },
  libpdf: { load: () => import('./libpdf.ts'), from: { engine: 'libpdf' }, install: 'npm install' },
  poppler: {
    load: () => import('./poppler.ts'),
    from: { program: 'pdftotext', versionFlag: '-v' },
    install: 'apt-get install -y poppler-utils',
  },
  qpdf: {
    load: () => import('./qpdf.ts'),
    from: { program: 'qpdf', versionFlag: '--version' },
    install: 'apt-get install -y qpdf',
  },
  sharp: { load: () => import('./sharp.ts'), from: { engine: 'sharp' }, install: 'npm install' },
  tesseract: {
    load: () => import('./tesseract.ts'),
    from: { program: 'tesseract', versionFlag: '--version' },
    install: 'apt-get install -y tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd',
  },
  svgOptimizer: { load: () => import('./svg-optimizer.ts'), from: { package: 'svgo' }, install: 'npm install' },
  tokenizer: { load: () => import('./tokenizer.ts'), from: { package: 'gpt-tokenizer' }, install: 'npm install' },
  textDiff: { load: () => import('./text-diff.ts'), from: { package: 'diff' }, install: 'npm install' },
  regex: { load: () => import('./regex.ts'), from: { package: 're2js' }, install: 'npm install' },
  liquid: { load: () => import('./liquid.ts'), from: { package: 'liquidjs' }, install: 'npm install' },
  htmlText: { load: () => import('./html-text.ts'), from: { package: 'turndown' }, install: 'npm install' },
  markdown: { load: () => import('./markdown.ts'), from: { package: 'markdown-it' }, install: 'npm install' },
  htmlCleaner: { load: () => import('./html-cleaner.ts'), from: { package: 'sanitize-html' }, install: 'npm install' },
  barcode: { load: () => import('./barcode.ts'), from: { package: 'bwip-js' }, install: 'npm install' },
  barcodeReader: { load: () => import('./barcode-reader.ts'), from: { package: 'zxing-wasm' }, install: 'npm install' },
  color: { load: () => import('./color.ts'), from: { package: 'culori' }, install: 'npm install' },
  pagePicture: {
    load: () => import('./page-picture.ts'),
    from: { program: 'pdftoppm', versionFlag: '-v' },
    install: 'apt-get install -y poppler-utils',
  },
  pageShots: {
    load: () => import('./page-shots.ts'),
    from: { program: 'pdftoppm', versionFlag: '-v' },
    install: 'apt-get install -y poppler-utils',
  },
  paperMarkdown: { load: () => import('./paper-markdown.ts'), from: { builtIn: 'v8' }, install: 'npm install' },
  pdfMaker: { load: () => import('./pdf-maker.ts'), from: { engine: 'libpdf' }, install: 'npm install' },
  zip: { load: () => import('./zip.ts'), from: { builtIn: 'zlib' }, install: 'npm install' },
  unzip: { load: () => import('./unzip.ts'), from: { builtIn: 'zlib' }, install: 'npm install' },
} as const satisfies Record<keyof typeof TOOL_LANES, ToolEntry>

export type Tools = {
  [Name in keyof typeof TOOLS]: ReturnType<Awaited<ReturnType<(typeof TOOLS)[Name]['load']>>['bind']>
}
