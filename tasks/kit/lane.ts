/**
 * What scales together. `thread` is JavaScript and wasm in Piscina threads, `native` is addons in warm confined
 * children, `program` is confined programs, one a call or kept, `remote` is the network and the background chores.
 */
export const LANES = ['thread', 'native', 'program', 'remote'] as const

export type Lane = (typeof LANES)[number]

export function isLane(name: string): name is Lane {
  return (LANES as readonly string[]).includes(name)
}

/** Where each tool works. The front door asks this, which must not know the tools themselves. */
export const TOOL_LANES = {
  anyAscii: 'thread',
  barcode: 'thread',
  barcodeReader: 'thread',
  chromium: 'program',
  color: 'thread',
  htmlCleaner: 'thread',
  htmlText: 'thread',
  jose: 'thread',
  libpdf: 'native',
  liquid: 'thread',
  markdown: 'thread',
  pagePicture: 'program',
  pageShots: 'program',
  paperMarkdown: 'thread',
  pdfMaker: 'native',
  poppler: 'program',
  qpdf: 'program',
  regex: 'thread',
  sharp: 'native',
  tesseract: 'program',
  svgOptimizer: 'thread',
  textDiff: 'thread',
  tokenizer: 'thread',
  unzip: 'thread',
  zip: 'thread',
} as const satisfies Record<string, Lane>

const HEAVIEST_FIRST: readonly Lane[] = ['remote', 'program', 'native', 'thread']

/** The lane of an operation is that of its heaviest tool. */
export function laneOf(tools: readonly (keyof typeof TOOL_LANES)[]): Lane {
  return HEAVIEST_FIRST.find(lane => tools.some(tool => TOOL_LANES[tool] === lane)) ?? 'thread'
}
