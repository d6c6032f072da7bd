import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import type { Piece } from './pieces.ts'

export const ChunkSettings = Type.Object({
  maxTokens: Type.Integer({ default: 512, minimum: 64, maximum: 8192, description: 'As o200k counts them.' }),
  overlap: Type.Integer({
    default: 64,
    minimum: 0,
    maximum: 4096,
    description: 'The most that a chunk repeats of the one before, in the same section; at most half of maxTokens.',
  }),
  by: Choice(['heading', 'page'], { default: 'heading' }),
})

export type ChunkOptions = Static<typeof ChunkSettings>
export const DEFAULT_CHUNK: ChunkOptions = { maxTokens: 512, overlap: 64, by: 'heading' }

export const Chunk = Type.Object({
  id: Type.String(),
  text: Type.String({ description: 'Tables as Markdown.' }),
  tokens: Type.Integer({ minimum: 1 }),
  pages: Type.Array(Type.Integer({ minimum: 1 })),
  headings: Type.Array(Type.String(), { description: 'Under which it stands, the highest first.' }),
  blocks: Type.Array(Type.String(), { description: 'The ids of the blocks that it is made of.' }),
})

/** A run of text that is never cut. Runs of a block follow each other without a space between. */
type Run = [text: string, tokens: number]

/** A block as it is saved with its page, so that it is counted once. */
export interface CountedPiece {
  blocks: string[]
  level?: number
  text: string
  runs: Run[]
}

/** Has at most 64 tokens in any language, as a token has three bytes or more of most. */
const RUN_BYTES = 190
const ENCODING = 'o200k'

export async function countPieces(pieces: readonly Piece[], tokenizer: Tools['tokenizer']): Promise<CountedPiece[]> {
  const split = pieces.map(({ text }) => splitRuns(text))
  const tokens = (await tokenizer.countEach(split.flat(), ENCODING)).values()
  return pieces.map(({ blocks, level, text }, index) => {
    const runs = split[index]!.map((run): Run => [run, tokens.next().value!])
    return { blocks, ...(level !== undefined && { level }), text, runs }
  })
}

/** At the ends of sentences and lines, else between words, else between characters. */
function splitRuns(text: string): string[] {
  const sentences = text.match(/[^\n.!?。！？؟]*(?:[.!?。！？؟]+\s*|\n+|$)/gu) ?? []
  const runs: string[] = []
  for (const sentence of sentences.filter(part => part !== '')) {
    let run = ''
    for (const word of sentence.match(/\s*\S{1,40}|\s+$/gu) ?? [sentence]) {
      if (run !== '' && Buffer.byteLength(run) + Buffer.byteLength(word) > RUN_BYTES) {
        runs.push(run)
        run = ''
      }
      run += word
    }
    if (run !== '') runs.push(run)
  }
  return runs
}

/** Between blocks. */
const GAP = '\n\n'

interface PlacedRun {
  run: Run
  page: number
  piece: CountedPiece
  /** It begins a block. */
  isFirst: boolean
}

/** Cuts the text of a document into chunks of at most `maxTokens`, at its headings or pages and between sentences. */
class Chunker {
  readonly chunks: Omit<Static<typeof Chunk>, 'tokens'>[] = []
  readonly #options: ChunkOptions
  readonly #path: { level: number; text: string }[] = []
  #runs: PlacedRun[] = []
  #headings: string[] = []
  /** How many of `#runs` repeat the chunk before. */
  #repeated = 0

  constructor(options: ChunkOptions) {
    this.#options = options
  }

  add(page: number, piece: CountedPiece): void {
    const { by } = this.#options
    const isNewPage = by === 'page' && this.#runs.length > 0 && this.#runs.at(-1)!.page !== page
    if (isNewPage || (by === 'heading' && piece.level !== undefined && this.#hasBody())) this.close()
    if (piece.level !== undefined) this.#enter({ level: piece.level, text: piece.text })
    for (const [index, run] of piece.runs.entries()) this.#addRun({ run, page, piece, isFirst: index === 0 })
  }

  /** A heading stays with what follows it. */
  #hasBody(): boolean {
    return this.#runs.some(({ piece }) => piece.level === undefined)
  }

  #enter(heading: { level: number; text: string }): void {
    while (this.#path.length > 0 && this.#path.at(-1)!.level >= heading.level) this.#path.pop()
    this.#path.push(heading)
    if (!this.#hasBody()) this.#headings = this.#path.map(({ text }) => text)
  }

  #addRun(placed: PlacedRun): void {
    const { maxTokens, overlap } = this.#options
    if (measure([...this.#runs, placed]) > maxTokens) {
      const last = this.#runs
      this.close()
      const space = Math.min(overlap, maxTokens - placed.run[1] - 2)
      let from = last.length
      while (from > 1 && measure(last.slice(from - 1)) <= space) from--
      this.#runs = last.slice(from)
      this.#repeated = this.#runs.length
    }
    if (this.#runs.length === this.#repeated) this.#headings = this.#path.map(({ text }) => text)
    this.#runs.push(placed)
  }

  close(): void {
    if (this.#runs.length > this.#repeated) {
      const text = this.#runs.map(({ run, isFirst }, index) => (isFirst && index > 0 ? GAP : '') + run[0]).join('')
      const pages = [...new Set(this.#runs.map(({ page }) => page))]
      const blocks = [...new Set(this.#runs.flatMap(({ piece }) => piece.blocks))]
      this.chunks.push({ id: `c${this.chunks.length + 1}`, text: text.trim(), pages, headings: this.#headings, blocks })
    }
    this.#runs = []
    this.#repeated = 0
  }
}

function measure(runs: readonly PlacedRun[]): number {
  return runs.reduce((sum, { run, isFirst }, index) => sum + run[1] + (isFirst && index > 0 ? 1 : 0), 0)
}

export async function buildChunks(
  pages: Iterable<readonly [page: number, pieces: readonly CountedPiece[]]>,
  options: ChunkOptions,
  tokenizer: Tools['tokenizer'],
): Promise<Static<typeof Chunk>[]> {
  const chunker = new Chunker(options)
  for (const [page, pieces] of pages) for (const piece of pieces) chunker.add(page, piece)
  chunker.close()
  const { chunks } = chunker
  const tokens = await tokenizer.countEach(
    chunks.map(({ text }) => text),
    ENCODING,
  )
  return chunks.map((chunk, index) => ({ ...chunk, tokens: tokens[index]! }))
}
