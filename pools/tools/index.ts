import type { TOOL_LANES } from '#kit'
import { EMBEDDING_PROVIDERS } from '../../ops/providers/embedding/settings.ts'
import type { HostContext } from '../host-context.ts'
import type { JobContext } from '../job-context.ts'
import { DOCUMENT_TOOLS } from './document-ai/index.ts'
import { VISION_TOOLS } from './vision/index.ts'

/**
 * A tool's module binds its functions to one job. All functions are async, because some run in another process. Tools
 * of the lane `thread` get a JobContext; the others get a HostContext, which can start programs and engines.
 */
export interface ToolModule {
  bind(context: JobContext | HostContext): unknown
}

export interface ToolEntry {
  load(): Promise<{ bind(context: never): unknown }>
  /** Where to look up the version of the engine. */
  from:
    | { package: string }
    | { program: string; versionFlag: string }
    | { engine: string }
    | { version(context: HostContext): Promise<string> }
    | { builtIn: keyof NodeJS.ProcessVersions & string }
  /** What the api tells of the engine besides its version. */
  details?(): Promise<unknown>
  /** The command that installs the engine if it is missing. */
  install: string
  /** Who does its work, if there is a choice. */
  servedBy?(context: HostContext): Promise<ServedBy>
  /** The providers that can be configured for it, if it is one. */
  adapters?: readonly string[]
}

export interface ServedBy {
  provider: string
  /** If the provider has several. */
  model?: string
}

const OFFICE_INSTALL =
  'apt-get install -y --no-install-recommends libreoffice-writer-nogui libreoffice-calc-nogui ' +
  'libreoffice-impress-nogui libreoffice-draw-nogui libreoffice-math-nogui python3-uno'

/** A tool without an engine. It is not tried together with those of threads, which need no sandbox. */
const PART_OF_WORKER = { from: { version: async () => process.versions.node }, install: 'npm install' } as const

