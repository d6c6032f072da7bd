import { join } from 'node:path'
import { AnswerField, AnswerFile } from '../../../api/surfaces/how-to/declaration.ts'
import type { HowToPage } from '../../../api/surfaces/how-to/load.ts'
import type { RecordedResult } from '../../../api/surfaces/how-to/results.ts'
import { methodNameOf } from '../../../api/surfaces/sdk/typescript/names.ts'
import type { InstalledClients } from '../clients/install.ts'
import { ROOT } from '../house/files.ts'

const IMAGE_WIDTH = 720
const MAX_CHARS = 400

interface OutputFile {
  contentType: string
  sizeBytes: number
}

export interface Recording extends RecordedResult {
  imageBytes?: Uint8Array
  /** Whether formulas are left out, because the machine has no LibreOffice Math. */
  lacksFormulas: boolean
}

/** Makes the calls of a page by the TypeScript client, and draws what came of the last. */
export async function record(
  { steps }: HowToPage,
  { clients, url, key }: { clients: InstalledClients; url: string; key: string },
): Promise<Recording> {
  const { Coinop } = await clients.load()
  const client = new Coinop({ key })
  const answers = new Map<string, unknown>()
  let chargedMicros = 0n
  const onCharge = ({ chargedMicros: charged }: { chargedMicros?: bigint | number }) => {
    chargedMicros += BigInt(charged ?? 0)
  }
  let last: unknown
  for (const { call, input, as } of steps) {
    const [family] = call.split('.')
    const { async: isBackground, ...given } = resolve(input, answers) as Record<string, unknown>
    const method = client[family!][methodNameOf({ name: call, family: family! })]
    const ticket = isBackground === true ? await method.start(given) : undefined
    last = ticket ? { id: ticket.id } : await method(given, { onCharge })
    if (ticket) {
      await ticket.wait()
      const { actualMicros } = (await client.jobs.read({ id: ticket.id })) as { actualMicros: string }
      chargedMicros += BigInt(actualMicros)
    }
    if (as !== undefined) answers.set(as, last)
  }
  const drawn = await draw(client, last)
  const { warnings } = (last ?? {}) as { warnings?: { code: string }[] }
  const lacksFormulas = warnings?.some(({ code }) => code === 'FORMULAS_LOST') === true
  return { answer: describe(last, url), chargedMicros: String(chargedMicros), ...drawn, lacksFormulas }
}

/** An answer without what it has of formulas: the fonts that they are set in, or the warning that they are left out. */
export function withoutFormulas({ answer, ...recorded }: RecordedResult): RecordedResult {
  const { fonts: _fonts, warnings, ...rest } = answer as { fonts?: object; warnings?: { code: string }[] }
  const others = warnings?.filter(({ code }) => code !== 'FORMULAS_LOST')
  return { ...recorded, answer: { ...rest, ...(others && { warnings: others }) } }
}

function resolve(value: unknown, answers: ReadonlyMap<string, unknown>): unknown {
  if (value instanceof AnswerFile) return (answers.get(value.step) as { output: unknown }).output
  if (value instanceof AnswerField) {
    const found = value.path.reduce<unknown>(
      (from, name) => (from as Record<string, unknown>)[name],
      answers.get(value.step),
    )
    return value.fromEnd === undefined
      ? found
      : String(found)
          .split('/')
          .at(-1 - value.fromEnd)
  }
  if (typeof value === 'string' && value.startsWith('sample:')) return join(ROOT, 'tasks/samples', value.slice(7))
  if (value === 'https://example.com/hooks/coinop') return 'http://127.0.0.1:9/hooks'
  if (Array.isArray(value)) return value.map(item => resolve(item, answers))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolve(item, answers)]))
}

/** The file of the answer as a picture that a page can show. */
// biome-ignore lint/suspicious/noExplicitAny: the calls of a client are those of its catalogue.
async function draw(client: any, answer: unknown): Promise<Pick<Recording, 'image' | 'imageBytes'>> {
  const { output } = (answer ?? {}) as { output?: OutputFile }
  if (!output || !/^image\/|^application\/pdf$/.test(output.contentType)) return {}
  const options = { width: IMAGE_WIDTH, format: 'webp' }
  const drawn =
    output.contentType === 'application/pdf'
      ? (await client.pdf.render({ file: output, pages: '1', ...options })).output
      : (await client.image.resize({ file: output, ...options, quality: 80 })).output
  const imageBytes = (await client.download(drawn)) as Uint8Array
  const { width, height } = (await client.image.metadata({ file: Buffer.from(imageBytes) })) as Record<string, number>
  return { image: { width: width!, height: height! }, imageBytes }
}

/** An answer as the page shows it: without bytes, and with long texts cut. */
function describe(value: unknown, url: string): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (typeof value === 'string') {
    // A signed address of a file is of no use to a reader.
    const text = value.replaceAll(url, '{url}').replace(/^((?:\{url\}\/objects|scratch)\/).*/, '$1…')
    return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text
  }
  if (Array.isArray(value)) return value.slice(0, 8).map(item => describe(item, url))
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Headers) return undefined
  const { headers: _headers, ...fields } = value as Record<string, unknown>
  const shown = Object.entries(fields).filter(([name, item]) => name !== 'inline' || isPlaceholder(item))
  return Object.fromEntries(shown.map(([name, item]) => [name, describe(item, url)]))
}

/** In the place of bytes, as in the example of a search. */
function isPlaceholder(inline: unknown): boolean {
  return typeof inline === 'string' && inline.startsWith('<')
}

/** What is different each time: ids, tokens, hashes, times and durations. */
export function mask(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})/g, '<time>')
      .replaceAll(/\b\d{10}\.\d+/g, '<time>')
      .replaceAll(/(At\\?": ?)\d{10}/g, '$1<time>')
      .replaceAll(/[\w.~-]{20,}|[\w.~-]{8,}(?=…)/g, '<id>')
      .replaceAll(/(\{url\}|https?:\/\/)\S*/g, '<address>')
  }
  if (Array.isArray(value)) return value.map(mask)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      /Ms$|sizeBytes|iat|exp$|At$|fence|score$/i.test(name) ? '<number>' : mask(item),
    ]),
  )
}
