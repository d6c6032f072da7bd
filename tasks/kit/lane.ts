/**
 * Work that scales together. `thread` is JavaScript and WebAssembly in Piscina threads, `native` is addons in warm,
 * sandboxed child processes, `program` is sandboxed programs, started per call or kept running, `remote` is network calls
 * and chores.
 */
export const LANES = ['thread', 'native', 'program', 'remote'] as const

export type Lane = (typeof LANES)[number]

export function isLane(name: string): name is Lane {
  return (LANES as readonly string[]).includes(name)
}

/** The lane of each tool, as a list of its own, because the api must not load the tools. */
export const TOOL_LANES = {
  anyAscii: 'thread',
  barcode: 'thread',
  barcodeReader: 'thread',
  charts: 'native',
  chromium: 'program',
  color: 'thread',
  faker: 'thread',
  embeddings: 'remote',
  ffmpeg: 'program',
  fonts: 'thread',
  ghostscript: 'program',
  hostedFields: 'program',
  hostedIdentity: 'program',
  hostedInvoice: 'program',
  hostedTables: 'program',
  hostedText: 'program',
  htmlCleaner: 'thread',
  htmlToText: 'thread',
  identicon: 'thread',
  invoiceReader: 'thread',
  jose: 'thread',
  languageModel: 'remote',
  libpdf: 'native',
  libreoffice: 'program',
  liquid: 'thread',
  markdown: 'thread',
  officeSalvage: 'thread',
  packedArchives: 'program',
  pandoc: 'native',
  pageRenderer: 'program',
  pageSnapshots: 'program',
  pdfMarkdown: 'thread',
  mailReader: 'thread',
  phoneNumbers: 'thread',
  pluginModule: 'native',
  pluginProgram: 'program',
  poppler: 'program',
  proofreader: 'remote',
  qpdf: 'program',
  readability: 'thread',
  regex: 'thread',
  savedParts: 'program',
  sharp: 'native',
  speller: 'program',
  tesseract: 'program',
  timeLimit: 'program',
  svgOptimizer: 'thread',
  duckdb: 'native',
  textDiff: 'thread',
  tokenizer: 'thread',
  translator: 'remote',
  transcriber: 'remote',
  unzip: 'thread',
  visionCelebrities: 'remote',
  visionFaceMatch: 'remote',
  visionFaces: 'remote',
  visionLabels: 'remote',
  visionModeration: 'remote',
  visionProtection: 'remote',
  web: 'remote',
  yaml: 'thread',
  zip: 'thread',
} as const satisfies Record<string, Lane>

const HEAVIEST_FIRST: readonly Lane[] = ['remote', 'program', 'native', 'thread']

/** Whether workers of these lanes may get jobs that need the tool: those of its lane, and of heavier ones. */
export function mayUse(lanes: readonly Lane[], tool: keyof typeof TOOL_LANES): boolean {
  const heaviest = Math.min(...lanes.map(lane => HEAVIEST_FIRST.indexOf(lane)))
  return heaviest <= HEAVIEST_FIRST.indexOf(TOOL_LANES[tool])
}

/** The lane of an operation is that of its heaviest tool. */
export function laneOf(tools: readonly (keyof typeof TOOL_LANES)[]): Lane {
  return HEAVIEST_FIRST.find(lane => tools.some(tool => TOOL_LANES[tool] === lane)) ?? 'thread'
}