/** All tools. Importing this file loads no engine; each is loaded when a job first uses it. */
export const TOOLS = {
  anyAscii: { load: () => import('./any-ascii.ts'), from: { package: 'any-ascii' }, install: 'npm install' },
  charts: { load: () => import('./charts/tool.ts'), from: { engine: 'charts' }, install: 'npm install' },
  chromium: {
    load: () => import('./chromium/tool.ts'),
    from: { version: async context => (await import('./chromium/tool.ts')).version(context) },
    install: 'apt-get install -y chromium-headless-shell',
  },
  embeddings: {
    load: () => import('./embedding/tool.ts'),
    from: { version: async context => (await import('./embedding/tool.ts')).version(context) },
    install: "EMBEDDING_URL=... EMBEDDING_MODEL=a-model EMBEDDING_MODELS='a-model 0.02 8192' npm start",
    adapters: EMBEDDING_PROVIDERS,
  },
  faker: { load: () => import('./faker/tool.ts'), from: { package: '@faker-js/faker' }, install: 'npm install' },
  fonts: { load: () => import('./fonts/measure.ts'), from: { package: 'harfbuzzjs' }, install: 'npm install' },
  identicon: { load: () => import('./identicon.ts'), from: { package: 'jdenticon' }, install: 'npm install' },
  ghostscript: {
    load: () => import('./ghostscript.ts'),
    from: { program: 'gs', versionFlag: '--version' },
    install: 'apt-get install -y ghostscript',
  },
  ffmpeg: {
    load: () => import('./ffmpeg/tool.ts'),
    from: { version: async context => (await import('./ffmpeg/tool.ts')).version(context) },
    install: 'apt-get install -y ffmpeg',
  },
  invoiceReader: { load: () => import('./invoice-reader.ts'), from: { builtIn: 'v8' }, install: 'npm install' },
  jose: { load: () => import('./jose.ts'), from: { package: 'jose' }, install: 'npm install' },
  languageModel: {
    load: () => import('./provider/language-model.ts'),
    from: { version: async context => (await import('./provider/language-model.ts')).version(context) },
    install: "LLM_PROVIDER=openai LLM_API_KEY=... LLM_VALUE='model 0.4 1.6' npm start",
    adapters: ['openai', 'anthropic', 'bedrock'],
  },
  libpdf: { load: () => import('./libpdf/tool.ts'), from: { engine: 'libpdf' }, install: 'npm install' },
  libreoffice: {
    load: () => import('./libreoffice/tool.ts'),
    from: { version: async () => (await import('./libreoffice/registry.ts')).readVersion() },
    details: async () => (await import('./libreoffice/registry.ts')).listFormats(),
    install: OFFICE_INSTALL,
  },
  mailReader: { load: () => import('./postal-mime/tool.ts'), from: { package: 'postal-mime' }, install: 'npm install' },
  phoneNumbers: {
    load: () => import('./phone-numbers.ts'),
    from: { package: 'libphonenumber-js' },
    install: 'npm install',
  },
  pluginModule: { load: () => import('./plugin/module.ts'), ...PART_OF_WORKER },
  pluginProgram: { load: () => import('./plugin/program.ts'), ...PART_OF_WORKER },
  poppler: {
    load: () => import('./poppler/tool.ts'),
    from: { program: 'pdftotext', versionFlag: '-v' },
    install: 'apt-get install -y poppler-utils',
  },
  qpdf: {
    load: () => import('./qpdf/tool.ts'),
    from: { program: 'qpdf', versionFlag: '--version' },
    install: 'apt-get install -y qpdf',
  },
  sharp: { load: () => import('./sharp/tool.ts'), from: { engine: 'sharp' }, install: 'npm install' },
  tesseract: {
    load: () => import('./tesseract/tool.ts'),
    from: { program: 'tesseract', versionFlag: '--version' },
    install: 'apt-get install -y tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd',
  },
  speller: {
    load: () => import('./hunspell/tool.ts'),
    from: { program: 'hunspell', versionFlag: '-v' },
    install: 'apt-get install -y hunspell',
  },
  svgOptimizer: { load: () => import('./svg-optimizer.ts'), from: { package: 'svgo' }, install: 'npm install' },
  tokenizer: { load: () => import('./tokenizer.ts'), from: { package: 'gpt-tokenizer' }, install: 'npm install' },
  proofreader: {
    load: () => import('./provider/proofreader.ts'),
    from: { version: async context => (await import('./provider/proofreader.ts')).version(context) },
    install: 'LANGUAGETOOL_URL=http://127.0.0.1:8010 npm start',
    adapters: ['languagetool'],
  },
  translator: {
    load: () => import('./provider/translator.ts'),
    from: { version: async context => (await import('./provider/translator.ts')).version(context) },
    install: 'TRANSLATION_PROVIDER=deepl TRANSLATION_API_KEY=... TRANSLATION_USD_PER_MILLION=25 npm start',
    adapters: ['deepl', 'google', 'azure', 'libretranslate'],
  },
  transcriber: {
    load: () => import('./provider/transcriber.ts'),
    from: { version: async context => (await import('./provider/transcriber.ts')).version(context) },
    servedBy: async context => (await import('./provider/transcriber.ts')).describeProvider(context),
    install: 'TRANSCRIBE_PROVIDER=whisper.cpp TRANSCRIBE_URL=http://127.0.0.1:8081 npm start',
    adapters: ['whisper.cpp', 'openai'],
  },
  textDiff: { load: () => import('./text-diff.ts'), from: { package: 'diff' }, install: 'npm install' },
  readability: {
    load: () => import('./readability/tool.ts'),
    from: { package: '@mozilla/readability' },
    install: 'npm install',
  },
  regex: { load: () => import('./regex.ts'), from: { package: 're2js' }, install: 'npm install' },
  liquid: { load: () => import('./liquid.ts'), from: { package: 'liquidjs' }, install: 'npm install' },
  htmlToText: { load: () => import('./html/text.ts'), from: { package: 'turndown' }, install: 'npm install' },
  markdown: { load: () => import('./markdown/tool.ts'), from: { package: 'markdown-it' }, install: 'npm install' },
  htmlCleaner: { load: () => import('./html/cleaner.ts'), from: { package: 'sanitize-html' }, install: 'npm install' },
  barcode: { load: () => import('./barcode.ts'), from: { package: 'bwip-js' }, install: 'npm install' },
  barcodeReader: { load: () => import('./barcode-reader.ts'), from: { package: 'zxing-wasm' }, install: 'npm install' },
  color: { load: () => import('./color.ts'), from: { package: 'culori' }, install: 'npm install' },
  officeSalvage: { load: () => import('./office-salvage.ts'), from: { builtIn: 'zlib' }, install: 'npm install' },
  packedArchives: {
    load: () => import('./packed-archives/tool.ts'),
    from: { version: async () => (await import('./packed-archives/programs.ts')).listInstalled() },
    install: 'apt-get install -y 7zip libarchive-tools',
  },
  pandoc: {
    load: () => import('./pandoc/tool.ts'),
    from: { version: async () => (await import('./pandoc/tool.ts')).version() },
    install: 'npm install',
  },
  pageRenderer: {
    load: () => import('./poppler/page-renderer.ts'),
    from: { program: 'pdftoppm', versionFlag: '-v' },
    install: 'apt-get install -y poppler-utils',
  },
  pageSnapshots: {
    load: () => import('./poppler/page-snapshots.ts'),
    from: { program: 'pdftoppm', versionFlag: '-v' },
    install: 'apt-get install -y poppler-utils',
  },
  savedParts: { load: () => import('./saved-parts.ts'), ...PART_OF_WORKER },
  pdfMarkdown: { load: () => import('./pdf-markdown/tool.ts'), from: { builtIn: 'v8' }, install: 'npm install' },
  duckdb: { load: () => import('./duckdb/tool.ts'), from: { engine: 'duckdb' }, install: 'npm install' },
  ...DOCUMENT_TOOLS,
  ...VISION_TOOLS,
  timeLimit: { load: () => import('./time-limit.ts'), ...PART_OF_WORKER },
  yaml: { load: () => import('./yaml.ts'), from: { package: 'yaml' }, install: 'npm install' },
  zip: { load: () => import('./zip/tool.ts'), from: { builtIn: 'zlib' }, install: 'npm install' },
  web: {
    load: () => import('./web/tool.ts'),
    from: { version: async context => (await import('./web/tool.ts')).version(context) },
    install: 'OUTBOUND=public npm start',
  },
  unzip: { load: () => import('./unzip/tool.ts'), from: { builtIn: 'zlib' }, install: 'npm install' },
} as const satisfies Record<keyof typeof TOOL_LANES, ToolEntry>

type BoundTools = {
  [Name in keyof typeof TOOLS]: ReturnType<Awaited<ReturnType<(typeof TOOLS)[Name]['load']>>['bind']>
}

declare module '../../tasks/kit/operation.ts' {
  interface Tools extends BoundTools {}
}
